import { readdirSync, readFileSync, statSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { useOwnTemporaryFolder } from "../servers/test-support/own-temporary-folder.js";
import { runningOf } from "../testing/contract.js";
import type { GeneratorProcess } from "../plugin.js";
import { builtEntry, forkChild } from "./fork.js";
import { processTree, readProcStat } from "./proc.js";
import { runProgram, startForegroundProgram } from "./supervise.js";
import type { Supervisor } from "./supervisor-process.js";
import { aProgram, SERVES } from "./test-support/foreground-program.js";

const temporary = useOwnTemporaryFolder();
const SLEEPS = "setInterval(() => {}, 60_000)";
const { signal } = new AbortController();

describe("the files of a command", () => {
  const sleeper = [process.execPath, "-e", SLEEPS, "{folder}"] as const;
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
    await vi.waitFor(() => expect(runningOf([pid])).toEqual([]), { timeout: 60_000 });
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

it("a temporary folder that is not there is told, for servers and for generators, not a program that is missing", async () => {
  vi.stubEnv("TMPDIR", "/nonexistent");
  onTestFinished(() => void vi.unstubAllEnvs());
  const told =
    /^Expected a folder for temporary files that can be written to, got \/nonexistent: ENOENT.*\. Set TMPDIR to a folder that exists/;
  const explainRunError = (message: string) => `The program was not found: ${message}`;
  const serving = startForegroundProgram(0, (port) => aProgram(port, SERVES, { explainRunError }), { signal });
  await expect(serving).rejects.toThrow(told);
  const command = { argv: [process.execPath] as const, files: {}, reads: [] };
  await expect(runProgram({ name: "program", command, cores: 1 }, { signal })).rejects.toThrow(told);
});

describe.runIf(process.platform === "linux")("a program whose supervisor alone was killed", () => {
  const killSupervisorOf = (pid: number): void => {
    const parent = readProcStat(pid)?.parent;
    if (parent === undefined || !processTree(process.pid).includes(parent)) throw new Error(`${pid} has no supervisor`);
    process.kill(parent, "SIGKILL");
  };

  it("is ended, and its folder removed, where it serves", async () => {
    const files = { cwd: "{folder}", files: { a: "b" } };
    const started = await startForegroundProgram(0, (port) => aProgram(port, SERVES, files), { signal });
    const { process: watched, died, stop } = started;
    killSupervisorOf(watched.pid);
    expect(await died).toBe("supervisor of program ended with signal SIGKILL");
    await stop();
    expect(runningOf([watched.pid])).toEqual([]);
    expect(temporary.content()).toEqual([]);
  });

  it("is ended, and its folder removed, where it is run once", async () => {
    const argv = [process.execPath, "-e", SLEEPS] as const;
    const pids: number[] = [];
    const onStart = async (programs: readonly GeneratorProcess[]) => void pids.push(...programs.map(({ pid }) => pid));
    const onProgress = vi.fn<() => void>().mockImplementationOnce(() => killSupervisorOf(pids[0] ?? 0));
    const task = { name: "program", command: { argv, files: {}, reads: [] }, cores: 1 };
    await expect(runProgram(task, { signal, onStart, onProgress })).rejects.toThrow("supervisor of program");
    expect(runningOf(pids)).toEqual([]);
    expect(temporary.content()).toEqual([]);
  });
});

it("a program is given another free port when somebody takes its own, before it is started or while it starts", async () => {
  const take = (port: number): void => {
    const other = net.createServer((socket) => socket.destroy()).listen(port);
    onTestFinished(() => void other.close());
  };
  const ports: number[] = [];
  const describeIt = (port: number) => {
    const isLast = ports.push(port) === 3;
    if (ports.length === 1) take(port);
    if (isLast) return aProgram(port, SERVES);
    const waitUntilReady = async (): Promise<never> => {
      take(port);
      throw new Error("it is in use");
    };
    return aProgram(port, SLEEPS, { waitUntilReady });
  };
  const { url, stop } = await startForegroundProgram(0, describeIt, { signal });
  onTestFinished(stop);
  expect(new Set(ports).size).toBe(3);
  expect(new URL(url).port).toBe(String(ports[2]));
});
