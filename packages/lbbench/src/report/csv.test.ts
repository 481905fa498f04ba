import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import type { Result } from "../model/result.js";
import { aFailedStep, aLatency, aMeasurement, aResult, aStep } from "../test-support/fixtures.js";
import { cleanNames } from "./plain-line.js";
import { renderCsv } from "./csv.js";
import { knownDigits, knownMs } from "./figures.js";
import { aFaultyResult } from "./test-support/fault-results.js";
import { anOpenLoop, RESULT_SHAPES } from "./test-support/result-shapes.js";
import { aSweep } from "./test-support/sample-results.js";

type Row = Readonly<Record<string, string>>;

/** What a reader that keeps to RFC 4180, and refuses rows of another length, finds in the files. */
async function read(result: Result): Promise<Readonly<Record<"steps" | "seconds" | "faults", readonly Row[]>>> {
  const files = await renderCsv(result);
  const names = ["steps.csv", "seconds.csv", ...(result.scenario.faults === undefined ? [] : ["faults.csv"])];
  expect(files.map(({ name }) => name)).toEqual(names);
  const [steps = [], seconds = [], faults = []] = files.map(({ content }): readonly Row[] => {
    expect(content).toMatch(/\r\n$/);
    expect(content).not.toMatch(/undefined|NaN|Infinity|\[object/);
    return parse(String(content), { columns: true, record_delimiter: "\r\n" });
  });
  for (const { target = "" } of [...steps, ...seconds])
    expect(target).not.toMatch(/^[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|\p{Cc}/u);
  return { steps, seconds, faults };
}

/** The text as it was before it was made harmless. */
function restore(text: string): string {
  return /^'+[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? text.slice(1) : text;
}

it.each([...RESULT_SHAPES])("another reader finds a row for each step and each second of %s", async (_, result) => {
  const { steps, seconds } = await read(result);
  const names = cleanNames(result.scenario.targets.map(({ name }) => name));
  const of = (rows: readonly Row[], ...columns: readonly string[]): readonly (readonly unknown[])[] =>
    rows.map((row) => columns.map((name) => restore(row[name] ?? "")));
  const text = (value?: string | number | null): string => String(value ?? "");
  expect(of(steps, "target", "trial", "state", "ok", "timed_out", "in_flight")).toEqual(
    result.steps.map(({ target, trial, state, measurement }) => {
      const { ok, timedOut, inFlight } = measurement?.requests ?? {};
      return [names.get(target), ...[trial, state, ok, timedOut, inFlight].map(text)];
    }),
  );
  expect(of(seconds, "target", "second", "ok", "users")).toEqual(
    result.steps.flatMap(({ target, measurement }) =>
      (measurement?.timeline ?? []).map((one) => [names.get(target), ...[one.second, one.ok, one.users].map(text)]),
    ),
  );
});

describe("steps.csv", () => {
  it("has figures in the units that the columns name", async () => {
    const result = aSweep({ connections: [1, 50], trials: 2 });
    const { throughput = 0, latency } = result.steps[0]?.measurement ?? {};
    expect((await read(result)).steps[0]).toMatchObject({
      target: "single",
      load: "connections",
      level: "1",
      planned_requests: "1000",
      planned_duration_ms: "",
      engine: "autocannon",
      sent: "1000",
      failed_share: "0",
      throughput_per_s: String(knownDigits(throughput)),
      latency_p99_ms: String(knownMs(latency?.p99 ?? 0)),
      status_codes: '{"200":1000}',
      generator_memory_bytes: "80000000",
      balancer_cpu_cores: "",
      bottleneck: "backend",
    });
    const { steps } = await read(RESULT_SHAPES.get("load of workers") as Result);
    expect(steps[1]?.["generator_cpu_cores"]).toBe("1.8");
    expect(JSON.parse(steps[1]?.["workers"] ?? "")).toMatchObject([{}, { name: "gen2", startSkewMs: 2.5 }, {}]);
    expect((await read(anOpenLoop())).steps[1]).toMatchObject({
      load: "rate",
      level: "1000",
      connect_mean_ms: "0.25",
      waiting_max_ms: "7.5",
      timing_backend_p99_ms: "10.5",
      timing_added_p999_ms: "2.25",
      timing_queue_p99_ms: "0.25",
      timing_generator_p99_ms: "0.125",
      timing_malformed: "30",
      scheduled_requests: "3000",
      unsent_requests: "40",
      lateness_p99_ms: "2.5",
    });
  });

  it("leaves empty what is not told, and says of a step that failed why, and nothing else", async () => {
    const driven = RESULT_SHAPES.get("a driven program") as Result;
    const empty = "timed_out in_flight received_bytes latency_p50_ms connections_established status_codes".split(" ");
    expect((await read(driven)).steps[0]).toMatchObject({
      unclassified: "10",
      program: "wrk 4.1",
      ...Object.fromEntries(empty.map((name) => [name, ""])),
    });
    const message = "=cmd|' /C calc'!A0";
    const { steps } = await read(aResult({ steps: [aFailedStep({ error: { code: "START_FAILED", message } })] }));
    expect(Object.fromEntries(Object.entries(steps[0] ?? {}).filter(([, value]) => value !== ""))).toEqual({
      target: "single",
      load: "connections",
      level: "50",
      planned_duration_ms: "3000",
      trial: "1",
      engine: "autocannon",
      state: "failed",
      error_code: "START_FAILED",
      error_message: `'${message}`,
    });
  });

  it("has of each figure the digits that are known, and asks for what was asked", async () => {
    const noise = 0.36683797100000015;
    const measurement = aMeasurement({
      elapsedMs: 3000.0004999,
      throughput: 1_234_567.891,
      requests: { ok: 123_456_789, non2xx: 41 },
      latency: aLatency({ p50: noise, min: -0.25 }),
      mix: [{ name: "a", sent: 1, ok: 1, failed: 0, latency: aLatency({ mean: noise }) }],
      timeline: [{ second: 0, sent: 1, ok: 1, failed: 0, p50: noise, p99: 23.49523099999968 }],
    });
    const step = aStep({ level: { rate: 1234.56789, durationMs: 3000 }, measurement });
    const { steps, seconds } = await read(aResult({ steps: [step] }));
    expect(steps[0]).toMatchObject({
      level: "1234.56789",
      elapsed_ms: "3000",
      throughput_per_s: "1234568",
      ok: "123456789",
      failed_share: "3.321e-7",
      latency_p50_ms: "0.367",
      latency_min_ms: "-0.25",
      mix: expect.stringContaining('"mean":0.367,'),
    });
    expect(seconds[0]).toMatchObject({ latency_p50_ms: "0.367", latency_p99_ms: "23.495" });
  });
});

it("seconds.csv tells no failures of a kind from failures of which the kind is not told", async () => {
  const second = { second: 0, sent: 9, ok: 4, failed: 5, p50: null, p99: null };
  const timeline = [second, { ...second, failures: { resets: 5 } }, { ...second, ok: 9, failed: 0 }];
  const { seconds } = await read(aResult({ steps: [aStep({ measurement: aMeasurement({ timeline }) })] }));
  expect(seconds.map(({ resets, timed_out: timedOut }) => `${resets};${timedOut}`)).toEqual([";", "5;0", "0;0"]);
});

it("faults.csv has a row for each fault of each step; of what ends one, and of what could not be done, no figures", async () => {
  const { faults } = await read(aFaultyResult({ refuses: "nginx" }));
  expect(faults.map(({ target, fault, lost }) => [target, fault, lost].join())).toEqual([
    "balanced,kill backend-2 at 3s,0",
    "balanced,start backend-2 at 6s,",
    "haproxy,kill backend-2 at 3s,3",
    "haproxy,start backend-2 at 6s,",
    "nginx,kill backend-2 at 3s,",
    "nginx,start backend-2 at 6s,",
  ]);
  expect(faults[2]).toMatchObject({
    kind: "kill",
    part: "backend-2",
    at_ms: "3000",
    effect_ms: "3020",
    looked_ms: "6980",
    resets: "3",
    timed_out: "0",
    recovered: "1",
    recovery_ms: "80",
    first_lost_ms: "0",
    last_lost_ms: "80",
    latency_p99_ms: "2.048",
    share_during: "0.5",
    share_back_ms: "0",
  });
  expect(faults[4]).toMatchObject({ effect_ms: "", error_message: "it has no such process", recovered: "" });
  const unending: Parameters<typeof aFaultyResult>[0] = { events: [[30, 100, { ok: 0, resets: 50 }]] };
  expect((await read(aFaultyResult(unending))).faults[0]).toMatchObject({ recovered: "0", recovery_ms: "" });
});
