/** A process that runs one sample server: called by the server plugins over its channel. */
import { startSample, type RunningBackend, type SampleChoice } from "@lbbench/backends";
import { serveChild } from "../system/fork.js";

/** The functions of a backend process. */
export interface BackendProcess {
  readonly start: (choice: SampleChoice) => Promise<{ readonly url: string; readonly pids: readonly number[] }>;
  /** Requests received since the start. */
  readonly requests: () => Promise<number>;
  /** Resolves with a description when a worker ends without having been asked to. */
  readonly workerDied: () => Promise<string>;
}

let starting: Promise<RunningBackend> | undefined;

const functions: BackendProcess = {
  start: async (choice) => {
    starting = startSample(choice);
    const { url, pids } = await starting;
    return { url, pids };
  },
  requests: async () => (await starting)?.requests() ?? 0,
  workerDied: async () => {
    const running = await starting;
    return new Promise((resolve) => {
      running?.onDied((death) => {
        const how = death.signal === null ? `exit code ${death.code}` : `signal ${death.signal}`;
        resolve(`worker ${death.pid} ended with ${how}${death.stderr === "" ? "" : `; it printed:\n${death.stderr}`}`);
      });
    });
  },
};

async function stopBackend(): Promise<void> {
  // Workers that are still being started would outlive this process by a moment.
  const running = await starting?.catch(() => undefined);
  await running?.stop();
}

serveChild(functions, stopBackend);
