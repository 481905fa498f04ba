/** A worker's connection to a Locust master, over ZeroMQ. */
import { decode, encode } from "@msgpack/msgpack";
import { Dealer } from "zeromq";
import { createSession, type LoadCounts, type Message, type SessionEnd, type SessionListeners } from "./session.js";

/** What a connected worker hears. */
export type WorkerListeners = Pick<SessionListeners, "onReady" | "onSpawn" | "onStop" | "onText">;

/** A worker that is connected to a master. */
export interface ConnectedWorker {
  /** Hands a text to the process that runs the master. */
  readonly sendText: (text: string) => void;
  /** Reports a load for Locust's own sum; from then on this worker has no users. */
  readonly report: (counts: LoadCounts) => void;
  /** Resolves with why it is over; never rejects. */
  readonly ended: Promise<SessionEnd | "left">;
  /** Takes leave of the master and closes the connection. May be called more than once. */
  readonly leave: () => Promise<void>;
}

const TICK_MS = 1000;
/** A master that has not answered yet is greeted so often, in ms. */
const GREETING_MS = 100;
/** So long what was said last may take to get out, in ms. */
const LINGER_MS = 1000;

/**
 * Connects to a master, of any Locust from 2.15, which may come later. `id` is how the master calls the worker: a host's name without
 * `_`, `_`, and what no other worker has. The session ends when the master says so, is silent for 10 s, or has not answered after 5 minutes.
 */
export function connectWorker(host: string, port: number, id: string, listeners: WorkerListeners): ConnectedWorker {
  const socket = new Dealer({
    routingId: id,
    // What cannot be sent is not kept: a master that comes back late must not get what is long over.
    immediate: true,
    sendTimeout: 0,
    linger: LINGER_MS,
    ipv6: true,
    reconnectMaxInterval: TICK_MS,
  });
  socket.connect(`tcp://${host.includes(":") ? `[${host}]` : host}:${port}`);
  let resolveEnd: (why: SessionEnd | "left") => void = () => {};
  const ended = new Promise<SessionEnd | "left">((resolve) => (resolveEnd = resolve));
  // One message after the other, as ZeroMQ wants it.
  let sending: Promise<void> = Promise.resolve();
  const send = (message: Message): void => {
    const bytes = encode(message);
    sending = sending.then(async () => socket.send(bytes).catch(() => {}));
  };
  const onReady = (): void => {
    clearInterval(greeting);
    listeners.onReady();
  };
  const onEnd = (why: SessionEnd): void => void finish(why);
  const session = createSession(id, performance.now(), { ...listeners, onReady, send, onEnd });
  // A connection that is there may take a moment to be good for the first message.
  const greeting = setInterval(session.greet, GREETING_MS);
  let used = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    session.tick(performance.now(), (user + system) / 10 / TICK_MS);
  }, TICK_MS);
  let finishing: Promise<void> | undefined;
  const close = async (why: SessionEnd | "left"): Promise<void> => {
    clearInterval(timer);
    clearInterval(greeting);
    await sending;
    socket.close();
    resolveEnd(why);
  };
  const finish = (why: SessionEnd | "left"): Promise<void> => (finishing ??= close(why));
  void (async () => {
    try {
      for await (const [frame] of socket) {
        const message = frame === undefined ? undefined : readMessage(frame);
        if (message !== undefined) session.receive(message, performance.now());
      }
    } catch (error) {
      if (!socket.closed) throw error;
    }
  })();
  return {
    sendText: session.sendText,
    report: session.report,
    ended,
    leave: () => {
      if (finishing === undefined) session.leave();
      return finish("left");
    },
  };
}

/** A message of Locust; `undefined` for anything else that may come. */
function readMessage(frame: Uint8Array): Message | undefined {
  try {
    const read = decode(frame);
    return Array.isArray(read) && typeof read[0] === "string" ? (read as unknown as Message) : undefined;
  } catch {
    return undefined;
  }
}
