/** A process that runs one sample server: called by the server plugins over its channel. */
import { startSample, type RunningBackend, type SampleChoice } from "@lbbench/backends";
import { serveChild } from "../system/fork.js";

let starting: Promise<RunningBackend> | undefined;

const functions = {
  start: async (choice: SampleChoice) => {
    starting = startSample(choice);
    const { url, pids } = await starting;
    return { url, pids };
  },
  /** Requests received since the start. */
  requests: async () => (await starting)?.requests() ?? 0,
  /** Resolves with a description when a worker ends without having been asked to. */
  workerDied: async () => {
    const running = await starting;
    return new Promise<string>((resolve) => {
      running?.onDied(({ pid, code, signal, stderr }) => {
        const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
        resolve(`worker ${pid} ended with ${how}${stderr === "" ? "" : `; it printed:\n${stderr}`}`);
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
