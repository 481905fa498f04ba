import { describe, expect, it } from "vitest";
import type { LatencySummary, Measurement } from "../model/measurement.js";
import type { Result, StepResult } from "../model/result.js";
import { doneFault, slicesOf } from "../test-support/faulty-steps.js";
import { aLatency, aProcessUsage, aUsage } from "../test-support/fixtures.js";
import { aBalancerRun } from "./test-support/balancer-results.js";
import { renderMarkdown } from "./markdown.js";
import { createReportModel } from "./report-model.js";
import { rowsWith, tablesOf } from "./test-support/read-markdown.js";
import { aSweep, withFigures } from "./test-support/sample-results.js";
import { renderSummary } from "./summary-table.js";

const rowsOf = (result: Result) => rowsWith(result, "Balancer");
const has = (result: Result): boolean => tablesOf(result).some(({ head }) => head.includes("Balancer"));
const remeasured = (step: StepResult, change: (measurement: Measurement) => Partial<Measurement>): StepResult =>
  step.measurement === undefined ? step : withFigures(step, change(step.measurement));
const ofTarget = (name: string, change: (step: StepResult) => StepResult) =>
  aBalancerRun({ change: (step) => (step.target === name ? change(step) : step) });

describe("balancers side by side", () => {
  it("are compared at the lowest p99 that one has at its most requests/s, and there by what a request costs", () => {
    // nginx has 44,000/s with 30 ms at 1,000 connections, balanced 33,000 with 40: at 30 ms that has its 30,000 at 100.
    expect(rowsOf(aBalancerRun())).toEqual([
      {
        Balancer: "balanced",
        "Requests/s, p99 up to 30.0 ms": "29,700 at 100 (29,400 to 30,000)",
        "CPU a request (µs)": "25.0",
        "Memory at 1,000 connections (MB)": "100",
        "Shares (%)": "50.0",
      },
      {
        Balancer: "nginx",
        "Requests/s, p99 up to 30.0 ms": "43,560 at 1,000 (43,120 to 44,000)",
        "CPU a request (µs)": "20.0",
        "Memory at 1,000 connections (MB)": "25.0",
        "Shares (%)": "50.0",
      },
    ]);
  });

  it("read as recorded", async () => {
    const { rows } = createReportModel(aBalancerRun()).balancers;
    expect(rows.map(({ target }) => target.name)).toEqual(["balanced", "nginx"]);
    const report = renderMarkdown(aBalancerRun(), { charts: "none" });
    const table = report.slice(report.indexOf("Balancers side by side"));
    await expect(`${table.split("\n\n").slice(0, 2).join("\n\n")}\n`).toMatchFileSnapshot("__snapshots__/balancers.md");
  });

  it("are asked for no level at which requests fail, and have no figure where none is left", () => {
    const failing = (share: number) =>
      ofTarget("nginx", (step) =>
        remeasured(step, ({ requests }) => {
          const failed = step.level.connections === 1000 || share > 0.5 ? Math.round(requests.ok * share) : 0;
          return { requests: { ...requests, non2xx: failed, sent: requests.sent + failed } };
        }),
      );
    // Beside an nginx that refuses at 1,000, the lowest p99 is that of its 100 connections, which balanced has at 10.
    const column = "Requests/s, p99 up to 3.00 ms";
    expect(rowsOf(failing(0.02)).map((row) => row[column])).toEqual([
      "2,970 at 10 (2,940 to 3,000)",
      "39,600 at 100 (39,200 to 40,000)",
    ]);
    expect(rowsOf(failing(0.005))[1]).toHaveProperty("Requests/s, p99 up to 30.0 ms");
    expect(rowsOf(failing(1)).map((row) => row["Requests/s, p99 up to 40.0 ms"])).toEqual([
      "32,670 (32,340 to 33,000)",
      "–",
    ]);
  });

  it("tell what they add to the time of the backends at the level nearest to half of their most", () => {
    const result = aBalancerRun({
      change: (step) =>
        remeasured(step, () => {
          const connections = step.level.connections ?? 0;
          const added = aLatency({ p50: connections / 1000, p99: connections / 100 }) as Required<LatencySummary>;
          return { serverTiming: { told: 100, untold: 0, malformed: 0, negative: 0, added } };
        }),
    });
    // Of 10, 100 and 1,000 connections these have 0.09, 0.91 and 1 of the most.
    expect(rowsOf(result).map((row) => [row["Added, p50 (ms)"], row["Added, p99 (ms)"]])).toEqual([
      ["0.100", "1.00"],
      ["0.100", "1.00"],
    ]);
  });

  it("are compared at one level by what a request costs there, and not by their requests/s", () => {
    const levels = [{ rate: 1000, durationMs: 3000 }];
    const result = aBalancerRun({ scenario: { levels } });
    const steps = result.steps.flatMap((step) =>
      step.level.connections === 100 ? [{ ...step, level: { rate: 1000, durationMs: 3000 } }] : [],
    );
    const rows = rowsOf({ ...result, steps });
    expect(renderMarkdown({ ...result, steps }, { charts: "none" })).toContain("ok requests, at 1,000 requests/s.");
    expect(rows.map(Object.entries)).toEqual([
      [
        ["Balancer", "balanced"],
        ["CPU a request (µs)", "25.0"],
        ["Shares (%)", "50.0"],
      ],
      [
        ["Balancer", "nginx"],
        ["CPU a request (µs)", "20.0"],
        ["Shares (%)", "50.0"],
      ],
    ]);
  });

  it("have the processor time and memory of their own processes, not of backends that balance themselves", () => {
    const nested = aProcessUsage({ name: "backend-1 balancer", cpu: 5, rssBytes: 1e9 });
    const alone = aBalancerRun({ change: (step) => ({ ...step, usage: aUsage() }) });
    expect(Object.keys(rowsOf(alone)[0] ?? {})).toEqual(["Balancer", "Requests/s, p99 up to 30.0 ms", "Shares (%)"]);
    const result = aBalancerRun({
      change: (step) => ({ ...step, usage: aUsage({ balancer: [...(step.usage?.balancer ?? []), nested] }) }),
    });
    expect(rowsOf(result)).toEqual(rowsOf(aBalancerRun()));
  });

  it("have no processor time where less than a tick of it was counted", () => {
    const idle = ofTarget("nginx", (step) => ({
      ...step,
      usage: aUsage({ balancer: (step.usage?.balancer ?? []).map((process) => ({ ...process, cpu: 0 })) }),
    }));
    expect(rowsOf(idle).map((row) => row["CPU a request (µs)"])).toEqual([expect.stringMatching(/^\d/), "–"]);
  });

  it("have the memory of the highest level that all were measured at", () => {
    const result = ofTarget("nginx", (step) =>
      step.level.connections === 1000
        ? { ...step, state: "failed", measurement: undefined as never, error: { code: "TARGET_DIED", message: "gone" } }
        : step,
    );
    const steps = result.steps.map(({ measurement, ...step }) =>
      measurement === undefined ? step : { ...step, measurement },
    );
    expect(rowsOf({ ...result, steps }).map((row) => row["Memory at 100 connections (MB)"])).toEqual(["91.0", "16.0"]);
  });

  it("have what they lost, and no speed, where faults disturb them", () => {
    const faults = [doneFault("kill", 3000), doneFault("start", 5000)];
    const result = aBalancerRun({
      scenario: { faults: faults.map(({ atMs, kind, part }) => ({ atMs, kind, part })) },
      change: (step) => {
        const resets = step.target === "nginx" && step.level.connections === 100 ? step.trial : 0;
        return { ...remeasured(step, () => ({ slices: slicesOf([[30, 32, { ok: 40, resets }]]) })), faults };
      },
    });
    // Two slices with one or two resets each.
    expect(rowsOf(result).map((row) => [row["Balancer"], row["Lost at faults"]])).toEqual([
      ["balanced", "0"],
      ["nginx", "3 (2 to 4)"],
    ]);
    expect(Object.keys(rowsOf(result)[0] ?? {}).join()).not.toContain("Requests/s");
  });

  it("tell how unevenly backends got requests", () => {
    const result = ofTarget("nginx", (step) =>
      remeasured(step, () => ({ backends: { "backend-1": { requests: 1 }, "backend-2": { requests: 3 } } })),
    );
    expect(rowsOf(result).map((row) => row["Shares (%)"])).toEqual(["50.0", "25.0 to 75.0"]);
  });

  it("are told on a terminal, too, and not where there is but one", () => {
    expect(renderSummary(aBalancerRun())).toMatch(
      /^balancer +req\/s, p99 up to 30\.0 ms +cpu µs\/req +memory MB +shares %$/m,
    );
    const one = aBalancerRun();
    const [single, , nginx] = one.scenario.targets;
    const targets = [single, nginx].flatMap((target) => target ?? []);
    const steps = one.steps.filter(({ target }) => target !== "balanced");
    expect(has({ ...one, scenario: { ...one.scenario, targets }, steps })).toBe(false);
    expect(has(aSweep())).toBe(false);
    const policies = { scenario: "one-slow", withinMs: 1000, default: "round-robin", compared: [] };
    expect(has(aBalancerRun({ scenario: { policies } }))).toBe(false);
  });
});
