import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Result, StepResult } from "../model/result.js";
import { aFailedStep, aLatency, aMeasurement, aResult, aStep } from "../test-support/fixtures.js";
import { cleanNames, cleanText } from "./clean-text.js";
import { csvReporter } from "./csv.js";
import { neutralizeFormula } from "./csv/neutralize-formula.js";
import { knownDigits, knownMs } from "./known-digits.js";
import { anOpenLoop, anyName, HOSTILE_NAMES, RESULT_SHAPES } from "./test-support/result-shapes.js";
import { aRampResult } from "./test-support/ramp-results.js";
import { aSweep } from "./test-support/sample-results.js";

type Row = Readonly<Record<string, string>>;

/** What a reader that keeps to RFC 4180 finds in the two files. */
async function read(result: Result): Promise<{ readonly steps: readonly Row[]; readonly seconds: readonly Row[] }> {
  const files = await csvReporter.render(result, { charts: "none" });
  expect(files.map(({ name }) => name)).toEqual(["steps.csv", "seconds.csv"]);
  const [steps = [], seconds = []] = files.map(({ content }): readonly Row[] =>
    parse(String(content), { columns: true, record_delimiter: "\r\n" }),
  );
  return { steps, seconds };
}

/** The text as it was before it was made harmless. */
function restore(text: string): string {
  return /^'+[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? text.slice(1) : text;
}

describe("steps.csv", () => {
  it("has a row for each step, with figures in the units that the columns name", async () => {
    const result = aSweep({ connections: [1, 50], trials: 2 });
    const { steps } = await read(result);
    expect(steps).toHaveLength(8);
    const [step] = result.steps;
    expect(steps[0]).toMatchObject({
      target: "single",
      load: "connections",
      level: "1",
      planned_requests: "1000",
      planned_duration_ms: "",
      trial: "1",
      engine: "autocannon",
      state: "completed",
      sent: "1000",
      ok: "1000",
      in_flight: "0",
      failed_share: "0",
      throughput_per_s: String(knownDigits(step?.measurement?.throughput ?? 0)),
      latency_p99_ms: String(knownMs(step?.measurement?.latency?.p99 ?? 0)),
      status_codes: '{"200":1000}',
      generator_memory_bytes: "80000000",
      balancer_cpu_cores: "",
      bottleneck: "backend",
    });
  });

  it("leaves empty what is not told, and does not make a zero of it", async () => {
    const { steps } = await read(RESULT_SHAPES.get("a driven program") as Result);
    expect(steps[0]).toMatchObject({
      ok: "90",
      unclassified: "10",
      timed_out: "",
      in_flight: "",
      received_bytes: "",
      latency_p50_ms: "",
      connections_established: "",
      status_codes: "",
      connect_mean_ms: "",
      program: "wrk 4.1",
    });
  });

  it("has phases and the schedule of an open loop", async () => {
    const { steps } = await read(anOpenLoop());
    expect(steps[1]).toMatchObject({
      load: "rate",
      level: "1000",
      connect_mean_ms: "0.25",
      waiting_max_ms: "7.5",
      scheduled_requests: "3000",
      unsent_requests: "40",
      lateness_p99_ms: "2.5",
      timed_out: "3",
    });
  });

  it("says of a step that failed why, and nothing else", async () => {
    const message = "=cmd|' /C calc'!A0";
    const { steps } = await read(aResult({ steps: [aFailedStep({ error: { code: "START_FAILED", message } })] }));
    expect(steps[0]).toMatchObject({ state: "failed", error_code: "START_FAILED", error_message: `'${message}` });
    const filled = Object.entries(steps[0] ?? {}).filter(([, value]) => value !== "");
    expect(filled.map(([name]) => name)).toEqual([
      "target",
      "load",
      "level",
      "planned_duration_ms",
      "trial",
      "engine",
      "state",
      "error_code",
      "error_message",
    ]);
  });

  it("has of each figure the digits that are known, and asks for what was asked", async () => {
    const noise = 0.36683797100000015;
    const measurement = aMeasurement({
      elapsedMs: 3000.0004999,
      throughput: 1_234_567.891,
      requests: { ok: 123_456_789, non2xx: 41 },
      latency: aLatency({ p50: noise }),
      mix: [{ name: "a", sent: 1, ok: 1, failed: 0, latency: aLatency({ mean: noise }) }],
      timeline: [{ second: 0, sent: 1, ok: 1, failed: 0, p50: noise, p99: 23.49523099999968 }],
    });
    const level = { rate: 1234.56789, durationMs: 3000 };
    const { steps, seconds } = await read(aResult({ steps: [aStep({ level, measurement })] }));
    expect(steps[0]).toMatchObject({
      level: "1234.56789",
      elapsed_ms: "3000",
      throughput_per_s: "1234568",
      ok: "123456789",
      failed_share: "3.321e-7",
      latency_p50_ms: "0.367",
    });
    expect(steps[0]?.["mix"]).toContain('"mean":0.367,');
    expect(seconds[0]).toMatchObject({ latency_p50_ms: "0.367", latency_p99_ms: "23.495" });
  });

  it("keeps negative numbers numbers", async () => {
    const measurement = aMeasurement({ latency: aLatency({ min: -0.25 }) });
    const { steps } = await read(aResult({ steps: [aStep({ measurement })] }));
    expect(steps[0]?.["latency_min_ms"]).toBe("-0.25");
  });
});

