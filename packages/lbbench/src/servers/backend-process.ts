/** A process that runs one sample server: called by the server plugins over its channel. */
import { startSample, type ConnectionCounts, type Disturbance, type SampleChoice } from "@lbbench/backends";
import { serveChild } from "../system/fork.js";
import { deferred } from "../system/settle.js";

/** Long enough for most requests, and within the time that a deed may take. */
const FINISH_GRACE_MS = 3500;

let starting: ReturnType<typeof startSample> | undefined;
const last = deferred<SampleCounts>();

/** What a sample server has counted since its start. */
export interface SampleCounts {
  readonly requests: number;
  readonly connections: ConnectionCounts;
}

async function counts(): Promise<SampleCounts> {
  const running = await starting;
  if (running === undefined) return { requests: 0, connections: { accepted: 0, open: 0, active: 0 } };
  return { requests: await running.requests(), connections: await running.connections() };
}

const functions = {
  start: async (choice: SampleChoice) => {
    starting = startSample(choice);
    const { url, pids } = await starting;
    return { url, pids };
  },
  counts,
  /** The same when it has ended: what came until then. */
  lastCounts: () => last.promise,
  /** Makes it late or wrong from now on. */
  disturb: async (change: Disturbance) => (await starting)?.disturb(change),
  /** Starts a worker of a cluster in the place of one that has ended; resolves with its pid. */
  replace: async (pid: number) => {
    const replace = (await starting)?.replace;
    if (replace === undefined) throw new Error("Expected a cluster that was started.");
    return replace(pid);
  },
  /** Resolves with a description when a worker, other than those known to have, has ended without having been asked to. */
  workerDied: async (known: readonly number[]) => {
    const running = await starting;
    return new Promise<{ readonly pid: number; readonly how: string }>((resolve) => {
      running?.onDied(({ pid, code, signal, stderr }) => {
        if (known.includes(pid)) return;
        const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
        resolve({ pid, how: `worker ${pid} ended with ${how}${stderr === "" ? "" : `; it printed:\n${stderr}`}` });
      });
    });
  },
};

/** The functions of a backend process. */
export type BackendProcess = typeof functions;

serveChild(functions, async (ending) => {
  // Workers that are still being started would outlive this process by a moment.
  const running = await starting?.catch(() => undefined);
  await running?.stop(ending === "finish" ? { graceMs: FINISH_GRACE_MS } : {});
  if (running !== undefined) last.resolve(await counts());
});
