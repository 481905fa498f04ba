import { startProcess, type TestProcess } from "./start-process.js";

/** What a backend process can be told; all but the port has a default. */
export interface BackendSettings {
  /** Before each answer. */
  readonly delayMs?: number;
  /** Whether it notes each request, or only counts them; `true` by default. */
  readonly notes?: boolean;
}

/** A backend in a process of its own, which ends with the test. */
export interface BackendProcess {
  readonly name: string;
  readonly url: string;
  /** Method and path of each request that it has read to its end, as in `GET /7`, since its process was started. */
  readonly served: () => Promise<readonly string[]>;
  /** How many those are. */
  readonly count: () => Promise<number>;
  /** Connections that it has open. */
  readonly connections: () => Promise<number>;
  /** Closes its listener and its idle connections, and goes on with the others. */
  readonly stopListening: () => Promise<void>;
  /** Listens again, at the same port. */
  readonly listen: () => Promise<void>;
  /** Makes its process hang, and go on. */
  readonly hang: () => void;
  readonly goOn: () => void;
  /** Kills its process, and with it what it has noted. */
  readonly kill: () => Promise<void>;
  /** Starts a process in place of the one that was killed, at the same port. */
  readonly start: () => Promise<void>;
  /** Whether a process of it was killed. */
  readonly wasKilled: () => boolean;
}

/** Starts a backend in a process of its own. */
export async function startBackendProcess(name: string, settings: BackendSettings = {}): Promise<BackendProcess> {
  let running: TestProcess = await startProcess("./backend-process.mjs", settings);
  const port = running.ready as number;
  let killed = false;
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    served: async () => (await running.call("served")) as string[],
    count: async () => (await running.call("count")) as number,
    connections: async () => (await running.call("connections")) as number,
    stopListening: async () => void (await running.call("stopListening")),
    listen: async () => void (await running.call("listen")),
    hang: () => running.signal("SIGSTOP"),
    goOn: () => running.signal("SIGCONT"),
    kill: async () => {
      killed = true;
      await running.kill();
    },
    start: async () => {
      running = await startProcess("./backend-process.mjs", { ...settings, port });
    },
    wasKilled: () => killed,
  };
}

/** Starts backends of these names. */
export async function startBackendProcesses<const Names extends readonly string[]>(
  names: Names,
  settings?: BackendSettings,
): Promise<{ [Index in keyof Names]: BackendProcess }> {
  const started = await Promise.all(names.map((name) => startBackendProcess(name, settings)));
  return started as { [Index in keyof Names]: BackendProcess };
}
