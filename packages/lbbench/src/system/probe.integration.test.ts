import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { follow, type CliOutcome } from "@lbbench/test-support/run-program.js";
import { startProbeHub, type ProbeHub } from "./probe.js";

const PROGRAM = fileURLToPath(new URL("./test-support/program.mjs", import.meta.url));
const PATIENCE = { timeout: 60_000 };

async function startHub(inherited?: string): Promise<ProbeHub> {
  const hub = await startProbeHub(inherited);
  onTestFinished(hub.close);
  return hub;
}

interface Program {
  readonly pid: number;
  /** The pids of what it started. */
  readonly started: readonly number[];
  /** Writes to its input; resolves when it has answered. */
  readonly tell: (text: string) => Promise<void>;
  /** Has it end; resolves with how it did, and what it said of itself last. */
  readonly end: () => Promise<{ readonly code: number | null; readonly stderr: string; readonly said: unknown }>;
}

async function startProgram(env: Readonly<Record<string, string>>, task = "wait"): Promise<Program> {
  const child = spawn(process.execPath, [PROGRAM, task], { env: { ...process.env, ...env } });
  const gone = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await gone;
  });
  const { stdout, stderr, ended } = follow(child);
  const lines = (): readonly string[] => stdout().split("\n").slice(0, -1);
  await vi.waitFor(() => expect(lines().length).toBeGreaterThan(0), PATIENCE);
  return {
    pid: child.pid ?? -1,
    started: JSON.parse(lines()[0] ?? "[]"),
    tell: async (text) => {
      child.stdin.write(text);
      await vi.waitFor(() => expect(lines().length).toBeGreaterThan(1), PATIENCE);
    },
    end: async () => {
      child.stdin.end();
      const { code } = await ended;
      return { code, stderr: stderr(), said: JSON.parse(lines()[1] ?? "null") };
    },
  };
}

/** Waits until a process has been heard of, and answers. */
async function expectAnswer(hub: ProbeHub, pid: number): Promise<void> {
  await vi.waitFor(async () => expect([...(await hub.read([pid])).keys()]).toEqual([pid]), PATIENCE);
}

describe("a hub of probes", () => {
  it("hears from a Node process how long its event loop waited", async () => {
    const hub = await startHub();
    const { pid } = await startProgram(hub.env);
    await expectAnswer(hub, pid);
    const before = (await hub.read([pid])).get(pid);
    await vi.waitFor(async () => {
      const after = (await hub.read([pid, process.pid, -1])).get(pid);
      expect((after?.idleMs ?? 0) - (before?.idleMs ?? 0)).toBeGreaterThan(100);
      expect((after?.atMs ?? 0) - (before?.atMs ?? 0)).toBeGreaterThan(100);
    }, PATIENCE);
  });

  it("hears from the workers of a cluster, each by its own pid", async () => {
    const hub = await startHub();
    const { pid, started, end } = await startProgram(hub.env, "cluster");
    expect(started).toHaveLength(2);
    for (const one of [pid, ...started]) await expectAnswer(hub, one);
    await end();
    await vi.waitFor(async () => expect((await hub.read([pid, ...started])).size).toBe(0), PATIENCE);
  });

  it("is told of the program's own event loop, not of those of its threads", async () => {
    const hub = await startHub();
    const { pid } = await startProgram(hub.env, "worker thread");
    await expectAnswer(hub, pid);
  });

  it("gives up on a process that is blocked", async () => {
    const hub = await startHub();
    const { pid, tell } = await startProgram(hub.env, "block");
    await expectAnswer(hub, pid);
    await tell("block");
    expect((await hub.read([pid])).size).toBe(0);
  });

  it("is nothing that a program notices: not in its output, exit code, resources, listeners, globals or options", async () => {
    const hub = await startHub("--stack-trace-limit=7");
    const probed = await startProgram(hub.env);
    await expectAnswer(hub, probed.pid);
    const free = await startProgram({ NODE_OPTIONS: "--stack-trace-limit=7" });
    const outcome = await free.end();
    expect(outcome).toMatchObject({ code: 3, stderr: "ends\n", said: { stackTraceLimit: 7 } });
    expect(await probed.end()).toEqual(outcome);
  });

  it.each([
    ["prints and fails", ["-e", "console.log(1); console.error(2); process.exitCode = 4"]],
    ["throws", ["-e", "setTimeout(() => { throw new Error('no') })"]],
    ["ends what it does by itself", ["-e", "require('http').createServer().listen(0, function () { this.close(); })"]],
  ])("lets a program end that %s, as it does without a probe", async (_, args) => {
    const hub = await startHub();
    const without = await run(args, {});
    expect(await run(args, hub.env)).toEqual(without);
    await hub.close();
    expect(await run(args, hub.env)).toEqual(without);
  });

  it("does not listen to somebody who does not know the token", async () => {
    const hub = await startHub();
    const socket = connect(portOf(hub), "127.0.0.1");
    socket.on("error", () => {});
    socket.write(`nonsense ${process.pid}\n1 2\n`);
    await once(socket.resume(), "close");
    expect((await hub.read([process.pid])).size).toBe(0);
  });

  it("goes on when a process is gone whose connection was reset", async () => {
    const hub = await startHub();
    const [port, token] = (hub.env["LBBENCH_PROBE"] ?? "").split(" ");
    const gone = connect(Number(port), "127.0.0.1");
    gone.write(`${token} 4000000\n`);
    gone.resume();
    await vi.waitFor(() => {
      void hub.read([4_000_000]);
      expect(gone.bytesRead).toBeGreaterThan(0);
    }, PATIENCE);
    gone.resetAndDestroy();
    expect((await hub.read([4_000_000])).size).toBe(0);
    const { pid } = await startProgram(hub.env);
    await expectAnswer(hub, pid);
  });

  it("leaves no port open", async () => {
    const hub = await startProbeHub();
    await hub.close();
    const [error] = (await once(connect(portOf(hub), "127.0.0.1").on("connect", expect.unreachable), "error")) as [
      NodeJS.ErrnoException,
    ];
    expect(error.code).toBe("ECONNREFUSED");
  });
});

function portOf(hub: ProbeHub): number {
  return Number.parseInt(hub.env["LBBENCH_PROBE"] ?? "", 10);
}

function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<CliOutcome> {
  return follow(spawn(process.execPath, args, { env: { ...process.env, ...env } })).ended;
}
