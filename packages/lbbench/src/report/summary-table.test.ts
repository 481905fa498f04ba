import { describe, expect, it } from "vitest";
import type { LatencySummary } from "../model/measurement.js";
import type { Result, StepResult } from "../model/result.js";
import { aResult, aUsage } from "../test-support/fixtures.js";
import { describeFinding } from "./finding-text.js";
import { renderStepLine } from "./describe-run.js";
import { renderSummary } from "./summary-table.js";
import { aHeldResult } from "./test-support/hold-results.js";
import { aRampResult } from "./test-support/ramp-results.js";
import { NO_WORDS } from "./test-support/read-markdown.js";
import { anOpenLoop, RESULT_SHAPES, withWords } from "./test-support/result-shapes.js";
import { aSweep, failed, withFailures, withFigures } from "./test-support/sample-results.js";
import { textWidth } from "./text-layout.js";

const linesOf = (result: Result, columns?: number): readonly string[] =>
  renderSummary(result, columns, { verbose: true }).split("\n");
const blocks = (result: Result): readonly (readonly string[])[] =>
  renderSummary(result, undefined, { verbose: true })
    .trimEnd()
    .split("\n\n")
    .map((block) => block.split("\n"));
const rows = (result: Result): readonly string[] => (blocks(result)[1] ?? []).filter((line) => !line.startsWith("*"));
const trends = (result: Result): readonly string[] => blocks(result)[2] ?? [];
const RAMP = aRampResult();

