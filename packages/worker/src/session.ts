/** The worker's side of Locust's protocol, without a network: messages come in, messages go out, time is passed in. */

/** A message as Locust has it: type, data, and the worker that it is from or for. */
export type Message = readonly [type: string, data: unknown, worker: string];

/** What became of the requests of a load, for Locust's own sum; times in ms. */
export interface LoadCounts {
  readonly requests: number;
  readonly failures: number;
  readonly durationMs: number;
}

/** Why a session has ended: the master said so, fell silent, or never answered. */
export type SessionEnd = "quit" | "silent" | "unanswered";

/** What a session tells. */
export interface SessionListeners {
  /** A message goes to the master. */
  readonly send: (message: Message) => void;
  /** The master has taken this worker in. */
  readonly onReady: () => void;
  /** Locust starts so many users here. */
  readonly onSpawn: (users: number) => void;
  /** Locust ends them. */
  readonly onStop: () => void;
  /** A text of lbbench. */
  readonly onText: (text: string) => void;
  /** Called once; nothing is sent or told after it. */
  readonly onEnd: (why: SessionEnd) => void;
}

/** A worker's part in a Locust run. */
export interface Session {
  /** Says to the master that this worker is ready, unless it knows. */
  readonly greet: () => void;
  readonly receive: (message: Message, nowMs: number) => void;
  /** To be called every second: sends what is due, and looks whether the master still lives. */
  readonly tick: (nowMs: number, processorPercent: number) => void;
  readonly sendText: (text: string) => void;
  /** Reports what the users did; from then on there are none. */
  readonly report: (counts: LoadCounts) => void;
  /** Takes leave of the master. */
  readonly leave: () => void;
}

/** The type of lbbench's own messages. */
export const TEXT_MESSAGE = "lbbench";
/** A master that was silent for so long is gone, in ms. */
export const SILENCE_MS = 10_000;
/** So long a master may be waited for that is not there yet, in ms. */
export const PATIENCE_MS = 300_000;
/** The master of any version takes it for that of a worker of another make. */
const NO_VERSION = -1;

/** Begins a session of the worker `id`; its first message is a greeting. */
export function createSession(id: string, startMs: number, listeners: SessionListeners): Session {
  let state: "connecting" | "ready" | "spawning" | "running" | "over" = "connecting";
  let users: Readonly<Record<string, number>> = {};
  let heardMs = startMs;
  let spawnedAt = -Infinity;
  const send = (type: string, data: unknown): void => {
    if (state !== "over") listeners.send([type, data, id]);
  };
  const userCount = (): number => Object.values(users).reduce((sum, count) => sum + count, 0);
  const endUsers = (): void => {
    users = Object.fromEntries(Object.keys(users).map((name) => [name, 0]));
  };
  const told = () => ({ user_classes_count: users, user_count: userCount() });
  const end = (why: SessionEnd): void => {
    if (state === "over") return;
    state = "over";
    listeners.onEnd(why);
  };
  const spawn = ({ timestamp, user_classes_count: counts }: Spawn): void => {
    send("spawning", null);
    // Locust sends again what may be late.
    if (timestamp <= spawnedAt) return;
    spawnedAt = timestamp;
    state = "spawning";
    users = counts;
    send("spawning_complete", told());
    state = "running";
    listeners.onSpawn(userCount());
  };
  const stop = (): void => {
    listeners.onStop();
    endUsers();
    send("client_stopped", null);
    state = "ready";
    send("client_ready", NO_VERSION);
  };
  return {
    greet: () => {
      if (state === "connecting") send("client_ready", NO_VERSION);
    },
    receive: ([type, data], nowMs) => {
      if (state === "over") return;
      heardMs = nowMs;
      if (type === "ack" && state === "connecting") {
        state = "ready";
        listeners.onReady();
      } else if (type === "spawn") spawn(data as Spawn);
      else if (type === "stop") stop();
      else if (type === "quit") end("quit");
      else if (type === TEXT_MESSAGE && typeof data === "string") listeners.onText(data);
    },
    tick: (nowMs, processorPercent) => {
      const silentMs = nowMs - heardMs;
      if (state === "connecting" && silentMs >= PATIENCE_MS) return end("unanswered");
      if (state === "connecting") return;
      if (silentMs >= SILENCE_MS) return end("silent");
      send("heartbeat", {
        state,
        current_cpu_usage: processorPercent,
        current_memory_usage: process.memoryUsage.rss(),
      });
    },
    sendText: (text) => send(TEXT_MESSAGE, text),
    report: (counts) => {
      endUsers();
      const entry = statsEntry(counts);
      send("stats", {
        stats: [{ ...entry, name: "load", method: "lbbench" }],
        stats_total: entry,
        errors: {},
        ...told(),
      });
    },
    leave: () => send("quit", null),
  };
}

interface Spawn {
  readonly timestamp: number;
  readonly user_classes_count: Readonly<Record<string, number>>;
}

/** As Locust keeps it; latency is lbbench's own business, which Locust would round. */
function statsEntry({ requests, failures, durationMs }: LoadCounts) {
  const now = Date.now() / 1000;
  return {
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
}
