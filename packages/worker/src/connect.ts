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
  /** Takes leave of the master and closes the connection. */
  readonly leave: () => Promise<void>;
}

const TICK_MS = 1000;
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
    linger: LINGER_MS,
    // Of the two ends it is mostly this one that can tell, and a network that is cut tells nobody.
    heartbeatInterval: 0,
    ipv6: true,
    reconnectMaxInterval: TICK_MS,
  });
  socket.connect(`tcp://${host.includes(":") ? `[${host}]` : host}:${port}`);
  let resolveEnd: (why: SessionEnd | "left") => void = () => {};
  const ended = new Promise<SessionEnd | "left">((resolve) => (resolveEnd = resolve));
  // One message after the other, as ZeroMQ wants it.
  const waiting: Message[] = [];
  let sending: Promise<void> | undefined;
  const sendAll = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !socket.closed; next = waiting.shift()) {
      await socket.send(encode(next)).catch(() => {});
    }
    sending = undefined;
  };
  const send = (message: Message): void => {
    // Before there is a connection nothing but the last word of each kind is worth keeping.
    if (sending !== undefined && KEPT_ONCE.has(message[0]) && waiting.some(([type]) => type === message[0])) return;
    waiting.push(message);
    sending ??= sendAll();
  };
  const session = createSession(id, performance.now(), { ...listeners, send, onEnd: (why) => void finish(why) });
  let used = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    session.tick(performance.now(), (user + system) / 10 / TICK_MS);
  }, TICK_MS);
  const finish = async (why: SessionEnd | "left"): Promise<void> => {
    clearInterval(timer);
    await Promise.race([sending, new Promise((resolve) => setTimeout(resolve, LINGER_MS).unref())]);
    socket.close();
    resolveEnd(why);
  };
  void (async () => {
    try {
      for await (const [frame] of socket) {
        if (frame !== undefined) session.receive(decode(frame) as Message, performance.now());
      }
    } catch (error) {
      if (!socket.closed) throw error;
    }
  })();
  return {
    sendText: session.sendText,
    report: session.report,
    ended,
    leave: async () => {
      session.leave();
      await finish("left");
      await ended;
    },
  };
}

const KEPT_ONCE: ReadonlySet<string> = new Set(["client_ready", "heartbeat"]);
