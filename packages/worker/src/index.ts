/** A worker of another make at a Locust master: what Locust's protocol wants of it, over ZeroMQ and msgpack. */
import { fileURLToPath } from "node:url";
import { decode, encode } from "@msgpack/msgpack";
import { Dealer } from "zeromq";

/** Path of the Python file that is the master: `python3 MASTER_SCRIPT ADDRESS PORT`; what it reads and prints is said in it. */
export const MASTER_SCRIPT: string = fileURLToPath(new URL("../master.py", import.meta.url));

/** What a connected worker hears. */
export interface WorkerListeners {
  /** The master has taken this worker in. */
  readonly onReady: () => void;
  /** Locust starts so many users here. */
  readonly onSpawn: (users: number) => void;
  /** Locust ends them. */
  readonly onStop: () => void;
  /** A text of lbbench. */
  readonly onText: (text: string) => void;
}

/** What became of the requests of a load, for Locust's own sum; times in ms. */
export interface LoadCounts {
  readonly requests: number;
  readonly failures: number;
  readonly durationMs: number;
}

/** Why a session has ended: the master said so, fell silent, or never answered. */
export type SessionEnd = "quit" | "silent" | "unanswered";

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

/** A master that has not answered yet is greeted so often, in ms. */
const GREETING_MS = 100;
/** A master that has answered gets a heartbeat so often, in ms. */
const HEARTBEAT_MS = 1000;
/** A master that was silent for so long is gone, in ms. */
const SILENCE_MS = 10_000;
/** So long a master may be waited for that is not there yet, in ms. */
const PATIENCE_MS = 300_000;
/** So long what was said last may take to get out, in ms. */
const LINGER_MS = 1000;
/** The type of lbbench's own messages. */
const TEXT_MESSAGE = "lbbench";
/** The master of any version takes it for that of a worker of another make. */
const NO_VERSION = -1;

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
    reconnectMaxInterval: HEARTBEAT_MS,
  });
  socket.connect(`tcp://${host.includes(":") ? `[${host}]` : host}:${port}`);
  let state: "connecting" | "ready" | "running" | "over" = "connecting";
  let users: Readonly<Record<string, number>> = {};
  let spawnedAt = -Infinity;
  let heardMs = performance.now();
  // One message after the other, as ZeroMQ wants it.
  let sending: Promise<void> = Promise.resolve();
  const send = (type: string, data: unknown): void => {
    if (state === "over") return;
    const bytes = encode([type, data, id]);
    sending = sending.then(async () => socket.send(bytes).catch(() => {}));
  };
  const tellUsers = () => {
    const user_count = Object.values(users).reduce((sum, count) => sum + count, 0);
    return { user_classes_count: users, user_count };
  };
  const endUsers = (): void => void (users = Object.fromEntries(Object.keys(users).map((name) => [name, 0])));
  let settle: (why: SessionEnd | "left") => void = () => {};
  const ended = new Promise<SessionEnd | "left">((resolve) => (settle = resolve)).then(async (why) => {
    clearTimeout(timer);
    await sending;
    socket.close();
    return why;
  });
  const end = (why: SessionEnd | "left"): void => {
    state = "over";
    settle(why);
  };
  const receive = (type: string, data: unknown): void => {
    if (state === "over") return;
    heardMs = performance.now();
    if (type === "ack" && state === "connecting") {
      state = "ready";
      listeners.onReady();
    } else if (type === "spawn") {
      const { timestamp, user_classes_count: asked } = (data ?? {}) as Readonly<Record<string, unknown>>;
      if (typeof timestamp !== "number" || typeof asked !== "object" || asked === null) return;
      send("spawning", null);
      // Locust sends again what may be late.
      if (timestamp <= spawnedAt) return;
      [spawnedAt, users, state] = [timestamp, asked as typeof users, "running"];
      send("spawning_complete", tellUsers());
      listeners.onSpawn(tellUsers().user_count);
    } else if (type === "stop") {
      listeners.onStop();
      endUsers();
      send("client_stopped", null);
      state = "ready";
      send("client_ready", NO_VERSION);
    } else if (type === "quit") end("quit");
    else if (type === TEXT_MESSAGE && typeof data === "string") listeners.onText(data);
  };
  const listen = async (): Promise<void> => {
    for await (const [frame] of socket) {
      const [type, data] = frame === undefined ? [] : readMessage(frame);
      if (type !== undefined) receive(type, data);
    }
  };
  listen().catch((error: unknown) => {
    if (!socket.closed) throw error;
  });
  let used = process.cpuUsage();
  /** Says what is due, and looks whether the master still lives. */
  const tick = (sinceMs: number): void => {
    const silentMs = performance.now() - heardMs;
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    const current_cpu_usage = (user + system) / 10 / sinceMs;
    if (state !== "connecting" && silentMs >= SILENCE_MS) end("silent");
    else if (silentMs >= PATIENCE_MS) end("unanswered");
    else if (state === "connecting") send("client_ready", NO_VERSION);
    else send("heartbeat", { state, current_cpu_usage, current_memory_usage: process.memoryUsage.rss() });
    const nextMs = state === "connecting" ? GREETING_MS : HEARTBEAT_MS;
    timer = setTimeout(tick, nextMs, nextMs);
  };
  // A connection that is there may take a moment to be good for the first message.
  let timer = setTimeout(tick, GREETING_MS, GREETING_MS);
  return {
    ended,
    sendText: (text) => send(TEXT_MESSAGE, text),
    report: ({ requests, failures, durationMs }) => {
      endUsers();
      const now = Date.now() / 1000;
      // As Locust keeps it; latency is lbbench's own business, which Locust would round.
      const total = {
        name: "Aggregated",
        method: "",
        last_request_timestamp: now,
        start_time: now - durationMs / 1000,
        num_requests: requests,
        num_none_requests: requests,
        num_failures: failures,
        total_response_time: 0,
        max_response_time: 0,
        min_response_time: null,
        total_content_length: 0,
        response_times: {},
        num_reqs_per_sec: {},
        num_fail_per_sec: {},
      };
      const stats = [{ ...total, name: "load", method: "lbbench" }];
      send("stats", { stats, stats_total: total, errors: {}, ...tellUsers() });
    },
    leave: async () => {
      send("quit", null);
      end("left");
      await ended;
    },
  };
}

/** Reads a message of Locust, its type and its data; empty for anything else that may come. */
function readMessage(frame: Uint8Array): readonly [type?: string, data?: unknown] {
  try {
    const read = decode(frame);
    return Array.isArray(read) && typeof read[0] === "string" ? (read as [string, unknown]) : [];
  } catch {
    return [];
  }
}