describe("the summary in a terminal", () => {
  it("says what the run shows, then has a row for each target and level, and how throughput goes", () => {
    expect(linesOf(aSweep({ targets: ["single"], connections: [1, 50] }))).toEqual([
      "Verdict: pass. No warnings.",
      "single: up to 7,324 requests/s with 50 connections (p50 6.35 ms, p99 20.5 ms); its backends were at",
      "  their limit.",
      "",
      "target  conns  requests/s  p50 ms  p90 ms  p99 ms  max ms  failed  bottleneck",
      "single      1         720    1.29    2.09    4.17    12.5       0  backend",
      "single     50       7,324    6.35    10.2    20.5    61.4       0  backend",
      "",
      "Throughput by level, 1 to 50 connections:",
      "single  ▂█  highest 7,324 requests/s at 50",
      "",
    ]);
  });

  it("has a row for each target of a ramp, and what was found", () => {
    expect(rows(RAMP)).toEqual([
      "target       users  requests/s  p50 ms  p90 ms  p99 ms  max ms   failed  bottleneck",
      expect.stringMatching(/^http +100 +701 +64\.9 .* 0 +none$/),
      expect.stringMatching(/^http \+ gRPC +/),
      expect.stringMatching(/^gRPC +/),
    ]);
    expect(renderSummary(RAMP, undefined, { verbose: true })).toMatch(
      /^info CLIFF: gRPC: from 64 users \(second 62\)/m,
    );
    expect(renderStepLine(RAMP.steps[0] as StepResult)).toMatch(
      /^http, up to 100 users: 701 requests\/s, p50 64\.9 ms, /,
    );
  });

  it("tells first how many connections were held, and the memory of each, then what they and a burst beside them saw", () => {
    const held = aHeldResult({ lost: 40 });
    expect(linesOf(held).slice(1, 3)).toEqual([
      "single: held 50,000 of 50,000 connections to the end (10 lost); a connection takes 9 kB.",
      expect.stringMatching(/^balanced: held 49,960 of 50,000 connections to the end \(50 lost\); /),
    ]);
    expect(rows(held)).toEqual([
      "held       conns  opened   alive  lost  balancer/conn  backends/conn  burst p99 ms  burst failed",
      expect.stringMatching(/^single +1,000 +1,000 +1,000 +0 /),
      expect.stringMatching(/^single +50,000 +50,000 +50,000 +10 +- +9 kB/),
      expect.stringMatching(/^balanced +1,000 +1,000 +1,000 +0 /),
      expect.stringMatching(/^balanced +50,000 +50,000 +49,960 +50 +9 kB +500 B/),
      "No room for: burst p50 ms",
    ]);
    expect(renderStepLine(held.steps[3] as StepResult)).toMatch(/^balanced, 50,000 connections: 49,960 held, /);
  });

  it("says of steps that failed that they did, and of no step that there was none", () => {
    const mixed = aSweep({ trials: 3, connections: [1], change: (step) => (step.trial === 1 ? failed(step) : step) });
    expect(renderSummary(mixed)).toContain("1 of 3 failed");
    expect(renderSummary(aResult({ steps: [] }))).toContain("No step was executed.");
  });

  it("says which statuses came where they were not all 2xx, and keeps throughput and percentiles on a narrow screen", () => {
    const refusing = aSweep({ targets: ["single"], connections: [1, 50], change: (step) => withFailures(step, 0.02) });
    expect(renderSummary(refusing, undefined, { verbose: true })).toContain(
      "single answered with status 200 (1,940), 503 (40).",
    );
    expect(renderSummary(aSweep())).not.toContain("answered with status");
    expect(linesOf(aSweep(), 40)).toContainEqual(expect.stringMatching(/^target +conns +requests\/s +p99 ms$/));
  });

  it("names the bottleneck of most trials with their number, and none of a server that was not seen", () => {
    const limits = ["backend", "backend", "none", "unknown"] as const;
    const change = (step: StepResult): StepResult => ({
      ...step,
      usage: aUsage({ bottleneck: limits[step.trial - 1] ?? "none", ...(step.trial > 4 ? { backends: [] } : {}) }),
    });
    const one = { targets: ["single"], connections: [1], change };
    expect(rows(aSweep({ ...one, trials: 6 }))[1]).toMatch(/ backend, 2 of 6$/);
    const unseen = (step: StepResult): StepResult => ({ ...step, usage: aUsage({ bottleneck: "none", backends: [] }) });
    expect(rows(aSweep({ ...one, change: unseen }))[1]).toMatch(/ -$/);
  });

  it("draws how throughput goes to one scale, with gaps where nothing was measured, over seconds of a ramp", () => {
    expect(trends(aSweep())).toEqual([
      "Throughput by level, 1 to 1,000 connections:",
      "single    ▁▆▆▆▆▆  highest 8,055 requests/s at 250",
      "balanced  ▁▆▇██▇  highest 10,564 requests/s at 500",
    ]);
    const few = aSweep({ targets: ["single"], connections: [1, 10, 100] });
    const steps = few.steps.map((step) => (step.level.connections === 10 ? failed(step) : step));
    expect(trends({ ...few, steps })[1]).toMatch(/^single  [▁-█] [▁-█]  highest [\d,]+ requests\/s at 100$/);
    expect(trends(RAMP).at(-1)).toMatch(/^gRPC +[▁-█]{40}  highest [\d,]+ requests\/s in second 34$/);
    expect(linesOf(aSweep({ connections: [50] })).join("\n")).not.toMatch(/[▁-█]/);
  });

  it("draws p99 at levels of a rate, where throughput is what was asked for, and nothing where it is not told", () => {
    const { steps, ...rest } = anOpenLoop();
    const atRates = (latencies: readonly LatencySummary[]): Result => {
      return { ...rest, steps: steps.map((step, at) => withFigures(step, { latency: latencies[at] ?? {} })) };
    };
    expect(trends(atRates([{ p99: 20 }, { p99: 80 }]))).toEqual([
      "Latency (p99) by rate, 100 to 1,000 requests/s:",
      "single  ▃█  highest 80.0 ms at 1,000",
    ]);
    expect(linesOf(atRates([])).join("\n")).not.toMatch(/[▁-█]/);
  });

  it("has every finding in a line, wrapped and never cut, also where an address is longer than a line", () => {
    const url = `http://127.0.0.1:8080/${"x".repeat(60)}/end`;
    const findings = [
      { code: "SINGLE_TRIAL", severity: "warning", args: {} },
      { code: "TARGET_DIED", severity: "error", args: { target: url, connections: 1, message: "x\ny".repeat(99) } },
    ] as const;
    const text = renderSummary({ ...aSweep({ connections: [1] }), verdict: { status: "inconclusive", findings } }, 30, {
      verbose: true,
    });
    expect(text.match(/^(warning|error) [A-Z_]+:/gm)).toEqual(["warning SINGLE_TRIAL:", "error TARGET_DIED:"]);
    const words = (one: string): string => one.replaceAll(/\s+/g, "");
    for (const finding of findings) expect(words(text)).toContain(words(describeFinding(finding).text));
  });

  it.each([20, 40, 60, 80, 99])("keeps to %i columns, whatever the names and figures", (columns) => {
    const targets = ["负载均衡器".repeat(9), "😀 cluster", "x".repeat(99), "single"];
    const at = (users: number) => ({ ok: users * 1e5, tail: 4e4 });
    const wide = aRampResult({ targets: { [targets[0] ?? ""]: at }, durationMs: 5000 });
    for (const result of [aSweep({ targets }), wide, aSweep({ targets: ["a\u001b[1m"], connections: [1, 1_000_000] })])
      expect(linesOf(result, columns).filter((line) => textWidth(line) > columns)).toEqual([]);
  });

  it("has names in other scripts in line, and paints the verdict alone", () => {
    expect(rows(aSweep({ targets: ["plain", "东京"], connections: [1] })).map((line) => line.slice(0, 13))).toEqual([
      "target  conns",
      "plain       1",
      "东京        1  ",
    ]);
    const one = aSweep({ targets: ["pass"], connections: [1] });
    const painted = renderSummary(one, undefined, { paint: (text, status) => `<${status}:${text}>` });
    expect(painted.match(/<.*?>/g)).toEqual(["<pass:pass>"]);
  });

  it("lets no control character of a name through, and has no placeholder and no plural of one of any kind of result", () => {
    const text = renderSummary(withWords((place) => `${place}\u001b[31m\u202e\nline`));
    expect(text).not.toMatch(/\p{Cc}(?<!\n)|\u202e|^line/mu);
    for (const [what, result] of RESULT_SHAPES) expect(renderSummary(result), what).not.toMatch(NO_WORDS);
  });
});
