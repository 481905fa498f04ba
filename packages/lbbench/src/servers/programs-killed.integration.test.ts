import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { builtEntry } from "../child/built-entry.js";
import { forkChild } from "../child/fork.js";
import { acceptsConnections } from "../testing/ports.js";
import { followDescendants, runningOf } from "../testing/processes.js";
import type { CommandSupervisor } from "./command-supervisor.js";
import { useOwnTemporaryFolder } from "./test-support/own-temporary-folder.js";
import { testsOf } from "./test-support/program-installed.js";

const START_AND_WAIT = fileURLToPath(new URL("./test-support/start-program-and-wait.mjs", import.meta.url));
const SUPERVISOR = builtEntry(import.meta.url, "./command-supervisor.js");
const PATIENCE = { timeout: 20_000, interval: 20 };

const temporary = useOwnTemporaryFolder();

for (const { program, server } of [
  { program: "nginx", server: { name: "nginx", options: { backends: 1, workers: 2 } } },
  { program: "nginx", server: { name: "nginx-static", options: {} } },
  { program: "haproxy", server: { name: "haproxy", options: { backends: 1 } } },
]) {
  const { run, note } = testsOf(program);

  describe.runIf(run)(`${server.name} leaves neither process nor port nor folder${note}`, () => {
    it("when the program that started it is killed", async () => {
      const descendants = await followDescendants();
      const starter = fork(START_AND_WAIT, { execArgv: [] });
      starter.send(server);
      const [{ url }] = (await once(starter, "message")) as [{ readonly url: string }];
      const seen = await descendants.look();
      expect(temporary.content()).toHaveLength(1);
      expect(await acceptsConnections(url)).toBe(true);
      starter.kill("SIGKILL");
      await once(starter, "exit");
      await vi.waitFor(() => expect(runningOf(seen)).toEqual([]), PATIENCE);
      expect(temporary.content()).toEqual([]);
      expect(await acceptsConnections(url)).toBe(false);
    });

    it("when the program that starts it is killed as soon as there is a folder", async () => {
      const descendants = await followDescendants();
      const starter = fork(START_AND_WAIT, { execArgv: [] });
      starter.send(server);
      await vi.waitFor(() => expect(temporary.content()).toHaveLength(1), { timeout: 20_000, interval: 1 });
      const seen = await descendants.look();
      starter.kill("SIGKILL");
      await once(starter, "exit");
      await vi.waitFor(() => {
        expect(runningOf(seen)).toEqual([]);
        expect(temporary.content()).toEqual([]);
      }, PATIENCE);
    });
  });
}

describe("a supervisor with files", () => {
  const sleeper = [process.execPath, "-e", "setInterval(() => {}, 60_000)", "{folder}"] as const;
  const start = () => forkChild<CommandSupervisor>(SUPERVISOR, { name: "supervisor", ownGroup: true });
  const command = { argv: sleeper, env: {}, cwd: "{folder}", files: { "a/b": "{folder}" } };

  it("removes them when it is stopped", async () => {
    const supervisor = start();
    const { pid, folder } = await supervisor.call.start(command);
    expect(readdirSync(join(folder ?? "", "a"))).toEqual(["b"]);
    await supervisor.stop();
    expect(runningOf([pid])).toEqual([]);
    expect(temporary.content()).toEqual([]);
  });

  it("removes them when it is to kill everything at once", async () => {
    const supervisor = start();
    const { pid } = await supervisor.call.start(command);
    process.kill(supervisor.pid, "SIGUSR2");
    await supervisor.exited;
    await vi.waitFor(() => expect(runningOf([pid])).toEqual([]), PATIENCE);
    expect(temporary.content()).toEqual([]);
  });

  it("removes them when the program cannot be run", async () => {
    const supervisor = start();
    await expect(supervisor.call.start({ ...command, argv: ["no-such-program"] })).rejects.toThrow("ENOENT");
    await supervisor.stop();
    expect(temporary.content()).toEqual([]);
  });
});