describe("seconds.csv", () => {
  it("has a row for each second of each step, with users and the ways to fail", async () => {
    const result = aRampResult({ durationMs: 10_000, users: 10 });
    const { seconds } = await read(result);
    const expected = result.steps.flatMap(({ target, measurement }) =>
      (measurement?.timeline ?? []).map(({ second, ok, users, p50 }) => [target, second, ok, users, p50].map(String)),
    );
    expect(expected.length).toBeGreaterThan(20);
    expect(
      seconds.map((row) => ["target", "second", "ok", "users", "latency_p50_ms"].map((name) => row[name])),
    ).toEqual(expected);
  });

  it("tells no failures of a kind from failures of which the kind is not told", async () => {
    const second = { second: 0, sent: 9, ok: 4, failed: 5, p50: null, p99: null };
    const timeline = [second, { ...second, failures: { resets: 5 } }, { ...second, ok: 9, failed: 0 }];
    const { seconds } = await read(aResult({ steps: [aStep({ measurement: aMeasurement({ timeline }) })] }));
    expect(seconds.map(({ resets, timed_out: timedOut }) => [resets, timedOut])).toEqual([
      ["", ""],
      ["5", "0"],
      ["0", "0"],
    ]);
  });
});

describe("names from outside", () => {
  it.each(HOSTILE_NAMES)("are read as they were, and are no formula: %j", async (name) => {
    const { steps } = await read(aSweep({ targets: [name], connections: [1] }));
    const cell = steps[0]?.["target"] ?? "";
    expect(cell).not.toMatch(/^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/);
    expect(restore(cell)).toBe(cleanText(name));
  });

  it("are as they were where a terminal or an editor prints them", () => {
    const cleaned = HOSTILE_NAMES.filter((name) => cleanText(name) !== name);
    expect(cleaned).toEqual(HOSTILE_NAMES.filter((name) => /[\p{Cc}\u2028\u202e]/u.test(name)));
    expect(cleaned.length).toBeLessThan(HOSTILE_NAMES.length / 2);
  });

  it("bring no control characters, and are told apart without them", async () => {
    const targets = ["a\u0000b", "a b", "a\r\nb", "\u0007"];
    const message = "one\ntwo\u001b[31m\u0000three";
    const change = (step: StepResult): StepResult => ({ ...step, error: { code: "X", message } });
    const files = await csvReporter.render(aSweep({ targets, connections: [1], change }), { charts: "none" });
    for (const { content } of files) expect(String(content).replaceAll("\r\n", "")).not.toMatch(/\p{Cc}/u);
    const { steps } = await read(aSweep({ targets, connections: [1], change }));
    expect(steps.map(({ target }) => target)).toEqual(["a b (2)", "a b", "a b (3)", "\uFFFD"]);
    expect(steps[0]?.["error_message"]).toBe("one two [31m three");
  });

  it("are told apart when they have been made harmless", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(restore(neutralizeFormula(name))).toBe(name);
      }),
    );
  });

  it("break no row, whatever they are", async () => {
    await fc.assert(
      fc.asyncProperty(anyName, anyName, async (first, second) => {
        fc.pre(first !== second);
        const { steps } = await read(aSweep({ targets: [first, second], connections: [1] }));
        const names = cleanNames([first, second]);
        expect(steps.map(({ target = "" }) => restore(target))).toEqual([first, second].map((name) => names.get(name)));
        expect(new Set(names.values()).size).toBe(2);
        expect(steps.map(({ level }) => level)).toEqual(["1", "1"]);
      }),
      { numRuns: 50 },
    );
  });
});

it.each([...RESULT_SHAPES])("every row has as many cells as there are columns: %s", async (_, result) => {
  const files = await csvReporter.render(result, { charts: "none" });
  for (const { content } of files) {
    expect(String(content)).toMatch(/\r\n$/);
    expect(String(content)).not.toMatch(/undefined|NaN|Infinity|\[object/);
  }
  // The parser refuses rows of another length.
  expect((await read(result)).steps).toHaveLength(result.steps.length);
});
