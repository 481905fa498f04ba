import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { aSweep, failed } from "../report/test-support/sample-results.js";
import type { Pressure } from "../model/pressure.js";
import { aMeasurement, aResult, aStep, aWorker } from "../test-support/fixtures.js";
import type { Measurement } from "../model/measurement.js";
import type { Result, StepResult } from "../model/result.js";
import { readResult, readResultSync } from "./read-result.js";

/** The path of a file with this content. */
function stored(content: unknown): string {
  const path = join(temporaryFolder(), "result.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

function withMeasurement(result: Result, change: Partial<Measurement>): Result {
  const steps = result.steps.map((step) => ({ ...step, measurement: { ...aMeasurement(), ...change } }));
  return { ...result, steps };
}

describe("readResult", () => {
  it("reads what was written, from the file or from its folder", async () => {
    const result = aSweep({ change: (step) => (step.level.connections === 50 ? failed(step) : step) });
    const path = stored(result);
    await expect(readResult(path)).resolves.toEqual({ path, result });
    await expect(readResult(join(path, ".."))).resolves.toEqual({ path, result });
  });

  it("keeps what a step took of ports and descriptors, and what each worker did, and refuses what is damaged of that", async () => {
    const pressure: Pressure = {
      ports: 28_232,
      portsNeeded: null,
      timeWait: { before: 1, most: 2 },
      socketsMost: 3,
      portsTaken: [{ process: "balancer", destination: "127.0.0.1:8080", taken: 4 }],
      descriptors: [{ name: "generator-1", role: "generator", most: 5, limit: null }],
    };
    const result = aResult({ steps: [aStep({ pressure, workers: [aWorker()] }), aStep()] });
    expect((await readResult(stored(result))).result).toEqual(result);
    const damaged = (step: object) => readResult(stored({ ...result, steps: [{ ...aStep(), ...step }] }));
    await expect(damaged({ pressure: { ...pressure, timeWait: 5 } })).rejects.toThrow("pressure.timeWait: expected");
    await expect(damaged({ workers: [{ ...aWorker(), sent: "7" }] })).rejects.toThrow("workers[0].sent: expected");
  });

  const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  const measuring = (change: Partial<Measurement>) => (whole: Result) => withMeasurement(whole, change);
  const withStep = (step: Partial<StepResult>) => (whole: Result) => ({ ...whole, steps: [aStep(step)] });
  const [EARLY, HALF] = [aWorker({ startSkewMs: -1 }), { requests: 1, errors: -0.5 }];
  it.each<[string, (whole: Result) => unknown]>([
    ["command: expected at most 1000000 characters, got 2000000", (whole) => ({ ...whole, command: "x".repeat(2e6) })],
    ["steps: expected at most 100000, got 100001", (whole) => ({ ...whole, steps: Array(100_001).fill(0) })],
    ["deep.a.a: expected at most 100 levels", (whole) => ({ ...whole, deep: JSON.parse(nested(1000)) as unknown })],
    ["steps[0].measurement.histogram: expected a latency histogram (", measuring({ histogram: "hello" })],
    ["measurement.elapsedMs: expected at most 8640000000, got 1e+21", measuring({ elapsedMs: 1e21 })],
    ["level.users: expected at most 1000000, got 5000000000", withStep({ level: { users: 5e9 } })],
    [
      "steps: expected at most 8640000000 ms in all, got 16000000000",
      (whole) => withMeasurement({ ...whole, steps: [aStep(), aStep()] }, { elapsedMs: 8e9 }),
    ],
    ["workers[0].startSkewMs: expected a number of at least 0, got -1", withStep({ workers: [EARLY] })],
    ["measurement.backends.a.errors: expected a number of at least 0, got -0.5", measuring({ backends: { a: HALF } })],
  ])("refuses what is more than a run makes, or less than nothing, with the place: %s", async (message, damage) => {
    await expect(readResult(stored(damage(aResult({ steps: [aStep()] }))))).rejects.toThrow(message);
  });

  it("refuses a file that is too large before it reads it", async () => {
    const path = stored("");
    truncateSync(path, 300 * 1024 ** 2);
    await expect(readResult(path)).rejects.toThrow("it has 314572800 bytes, and at most 268435456 are read");
    expect(() => readResultSync(path)).toThrow("it has 314572800 bytes");
  });

  it("keeps fields that it does not know, which a later release may have written", async () => {
    const result = { ...aSweep(), later: { more: true } };
    expect((await readResult(stored(result))).result).toEqual(result);
  });

  it("says that a file is not there", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "empty"));
    await expect(readResult(join(folder, "none"))).rejects.toThrow(
      `Expected a result.json, or the folder of a report, but ${join(folder, "none")} cannot be read: no such file or directory (ENOENT)`,
    );
    await expect(readResult(join(folder, "empty"))).rejects.toThrow(join(folder, "empty", "result.json"));
  });

  it.each<[string, (folder: string) => string]>([
    ["below a file", () => join(stored("{}"), "x")],
    ["of a name that is too long", (folder) => join(folder, "a".repeat(300))],
    [
      "of a link that leads to itself",
      (folder) => {
        symlinkSync("loop", join(folder, "loop"));
        return join(folder, "loop");
      },
    ],
  ])("says that a file cannot be read %s", async (_, pathIn) => {
    const path = pathIn(temporaryFolder());
    await expect(readResult(path)).rejects.toMatchObject({
      code: "OUTPUT_FAILED",
      message: expect.stringContaining(
        `Expected a result.json, or the folder of a report, but ${path} cannot be read: `,
      ),
    });
  });

  const NONE =
    /^Expected a result\.json of version 1, but .* says nothing of the sort\. Is it a file that lbbench sweep has/;
  it.each<[unknown, RegExp]>([
    ...["", "{", '{"version": 1, "tool"'].map((text): [unknown, RegExp] => [
      text,
      /^Expected a result\.json, but .* is not JSON: .*copy it again, or start the run anew\.$/,
    ]),
    ...[{}, [], null, 5, { version: "1" }, { version: 0 }].map((content): [unknown, RegExp] => [content, NONE]),
    [
      { version: 2, all: "different" },
      /is of version 2, and this lbbench reads version 1\. A newer lbbench is needed\.$/,
    ],
  ])("refuses %j", async (content, message) => {
    await expect(readResult(stored(content))).rejects.toThrow(message);
    await expect(readResult(stored(content))).rejects.toMatchObject({ code: "OUTPUT_FAILED" });
  });

  it("names the fields of a damaged result, what was expected and what came", async () => {
    const { environment: _, ...result } = aSweep();
    const [first, ...others] = result.steps;
    const damaged = { ...result, complete: "yes", steps: [{ ...first, state: "complete", trial: null }, ...others] };
    const path = stored(damaged);
    await expect(readResult(path)).rejects.toMatchObject({ code: "BAD_CONFIG" });
    await expect(readResult(path)).rejects.toThrow(
      [
        `${path}: complete: expected true or false, got "yes"`,
        `${path}: environment: expected an object, got nothing`,
        `${path}: steps[0].trial: expected a number, got null`,
        `${path}: steps[0].state: expected "completed", "failed" or "aborted", got "complete". Did you mean "completed"?`,
      ].join("\n"),
    );
  });
});
