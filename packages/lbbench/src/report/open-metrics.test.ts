import { describe, expect, it } from "vitest";
import type { Result } from "../model/result.js";
import { aLatency, aMeasurement, aResult, aStep } from "../test-support/fixtures.js";
import { knownDigits, knownSeconds } from "./figures.js";
import { openMetricsReporter } from "./open-metrics.js";
import { aFaultyResult } from "./test-support/fault-results.js";
import { anOpenLoop, RESULT_SHAPES } from "./test-support/result-shapes.js";
import { aRampResult } from "./test-support/ramp-results.js";
import { aSweep } from "./test-support/sample-results.js";

async function textOf(result: Result): Promise<string> {
  const [file] = await openMetricsReporter.render(result, { charts: "none" });
  expect(file?.name).toBe("metrics.txt");
  return String(file?.content);
}

describe.each([...RESULT_SHAPES])("metrics.txt of %s", (_, result) => {
  it("ends with EOF, and says once of each family what it is and of which type, with the unit in its name", async () => {
    const lines = (await textOf(result)).split("\n");
    expect(lines.slice(-2)).toEqual(["# EOF", ""]);
    expect(lines.join("\n")).not.toMatch(/ (NaN|undefined|null|[+-]?Inf\w*)$/m);
    const told = (what: string): ReadonlyMap<string, string> => {
      const all = lines.flatMap((line) => [...line.matchAll(new RegExp(`^# ${what} (lbbench_[a-z_]+) (.+)$`, "g"))]);
      expect(new Set(all.map(([, name]) => name)).size).toBe(all.length);
      return new Map(all.map(([, name = "", words = ""]) => [name, words]));
    };
    const [types, helps] = [told("TYPE"), told("HELP")];
    for (const sample of lines.filter((line) => line !== "" && !line.startsWith("#"))) {
      const [name = ""] = /^\w+/.exec(sample) ?? [];
      const family = types.has(name) ? name : name.replace(/_total$/, "");
      expect(types.get(family), sample).toBe(family === name ? "gauge" : "counter");
      expect(helps.get(family), sample).toMatch(/^\S.*[.]$/);
      expect(/latency|phase|lateness|elapsed|time|skew|recovery/.test(family), sample).toBe(
        family.endsWith("_seconds"),
      );
      expect(/memory|transferred/.test(family), sample).toBe(family.endsWith("_bytes"));
    }
  });
});

describe("metrics.txt", () => {
  it("has figures in base units, with labels for the step", async () => {
    const of = 'target="single",connections="50",requests="1000",trial="1"';
    const { latency, throughput = 0 } = aSweep({ connections: [50] }).steps[0]?.measurement ?? {};
    expect((await textOf(aSweep({ connections: [50] }))).split("\n")).toEqual(
      expect.arrayContaining([
        "# TYPE lbbench_requests counter",
        `lbbench_requests_total{${of},outcome="ok"} 1000`,
        `lbbench_requests_total{${of},outcome="timed_out"} 0`,
        `lbbench_latency_seconds{${of},quantile="0.99"} ${knownSeconds((latency?.p99 ?? 0) / 1000)}`,
        `lbbench_throughput_per_second{${of}} ${knownDigits(throughput)}`,
        `lbbench_transferred_bytes_total{${of},direction="received"} 160000`,
        `lbbench_memory_bytes{${of},role="generator"} 80000000`,
        'lbbench_verdict{status="pass"} 1',
        'lbbench_verdict{status="fail"} 0',
      ]),
    );
  });

  it("has what each worker sent and used", async () => {
    const lines = (await textOf(RESULT_SHAPES.get("load of workers") as Result)).split("\n");
    const of = 'target="api",connections="50",requests="1000",trial="2",worker="gen3",host="gen2"';
    expect(lines).toEqual(
      expect.arrayContaining([
        `lbbench_worker_requests_total{${of}} 302`,
        `lbbench_worker_cpu_cores{${of}} 0.9`,
        `lbbench_worker_start_skew_seconds{${of}} 0.005`,
      ]),
    );
  });

  it("has what each fault cost, and no recovery where there was none", async () => {
    const of = 'target="haproxy",rate="500",duration_seconds="10",trial="1",fault="kill backend-2 at 3s"';
    const text = await textOf(RESULT_SHAPES.get("faults") as Result);
    expect(text.split("\n")).toEqual(
      expect.arrayContaining([
        `lbbench_fault_lost_requests_total{${of},outcome="reset"} 3`,
        `lbbench_fault_recovery_seconds{${of}} 0.08`,
        `lbbench_fault_latency_seconds{${of},quantile="0.99"} 0.002048`,
      ]),
    );
    const unending = aFaultyResult({ events: [[30, 100, { ok: 0, resets: 50 }]] });
    expect(await textOf(unending)).not.toContain("lbbench_fault_recovery_seconds");
  });

  it("labels rates and users as such, and has the state of steps without a measurement", async () => {
    expect(await textOf(anOpenLoop())).toMatch(
      /^lbbench_unsent_requests_total\{target="single",rate="100",duration_seconds="3",trial="1"\} 40$/m,
    );
    const ramp = aRampResult({ durationMs: 2000, users: 2, targets: { one: () => ({ ok: 10 }) } });
    expect(await textOf(ramp)).toMatch(/^lbbench_elapsed_seconds\{target="one",users="2",/m);
    expect(await textOf(RESULT_SHAPES.get("failed and interrupted steps") as Result)).toMatch(
      /^lbbench_step_state\{.*,state="failed"\} 1$/m,
    );
  });

  it("has no sample of what is not told", async () => {
    const text = await textOf(RESULT_SHAPES.get("a driven program") as Result);
    expect(text).toContain('outcome="unclassified"} 10');
    expect(text).not.toMatch(
      /lbbench_latency|outcome="(timed_out|in_flight)"|_bytes_total|kind="(opened|established)"/,
    );
  });

  it("has no more digits than are known, and loses none of a count", async () => {
    const noise = 0.36683797100000015;
    const measurement = aMeasurement({
      throughput: 23.49523099999968,
      requests: { ok: 123_456_789 },
      latency: aLatency({ p50: noise, mean: noise }),
    });
    const text = await textOf(aResult({ steps: [aStep({ measurement })] }));
    expect(text).toMatch(/^lbbench_throughput_per_second\{.*\} 23\.4952$/m);
    expect(text).toMatch(/^lbbench_latency_seconds\{.*quantile="0\.5"\} 0\.000367$/m);
    expect(text).toMatch(/^lbbench_requests_total\{.*outcome="ok"\} 123456789$/m);
    expect(text).not.toMatch(/\d\.\d{10,}$/m);
  });
});
