import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import { sweep } from "../api/sweep.js";
import { processTree } from "../system/proc.js";
import { createFakeEngine } from "../testing/fake-engine.js";

/** Folders and files of /proc that were read. */
const read = vi.hoisted((): string[] => []);

vi.mock(import("node:fs"), async (original) => {
  const fs = await original();
  const follow = <Call extends (path: never, ...rest: never[]) => unknown>(call: Call) =>
    ((path, ...rest) => {
      read.push(String(path));
      return call(path, ...rest);
    }) as Call;
  return {
    ...fs,
    existsSync: vi.fn<typeof fs.existsSync>(fs.existsSync),
    openSync: follow(fs.openSync),
    readdirSync: follow(fs.readdirSync),
  };
});

const CLUSTER = fileURLToPath(new URL("../system/test-support/cluster-of-two.mjs", import.meta.url));
const STEPS = 10;

/** Starts a program of three processes. */
async function startCluster(): Promise<{ readonly pid: number; readonly port: number }> {
  const program = fork(CLUSTER);
  onTestFinished(() => program.disconnect());
  const [port] = (await once(program, "message")) as [number];
  return { pid: program.pid ?? -1, port };
}

it.runIf(process.platform === "linux")(
  "looks through all processes of the machine once for a target that was found, and afterwards at its own",
  async () => {
    const { port } = await startCluster();
    const connections = Array.from({ length: STEPS }, (_, index) => index + 1);
    const input = { targets: [`http://127.0.0.1:${port}/`], connections, requests: 10, warmup: "0", engine: "fake" };
    const { result } = await sweep(input, { plugins: { engines: [createFakeEngine()] } });
    expect(result.steps.map(({ usage }) => usage?.backends?.[0]?.descendants?.length)).toEqual(
      connections.map(() => 2),
    );
    const { length } = result.steps;
    expect([length, read.filter((path) => path === "/proc").length]).toEqual([STEPS, 1]);
    const stats = read.filter((path) => /^\/proc\/\d+\/stat$/.test(path));
    expect(stats.length).toBeLessThan(15 * STEPS);
  },
);

it.runIf(process.platform === "linux")(
  "finds what a process has started also where the kernel has no lists of it",
  async () => {
    const { pid } = await startCluster();
    const tree = processTree(pid);
    expect(tree).toHaveLength(3);
    expect(processTree(process.pid)).toEqual(expect.arrayContaining([...tree]));
    vi.mocked(existsSync).mockReturnValueOnce(false);
    expect(new Set(processTree(pid))).toEqual(new Set(tree));
  },
);
