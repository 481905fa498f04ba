import { readdirSync, readFileSync, statSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { useOwnTemporaryFolder } from "../servers/test-support/own-temporary-folder.js";
import { waitUntilAnswers } from "../servers/ready.js";
import { runningOf } from "../testing/contract.js";
import { builtEntry, forkChild } from "./fork.js";
import { startForegroundProgram, type ForegroundProgram, type ForegroundServer, type Supervisor } from "./supervise.js";

const temporary = useOwnTemporaryFolder();

describe("the files of a command", () => {
  const sleeper = [process.execPath, "-e", "setInterval(() => {}, 60_000)", "{folder}"] as const;
  const command = { argv: sleeper, env: {}, cwd: "{folder}", files: { "a/b": "in {folder}, {folder}/x" } };
  const entry = builtEntry(import.meta.url, "./supervisor-process.js");
  const fork = () => forkChild<Supervisor>(entry, { name: "supervisor", ownGroup: true });

  it("are there as long as it runs, where others may go through but not look", async () => {
    const supervisor = fork();
    const { pid, folder } = await supervisor.call.start(command);
    expect(readFileSync(join(folder ?? "", "a/b"), "utf8")).toBe(`in ${folder}, ${folder}/x`);
    expect(statSync(folder ?? "").mode & 0o777).toBe(0o711);
    expect(readdirSync(folder ?? "")).toEqual(["a"]);
    await supervisor.stop();
    expect(runningOf([pid])).toEqual([]);
    expect(temporary.content()).toEqual([]);
  });

  it("are gone when everything is killed at once", async () => {
    const supervisor = fork();
    const { pid } = await supervisor.call.start(command);
    process.kill(supervisor.pid, "SIGUSR2");
    await supervisor.exited;
    await vi.waitFor(() => expect(runningOf([pid])).toEqual([]), { timeout: 20_000 });
    expect(temporary.content()).toEqual([]);
  });

  it("are gone when the program cannot be run, or one of them cannot be written", async () => {
    const supervisor = fork();
    await expect(supervisor.call.start({ ...command, argv: ["no-such-program"] })).rejects.toThrow("ENOENT");
    await supervisor.stop();
    const unwritable = fork();
    const files = { file: "a", "file/in-file": "b" };
    await expect(unwritable.call.start({ ...command, files })).rejects.toThrow(/EEXIST|ENOTDIR/);
    await unwritable.stop();
    expect(temporary.content()).toEqual([]);
  });
});

const SERVES = `require("node:http").createServer((_, response) => response.end("own")).listen(process.env.PORT)`;
/** Ends with an error as soon as somebody else listens at its port, as a program does that finds it in use. */
const FINDS_IT_TAKEN = `
  (function look() {
    const socket = require("node:net").connect(process.env.PORT, "127.0.0.1");
    socket.on("connect", () => process.exit(1)).on("error", () => setImmediate(look));
  })();
`;

describe("a program that is given a free port", () => {
  const others: net.Server[] = [];
  let running: ForegroundServer | undefined;
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    for (const other of others.splice(0)) other.close();
  });

  /** Listens in the turn in which it is called. */
  function takePort(port: number): void {
    others.push(net.createServer((socket) => socket.destroy()).listen(port));
  }

  function program(port: number, script: string, more: Partial<ForegroundProgram> = {}): ForegroundProgram {
    const url = new URL(`http://127.0.0.1:${port}`);
    return {
      title: "the program",
      command: { argv: [process.execPath, "-e", script], env: { PORT: String(port) }, cwd: "." },
      url,
      watched: { name: "program", role: "backend" },
      shortName: "program",
      readyTimeoutMs: 20_000,
      waitUntilReady: (signal) => waitUntilAnswers(url, signal),
      slowAdvice: "",
      explainRunError: (message) => message,
      ...more,
    };
  }

  const start = async (describeIt: (port: number) => ForegroundProgram): Promise<ForegroundServer> => {
    return (running = await startForegroundProgram(0, describeIt, new AbortController()));
  };

  it.each([
    [
      "before it is started",
      (port: number) => {
        takePort(port);
        return program(port, SERVES);
      },
    ],
    [
      "while it starts",
      (port: number) =>
        program(port, FINDS_IT_TAKEN, {
          waitUntilReady: () => {
            takePort(port);
            return new Promise(() => {});
          },
        }),
    ],
  ])("is given another one when that is taken %s", async (_, taken) => {
    const ports: number[] = [];
    const { url } = await start((port) => {
      ports.push(port);
      return ports.length === 1 ? taken(port) : program(port, SERVES);
    });
    expect(new Set(ports).size).toBe(2);
    expect(new URL(url).port).toBe(String(ports[1]));
    expect(await (await fetch(url)).text()).toBe("own");
  });
});
