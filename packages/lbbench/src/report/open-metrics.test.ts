import { describe, expect, it } from "vitest";
import type { Result } from "../model/result.js";
import { aLatency, aMeasurement, aResult, aStep } from "../test-support/fixtures.js";
import { knownDigits, knownSeconds } from "./known-digits.js";
import { openMetricsReporter } from "./open-metrics.js";
import { runFamilies } from "./open-metrics/run-families.js";
import { stepFamilies } from "./open-metrics/step-families.js";
import { anOpenLoop, RESULT_SHAPES } from "./test-support/result-shapes.js";
import { aRampResult } from "./test-support/ramp-results.js";
import { aSweep } from "./test-support/sample-results.js";

async function linesOf(result: Result): Promise<readonly string[]> {
  const [file] = await openMetricsReporter.render(result, { charts: "none" });
  expect(file?.name).toBe("metrics.txt");
  return String(file?.content).split("\n");
}

describe("metrics.txt", () => {
  it("has figures in base units, with labels for the step", async () => {
    const lines = await linesOf(aSweep({ connections: [50] }));
    const of = 'target="single",connections="50",requests="1000",trial="1"';
    const { latency, throughput } = aSweep({ connections: [50] }).steps[0]?.measurement ?? {};
    expect(lines).toEqual(
      expect.arrayContaining([
        "# TYPE lbbench_requests counter",
        `lbbench_requests_total{${of},outcome="ok"} 1000`,
        `lbbench_requests_total{${of},outcome="timed_out"} 0`,
        `lbbench_latency_seconds{${of},quantile="0.99"} ${knownSeconds((latency?.p99 ?? 0) / 1000)}`,
        `lbbench_throughput_per_second{${of}} ${knownDigits(throughput ?? 0)}`,
        `lbbench_transferred_bytes_total{${of},direction="received"} 160000`,
        `lbbench_memory_bytes{${of},role="generator"} 80000000`,
        'lbbench_verdict{status="pass"} 1',
        'lbbench_verdict{status="fail"} 0',
      ]),
    );
  });

  it("labels rates and users as such", async () => {
    expect((await linesOf(anOpenLoop())).join("\n")).toMatch(
      /^lbbench_unsent_requests_total\{target="single",rate="100",duration_seconds="3",trial="1"\} 40$/m,
    );
    const ramp = aRampResult({ durationMs: 2000, users: 2, targets: { one: () => ({ ok: 10 }) } });
    expect((await linesOf(ramp)).join("\n")).toMatch(/^lbbench_elapsed_seconds\{target="one",users="2",/m);
  });

  it("has no sample of what is not told", async () => {
    const text = (await linesOf(RESULT_SHAPES.get("a driven program") as Result)).join("\n");
    expect(text).toContain('outcome="unclassified"} 10');
    expect(text).not.toMatch(
      /lbbench_latency|outcome="(timed_out|in_flight)"|_bytes_total|kind="(opened|established)"/,
    );
  });

  it("has the state of steps without a measurement", async () => {
    const lines = await linesOf(RESULT_SHAPES.get("failed and interrupted steps") as Result);
    const of = 'target="single",connections="50",duration_seconds="3",trial="1"';
    expect(lines).toContain(`lbbench_step_state{${of},state="failed"} 1`);
  });
});

describe.each([...RESULT_SHAPES])("of %s", (_, result) => {
  it("ends with EOF, has each family once, and no value that is none", async () => {
    const lines = await linesOf(result);
    expect(lines.slice(-2)).toEqual(["# EOF", ""]);
    const types = lines.filter((line) => line.startsWith("# TYPE "));
    expect(new Set(types).size).toBe(types.length);
    expect(lines.join("\n")).not.toMatch(/ (NaN|undefined|null|[+-]?Inf\w*)$/m);
  });
});

it("every sample is of a family that says what it is and of which type, with the unit in its name", async () => {
  const lines = (await Promise.all([...RESULT_SHAPES.values()].map(linesOf))).flat();
  const told = (what: string): ReadonlyMap<string, string> =>
    new Map(
      lines.flatMap((line) =>
        [...line.matchAll(new RegExp(`^# ${what} (\\S+) (.+)$`, "g"))].map(([, a, b]) => [a, b]),
      ) as [string, string][],
    );
  const [types, helps] = [told("TYPE"), told("HELP")];
  const samples = lines.filter((line) => line !== "" && !line.startsWith("#"));
  expect(samples.length).toBeGreaterThan(1000);
  for (const sample of samples) {
    const [name = ""] = /^\w+/.exec(sample) ?? [];
    const family = types.has(name) ? name : name.replace(/_total$/, "");
    expect(types.get(family), sample).toBe(family === name ? "gauge" : "counter");
    expect(helps.get(family), sample).toMatch(/^\S.*[.]$/);
    expect(/latency|phase|lateness|elapsed|time/.test(family), sample).toBe(family.endsWith("_seconds"));
    expect(/memory|transferred/.test(family), sample).toBe(family.endsWith("_bytes"));
  }
});

it("no figure has more digits than are known, and none of a count is lost", async () => {
  const noise = 0.36683797100000015;
  const measurement = aMeasurement({
    elapsedMs: 3000.0004999,
    throughput: 23.49523099999968,
    requests: { ok: 123_456_789, non2xx: 41 },
    latency: aLatency({ p50: noise, mean: noise }),
  });
  const text = (await linesOf(aResult({ steps: [aStep({ measurement })] }))).join("\n");
  expect(text).toMatch(/^lbbench_throughput_per_second\{.*\} 23\.4952$/m);
  expect(text).toMatch(/^lbbench_latency_seconds\{.*quantile="0\.5"\} 0\.000367$/m);
  expect(text).toMatch(/^lbbench_requests_total\{.*outcome="ok"\} 123456789$/m);
  expect(text).not.toMatch(/\d\.\d{10,}$/m);
});

it("names are one line each, and two that would be the same are told apart", async () => {
  const targets = ["a\u0000b", "a b", "a\u001b b", "\u0007"];
  const lines = await linesOf(aSweep({ targets, connections: [1] }));
  const found = lines.flatMap((line) => /^lbbench_elapsed_seconds\{target="([^"]*)"/.exec(line)?.[1] ?? []);
  expect(found).toEqual(["a b (2)", "a b", "a b (3)", "\uFFFD"]);
});

it("families differ in their names, which a family of Prometheus may have", () => {
  const families = [...runFamilies(aSweep()), ...stepFamilies([])];
  const names = families.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, labels } of families) {
    expect(name).toMatch(/^lbbench_[a-z_]+$/);
    expect(name).not.toMatch(/_(total|ms|milliseconds)$/);
    expect(labels.every((label) => /^[a-z_]+$/.test(label))).toBe(true);
  }
});
