import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ProcessUsage, WatchedProcess } from "../model/usage.js";
import { processTree, readProcStat } from "./proc.js";
import { startUsageSampler } from "./usage.js";

const BURN_MS = 300;
const ON_LINUX = process.platform === "linux";

/** A program that uses processor time when it is told to, and says how much. */
interface Burner {
  readonly pid: number;
  /** Burns so many milliseconds. */
  readonly burn: (ms: number) => Promise<number>;
  readonly kill: () => Promise<void>;
}

/** Starts a burner that ends with the test, and has it burn a little, so that it has all it needs. */
async function startBurner(mode?: "child"): Promise<Burner> {
  const url = new URL("./test-support/burner.mjs", import.meta.url);
  const child = fork(url, mode === undefined ? [] : [mode]);
  const gone = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await gone;
  });
  const burn: Burner["burn"] = async (ms) => {
    child.send(ms);
    return ((await once(child, "message")) as [number])[0];
  };
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  await burn(1);
  return { pid: child.pid ?? -1, burn, kill };
}

const watch = (pid: number, tree = false): WatchedProcess => ({ pid, role: "backend", name: "burner", tree });

/** What a process used while something was done, processor time in ms. */
async function used(watched: WatchedProcess, act: () => Promise<unknown>): Promise<ProcessUsage & { usedMs: number }> {
  const { end } = await startUsageSampler([watched]);
  await act();
  const { processes, windowMs } = await end();
  const only = onlyOf(processes);
  return { ...only, usedMs: only.cpu * windowMs };
}

function onlyOf(processes: readonly ProcessUsage[]): ProcessUsage {
  const [only, ...more] = processes;
  if (only === undefined || more.length > 0) throw new Error(`Expected one process, got ${processes.length}`);
  return only;
}

/** Processor time is counted in ticks of 10 ms, and what is asked of a process costs it some. */
function expectAbout(usedMs: number, toldMs: number): void {
  expect(usedMs).toBeGreaterThan(toldMs - 50);
  expect(usedMs).toBeLessThan(toldMs + BURN_MS / 2);
}

describe("the usage in a window", () => {
  it("is what a process says it used, without what it used before", async () => {
    const burner = await startBurner();
    await burner.burn(BURN_MS);
    let toldMs = 0;
    const { usedMs, rssBytes } = await used(watch(burner.pid), async () => {
      toldMs = await burner.burn(BURN_MS);
    });
    expectAbout(usedMs, toldMs);
    expect(rssBytes).toBeGreaterThan(10_000_000);
    expectAbout((await used(watch(burner.pid), async () => {})).usedMs, 0);
  });

  it.runIf(ON_LINUX)("tells the descendants of a tree apart, where they were asked for", async () => {
    const burner = await startBurner("child");
    let toldMs = 0;
    const burn = async (): Promise<void> => {
      toldMs = await burner.burn(BURN_MS);
    };
    expectAbout((await used(watch(burner.pid), burn)).usedMs, 0);
    const { usedMs, descendants = [], ...tree } = await used(watch(burner.pid, true), burn);
    expectAbout(usedMs, toldMs);
    expect(descendants.map(({ pid }) => pid)).toEqual([expect.any(Number)]);
    expect(descendants[0]?.pid).not.toBe(burner.pid);
    expect(descendants[0]?.rssBytes).toBeLessThan(tree.rssBytes);
    expect(tree.busiestThread).toBeGreaterThan(0.5 * (descendants[0]?.cpu ?? 1));
  });

  it("has what was last seen of a process that dies in it, and nothing of one that is not there", async () => {
    const burner = await startBurner();
    expect((await used(watch(burner.pid), burner.kill)).rssBytes).toBeGreaterThan(10_000_000);
    for (const gone of [watch(burner.pid), watch(burner.pid, true), watch(-1), watch(-1, true)]) {
      expect(await used(gone, async () => {})).toMatchObject({ cpu: 0, rssBytes: 0 });
    }
  });

  it.runIf(ON_LINUX).each([undefined, "child"] as const)(
    "is that of all that has run by a name, one after the other, when one takes the place of another (%s)",
    async (mode) => {
      const first = await startBurner(mode);
      const burners = [first];
      const now = (): readonly WatchedProcess[] => burners.map(({ pid }) => watch(pid, mode !== undefined));
      const { look, end } = await startUsageSampler(now(), { processesNow: () => now().slice(-1) });
      let [toldMs, startMs] = [await first.burn(BURN_MS), 0];
      for (let lives = 2; lives <= 3; lives += 1) {
        look();
        await burners.at(-1)?.kill();
        const burner = await startBurner(mode);
        burners.push(burner);
        // Of the lives that were begun in the window, the start is theirs too.
        for (const one of processTree(burner.pid)) startMs += readProcStat(one)?.cpuMs ?? 0;
        look();
        toldMs += await burner.burn(BURN_MS);
      }
      const { processes, windowMs } = await end();
      const { pid, cpu, rssBytes, busiestThread } = onlyOf(processes);
      expect(pid).toBe(burners[2]?.pid);
      expectAbout(cpu * windowMs, toldMs + startMs);
      expect(rssBytes).toBeLessThan(2.5 * (await used(watch(burners[2]?.pid ?? -1, true), async () => {})).rssBytes);
      expect(busiestThread).toBeGreaterThan(0.5 * (toldMs / windowMs));
    },
  );

  it.runIf(ON_LINUX)("leaves no descriptor open", async () => {
    const open = async (): Promise<number> => {
      await used(watch(process.pid), async () => {});
      return readdirSync("/proc/self/fd").length;
    };
    const first = await open();
    for (let count = 0; count < 30; count += 1) await open();
    expect(await open()).toBeLessThan(first + 15);
  });
});
