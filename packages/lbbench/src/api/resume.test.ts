import { readFileSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import type { SweepInput } from "../config/sweep-input.js";
import type { Environment, Result } from "../model/result.js";
import type { SweepEvent } from "../run/sweep-event.js";
import { readResult } from "../store/read-result.js";
import { createFakeEngine, type FakeEngineOptions } from "../testing/fake-engine.js";
import { createFakeServer } from "../testing/fake-server.js";
import { resume, type ResumeOptions } from "./resume.js";
import { sweep, type SweepOutcome } from "./sweep.js";

const INPUT: SweepInput = {
  targets: [
    { name: "one", server: "fake", options: { a: 1 } },
    { name: "two", server: "fake", options: { b: [{ c: null }] } },
    { name: "three", server: "fake", engine: { name: "other" } },
  ],
  engine: "fake",
  connections: [1, 10],
  duration: "3s",
  warmup: "0",
  trials: 2,
  formats: ["md"],
  thresholds: ["p99<1s"],
  stopOn: ["thresholds"],
  order: "random",
};

let out: string;
beforeEach(() => {
  out = temporaryFolder();
});

function plugins(see?: FakeEngineOptions["see"]): NonNullable<ResumeOptions["plugins"]> {
  const behaviour = see === undefined ? {} : { see };
  return {
    servers: [createFakeServer()],
    engines: [createFakeEngine(behaviour), createFakeEngine({ ...behaviour, name: "other" })],
  };
}

/** Runs the sweep until its `steps`-th step is under way. */
async function interrupted(steps: number, input: SweepInput = INPUT): Promise<SweepOutcome> {
  const controller = new AbortController();
  return sweep(
    { ...input, out },
    {
      plugins: plugins(),
      signal: controller.signal,
      command: "npx lbbench sweep",
      onEvent: (event) => {
        if (event.type === "step" && event.index === steps - 1) controller.abort();
      },
    },
  );
}

function rewrite(change: (result: Record<string, unknown>) => unknown): void {
  const path = join(out, "result.json");
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")))));
}

function keysOf({ steps }: Result): readonly string[] {
  return steps.map(({ target, level, trial }) => `${trial} ${level.connections} ${target}`);
}

const again = (options: ResumeOptions = {}) => resume(out, { plugins: plugins(), formats: ["md"], ...options });

describe("resume", () => {
  it("refuses a result beside that of another run, which it would write over", async () => {
    await interrupted(2);
    const copy = join(out, "before.json");
    writeFileSync(copy, readFileSync(join(out, "result.json")));
    await expect(resume(copy, { plugins: plugins() })).rejects.toThrow(
      `${copy}: expected a result with a folder of its own, got one beside the result.json of another run`,
    );
  });

  it("measures what is missing, once each, however often it is interrupted, and keeps the rest and when and how it was begun", async () => {
    const { result: begun } = await interrupted(6);
    expect(begun).toMatchObject({ complete: false });
    const controller = new AbortController();
    const onEvent = (event: SweepEvent): void => {
      if (event.type === "step-done" && event.index === 7) controller.abort();
    };
    const { result: second } = await again({ signal: controller.signal, onEvent });
    expect(second).toMatchObject({ complete: false, steps: { length: 8 }, resumedAt: [expect.any(String)] });
    const events: SweepEvent[] = [];
    const outcome = await again({ onEvent: (event) => void events.push(event) });
    const { result } = outcome;
    const { result: whole } = await sweep(INPUT, { plugins: plugins() });
    expect(keysOf(result)).toEqual(keysOf(whole));
    expect(result.steps.map(({ state }) => state)).toEqual(Array.from({ length: 12 }, () => "completed"));
    expect(result.steps.slice(0, 5)).toEqual(begun.steps.slice(0, 5));
    expect(result).toMatchObject({ complete: true, startedAt: begun.startedAt, command: "npx lbbench sweep" });
    expect(result.environment).toEqual(begun.environment);
    expect(result.resumedAt).toEqual([...(second.resumedAt ?? []), expect.any(String)]);
    expect((await readResult(out)).result).toEqual(result);
    expect(outcome.folder).toBe(out);
    expect((await readdir(out)).toSorted()).toEqual(["report.md", "result.json"]);
    expect(events[0]).toMatchObject({ type: "start", total: 12 });
    expect(events.find(({ type }) => type === "step")).toMatchObject({ index: 8 });
  });

  it("makes as many trials as without the hours for which it was interrupted", async () => {
    const input = {
      ...INPUT,
      targets: ["one", "two"].map((name) => ({ name, server: "fake" })),
      trials: "auto",
    } as const;
    const noisy = plugins((_, run) => ({ capacity: 500 + 100 * ((run * run) % 7) }));
    await interrupted(4, { ...input, connections: [10], thresholds: [], stopOn: [] });
    rewrite((result) => {
      const steps = (result as unknown as Result).steps.slice(0, 3);
      const beganMs = Date.parse(steps[0]?.measurement?.startedAt ?? "");
      const before = (hours: number): string => new Date(beganMs - hours * 3_600_000).toISOString();
      const early = steps.map((step) => ({ ...step, measurement: { ...step.measurement, startedAt: before(2) } }));
      return { ...result, steps: early, resumedAt: [before(1)] };
    });
    const { result } = await again({ plugins: noisy });
    expect(Math.max(...result.steps.map(({ trial }) => trial))).toBe(20);
  });

  it("measures a step again that failed, and one that was cut short", async () => {
    const failing = plugins(({ level }) => {
      if (level.connections === 10) throw new Error("no load today");
      return {};
    });
    const { result: begun } = await sweep({ ...INPUT, out }, { plugins: failing });
    expect(begun.steps.filter(({ state }) => state === "failed")).toHaveLength(6);
    const { result } = await again();
    expect(keysOf(result).toSorted()).toEqual(keysOf(begun).toSorted());
    expect(result).toMatchObject({ complete: true, verdict: { status: "pass" } });
  });

  it("starts nothing when nothing is missing, and writes the report", async () => {
    const { result: whole } = await sweep({ ...INPUT, out, formats: ["json"] }, { plugins: plugins() });
    const server = createFakeServer();
    const { result } = await resume(join(out, "result.json"), {
      plugins: { ...plugins(), servers: [server] },
      formats: ["md"],
    });
    expect(result).toEqual(whole);
    expect(server.starts()).toBe(0);
    expect(await readdir(out)).toContain("report.md");
  });

  it.each([
    ["environment.cores", (result: Result) => ({ ...result, environment: { ...result.environment, cores: 77 } }), "77"],
    ["tool.version", (result: Result) => ({ ...result, tool: { ...result.tool, version: "0.0.9" } }), '"0.0.9"'],
  ])("refuses a result whose %s is another", async (place, change, got) => {
    await interrupted(3);
    rewrite((result) => change(result as unknown as Result));
    const message = expect.stringMatching(`result.json: ${place}: expected that of this machine.* got ${got}\\.`);
    await expect(again()).rejects.toMatchObject({ code: "BAD_CONFIG", message });
  });

  it("pays no heed to how busy the machine was, nor to what an older file does not have", async () => {
    await interrupted(3);
    rewrite(({ environment, ...rest }) => {
      const { network: _, ...known } = environment as Environment;
      return { ...rest, environment: { ...known, loadAverage: 99 } };
    });
    expect((await again()).result.environment?.loadAverage).toBe(99);
  });

  it("refuses a scenario that would be another one now, and a target whose server is not known any more", async () => {
    await interrupted(3);
    const server = { ...createFakeServer(), options: z.looseObject({ size: z.number().default(5) }) };
    await expect(again({ plugins: { ...plugins(), servers: [server] } })).rejects.toThrow(
      "scenario.targets[0].options.size: expected what this lbbench makes of it, 5, got nothing.",
    );
    const without = again({ plugins: { engines: plugins().engines ?? [] } });
    await expect(without).rejects.toThrow(/^targets\[0\]\.server: expected .*got "fake"/);
  });
});
