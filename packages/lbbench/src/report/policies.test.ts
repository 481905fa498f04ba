import { describe, expect, it } from "vitest";
import { aPolicyResult } from "../test-support/policy-results.js";
import { chartDefinitions } from "./charts/chart-definitions.js";
import { describePolicies } from "./policies.js";
import { renderSummary } from "./summary-table.js";
import { renderMarkdown } from "./markdown.js";
import { rowsWith } from "./test-support/read-markdown.js";
import { judged } from "./test-support/result-shapes.js";

type Shares = Parameters<typeof aPolicyResult>[0];

const linesOf = (shares: Shares): readonly string[] =>
  describePolicies(judged(aPolicyResult(shares)).verdict.findings.filter(({ code }) => code === "POLICIES_COMPARED"));
/** Five trials around a share. */
const around = (share: number): readonly number[] => [-2, -1, 0, 1, 2].map((step) => share + step / 1000);

describe("the first line of a comparison of policies says", () => {
  it.each<[string, Shares, string]>([
    [
      "which policy to take, what the default costs, and what is not told from the best",
      { "round-robin": around(0.875), "least-connections": around(0.994), random: around(0.87), p2c: around(0.993) },
      "Take least-connections: 99.4 % of the requests were answered within 1 s. The default, round-robin, costs 11.9 points (87.5 %, p = 0.048, medians of 5 trials). " +
        "The trials do not tell p2c (99.3 %) from the best policy. Worse: random (87.0 %).",
    ],
    [
      "to keep the default where no policy is better",
      { "round-robin": around(0.95), random: around(0.8) },
      "Keep round-robin, the default: 95.0 % of the requests were answered within 1 s, medians of 5 trials. Worse: random (80.0 %).",
    ],
    [
      "to keep the default where the trials do not tell it from the best",
      { "round-robin": around(0.95), p2c: around(0.9505), random: around(0.8) },
      "Keep round-robin, the default: 95.0 % of the requests were answered within 1 s, medians of 5 trials. The trials do not tell it from the best, p2c (95.1 %). Worse: random (80.0 %).",
    ],
    [
      "which to take where the default was not measured",
      { p2c: around(0.99), random: around(0.8) },
      "Take p2c: 99.0 % of the requests were answered within 1 s, medians of 5 trials. Worse: random (80.0 %).",
    ],
    [
      "how many trials a test needs",
      { "round-robin": [0.875], random: [0.99] },
      "Answered within 1 s: random 99.0 %, round-robin 87.5 %. One trial: a test needs --trials 4.",
    ],
    [
      "that trials tell no difference, and how many would",
      { "round-robin": around(0.9502), random: around(0.951) },
      "The trials tell no difference between the policies. Answered within 1 s: random 95.1 %, round-robin 95.0 % (medians of 5 trials). So small a difference would take about --trials 62.",
    ],
    [
      "that all answered as much",
      { "round-robin": [1, 1, 1, 1], random: [1, 1, 1, 1] },
      "The trials tell no difference between the policies. Answered within 1 s: round-robin and random each 100.0 % (medians of 4 trials).",
    ],
    ["what a single policy did", { random: [0.99] }, "random: 99.0 % of the requests were answered within 1 s."],
  ])("%s", (_, shares, line) => {
    expect(linesOf(shares)).toEqual([line]);
  });

  it("so for each balancer, without its name before each policy", () => {
    const shares = { "a: round-robin": around(0.8), "a: random": around(0.9), "b: random": around(0.9) };
    expect(linesOf(shares)).toEqual([
      "a: Take random: 90.0 % of the requests were answered within 1 s. The default, round-robin, costs 10.0 points (80.0 %, p = 0.0079, medians of 5 trials).",
      "b: random: 90.0 % of the requests were answered within 1 s.",
    ]);
  });
});

describe("a report of policies", () => {
  const result = judged(aPolicyResult({ "round-robin": around(0.875), random: around(0.994) }));

  it("begins with them in the terminal, whose table has the share, and says nothing of the faults by themselves", () => {
    const text = renderSummary(result);
    expect(text).toContain("Take random: 99.4 % of the requests");
    expect(text).toMatch(/^target +rate +within % +p50 ms +p90 ms +p99 ms +p999 ms/m);
    expect(text).not.toContain("lost to the faults");
    expect(text).not.toContain("Most requests/s");
  });

  it("has a table of them, the best first", () => {
    const [random, standard] = rowsWith(result, "Policy", "Policies");
    expect(random).toMatchObject({ Policy: "random", "Within 1 s (%)": "99.4 (99.2 to 99.6)" });
    expect(standard).toEqual({
      Policy: "round-robin",
      "Within 1 s (%)": "87.5 (87.3 to 87.7)",
      "p50 (ms)": "9.80",
      "p99 (ms)": "20.0",
      "p99.9 (ms)": "28.0",
      "Failed (%)": "0.0",
      // 5,010 requests were given to the backends for 5,000; one had 99 at the end.
      "Attempts a request": "1.002",
      "Most in flight": "99",
    });
    expect(renderMarkdown(result, { charts: "none" })).not.toContain("## Faults");
  });

  it("says that open requests were waited for only where a time was over", () => {
    const waited = "Requests still open when the time was over were waited for.";
    const level = { rate: 500, requests: 10_000 };
    const scenario = { ...result.scenario, levels: [level] };
    const byNumber = { ...result, scenario, steps: result.steps.map((step) => ({ ...step, level })) };
    expect(renderMarkdown(result, { charts: "none" })).toContain(`Scenario one-slow. ${waited}`);
    expect(renderMarkdown(byNumber, { charts: "none" })).not.toContain(waited);
  });

  it("draws what was missed, and over time the share and the load of each kind of backend, a panel for each policy", () => {
    const charts = chartDefinitions(result).filter(({ id }) => id.startsWith("policies-"));
    expect(charts.map(({ id }) => id)).toEqual(["policies-missed", "policies-shares", "policies-in-flight"]);
    const [missed, shares, inFlight] = charts;
    expect(missed?.series[0]?.points.map(({ x, y }) => [x, y?.toFixed(2)])).toEqual([
      ["round-robin", "12.50"],
      ["random", "0.60"],
    ]);
    expect(shares?.panels).toEqual(["round-robin", "random"]);
    expect(shares?.marks?.map(({ whole }) => whole).slice(0, 2)).toEqual([
      "slow backend-1 by 2s at 1s",
      "slow backend-1 by 0 at 4s",
    ]);
    const [first, second] = inFlight?.series ?? [];
    expect([first?.name, second?.name]).toEqual(["backend-1", "backend-2"]);
    expect(shares?.series[0]?.points).toContainEqual({ x: 0.1, y: 50 });
    expect(first?.points[0]).toEqual({ x: 0.1, y: 0.5 });
    expect(second?.points.every(({ y }) => y === 1)).toBe(true);
  });
});
