import { describe, expect, it } from "vitest";
import type { LatencySummary, Measurement } from "../model/measurement.js";
import type { Result, StepResult } from "../model/result.js";
import { doneFault, slicesOf } from "../test-support/faulty-steps.js";
import { aLatency, aProcessUsage, aUsage } from "../test-support/fixtures.js";
import { aBalancerRun } from "./test-support/balancer-results.js";
import { renderMarkdown } from "./markdown.js";
import { rowsWith, tablesOf } from "./test-support/read-markdown.js";
import { aSweep, failed, withFigures } from "./test-support/sample-results.js";
import { renderSummary } from "./summary-table.js";

const rowsOf = (result: Result) => rowsWith(result, "Balancer");
const has = (result: Result): boolean => tablesOf(result).some(({ head }) => head.includes("Balancer"));
const column = (result: Result, name: string): readonly unknown[] => rowsOf(result).map((row) => row[name]);
const ofNginx = (change: (step: StepResult) => StepResult): Result =>
  aBalancerRun({ change: (step) => (step.target === "nginx" ? change(step) : step) });
const measured = (change: (step: StepResult) => Partial<Measurement>): Result =>
  aBalancerRun({ change: (step) => withFigures(step, change(step)) });

describe("balancers side by side", () => {
  it("are compared at the lowest p99 that one has at its most requests/s, and there by what a request costs, as recorded", async () => {
    // nginx has 44,000/s with 30 ms at 1,000 connections, balanced 33,000 with 40: at 30 ms that has its 30,000 at 100.
    const report = renderMarkdown(aBalancerRun(), { charts: "none" });
    const table = report.slice(report.indexOf("Balancers side by side"));
    await expect(`${table.split("\n\n").slice(0, 2).join("\n\n")}\n`).toMatchFileSnapshot("__snapshots__/balancers.md");
  });

  it("are asked for no level at which requests fail, and have no figure where none is left", () => {
    const failing = (share: number) =>
      ofNginx((step) => {
        const { ok = 0 } = step.measurement?.requests ?? {};
        const non2xx = step.level.connections === 1000 || share > 0.5 ? Math.round(ok * share) : 0;
        return withFigures(step, { requests: { sent: ok + non2xx, ok, non2xx } });
      });
    // Beside an nginx that refuses at 1,000, the lowest p99 is that of its 100 connections, which balanced has at 10.
    expect(column(failing(0.02), "Requests/s, p99 up to 3.00 ms")).toEqual([
      "2,970 at 10 (2,940 to 3,000)",
      "39,600 at 100 (39,200 to 40,000)",
    ]);
    expect(rowsOf(failing(0.005))[1]).toHaveProperty("Requests/s, p99 up to 30.0 ms");
    expect(column(failing(1), "Requests/s, p99 up to 40.0 ms")).toEqual(["32,670 (32,340 to 33,000)", "–"]);
  });

  it("tell what they add to the time of the backends at the level nearest to half of their most", () => {
    const result = measured(({ level: { connections = 0 } }) => {
      const added = aLatency({ p50: connections / 1000, p99: connections / 100 }) as Required<LatencySummary>;
      return { serverTiming: { told: 100, untold: 0, malformed: 0, negative: 0, added } };
    });
    // Of 10, 100 and 1,000 connections these have 0.09, 0.91 and 1 of the most.
    expect(column(result, "Added, p50 (ms)")).toEqual(["0.100", "0.100"]);
    expect(column(result, "Added, p99 (ms)")).toEqual(["1.00", "1.00"]);
  });

  it("are compared at one level by what a request costs there, and not by their requests/s", () => {
    const level = { rate: 1000, durationMs: 3000 };
    const run = aBalancerRun({ scenario: { levels: [level] } });
    const steps = run.steps.flatMap((step) => (step.level.connections === 100 ? [{ ...step, level }] : []));
    const result = { ...run, steps };
    expect(renderMarkdown(result, { charts: "none" })).toContain("ok requests, at 1,000 requests/s.");
    expect(rowsOf(result)).toEqual([
      { Balancer: "balanced", "CPU a request (µs)": "25.0", "Shares (%)": "50.0" },
      { Balancer: "nginx", "CPU a request (µs)": "20.0", "Shares (%)": "50.0" },
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
    const idle = ofNginx((step) => ({
      ...step,
      usage: aUsage({ balancer: (step.usage?.balancer ?? []).map((process) => ({ ...process, cpu: 0 })) }),
    }));
    expect(column(idle, "CPU a request (µs)")).toEqual([expect.stringMatching(/^\d/), "–"]);
  });

  it("have the memory of the highest level that all were measured at", () => {
    const result = ofNginx((step) => (step.level.connections === 1000 ? failed(step) : step));
    expect(column(result, "Memory at 100 connections (MB)")).toEqual(["91.0", "16.0"]);
  });

  it("have what they lost, and no speed, where faults disturb them", () => {
    const faults = [doneFault("kill", 3000), doneFault("start", 5000)];
    const result = aBalancerRun({
      scenario: { faults: faults.map(({ atMs, kind, part }) => ({ atMs, kind, part })) },
      change: (step) => {
        const resets = step.target === "nginx" && step.level.connections === 100 ? step.trial : 0;
        return { ...withFigures(step, { slices: slicesOf([[30, 32, { ok: 40, resets }]]) }), faults };
      },
    });
    // Two slices with one or two resets each.
    expect(column(result, "Lost at faults")).toEqual(["0", "3 (2 to 4)"]);
    expect(Object.keys(rowsOf(result)[0] ?? {}).join()).not.toContain("Requests/s");
  });

  it("tell how unevenly backends got requests", () => {
    const backends = { "backend-1": { requests: 1 }, "backend-2": { requests: 3 } };
    expect(
      column(
        ofNginx((step) => withFigures(step, { backends })),
        "Shares (%)",
      ),
    ).toEqual(["50.0", "25.0 to 75.0"]);
  });

  it("are told on a terminal, too, and not where there is but one", () => {
    expect(renderSummary(aBalancerRun())).toMatch(
      /^balancer +req\/s, p99 up to 30\.0 ms +cpu µs\/req +memory MB +shares %$/m,
    );
    const { scenario, steps, ...run } = aBalancerRun();
    const targets = scenario.targets.filter(({ name }) => name !== "balanced");
    const one = steps.filter(({ target }) => target !== "balanced");
    expect(has({ ...run, scenario: { ...scenario, targets }, steps: one })).toBe(false);
    expect(has(aSweep())).toBe(false);
    const policies = { scenario: "one-slow", withinMs: 1000, default: "round-robin", compared: [] };
    expect(has(aBalancerRun({ scenario: { policies } }))).toBe(false);
  });
});
