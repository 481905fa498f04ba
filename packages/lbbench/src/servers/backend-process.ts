/** A process that runs one sample server: called by the server plugins over its channel. */
import { startSample, type Disturbance, type RunningBackend, type SampleChoice } from "@lbbench/backends";
import { serveChild } from "../system/fork.js";

/** Long enough for most requests, and within the time that a deed may take. */
const FINISH_GRACE_MS = 3500;

let starting: Promise<RunningBackend> | undefined;

const functions = {
  start: async (choice: SampleChoice) => {
    starting = startSample(choice);
    const { url, pids } = await starting;
    return { url, pids };
  },
  /** Requests received since the start. */
  requests: async () => (await starting)?.requests() ?? 0,
  /** Makes it late or wrong from now on. */
  disturb: async (change: Disturbance) => (await starting)?.disturb(change),
  /** Takes nothing new; resolves when what is under way is done, or has taken too long. */
  finish: async () => (await starting)?.stop({ graceMs: FINISH_GRACE_MS }),
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

serveChild(functions, async () => {
  // Workers that are still being started would outlive this process by a moment.
  const running = await starting?.catch(() => undefined);
  await running?.stop();
});
