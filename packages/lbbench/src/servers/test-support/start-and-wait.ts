import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("./start-and-wait.mjs", import.meta.url));

/** Has a process of its own start a server plugin, which does nothing after that until it is killed. */
export function startAndWait(asked: { readonly name: string; readonly options: object; readonly halt?: string }) {
  const program = fork(PROGRAM, { execArgv: [] });
  program.send(asked);
  return {
    pid: program.pid ?? -1,
    started: async () => {
      const [told] = (await once(program, "message")) as [{ readonly url: string; readonly pids: readonly number[] }];
      return told;
    },
    kill: async () => {
      program.kill("SIGKILL");
      await once(program, "exit");
    },
  };
}
