import { expect, it } from "vitest";
import { slicesOf } from "../test-support/faulty-steps.js";
import { xyCharts } from "./mermaid/xy-charts.js";
import { valueTicks } from "./charts/axes.js";
import { chartDefinitions } from "./charts/chart-definitions.js";
import { renderSummary } from "./summary-table.js";
import { aFaultyResult } from "./test-support/fault-results.js";
import { linesUnder, rowsWith } from "./test-support/read-markdown.js";
import { withFigures } from "./test-support/sample-results.js";

type Shape = NonNullable<Parameters<typeof aFaultyResult>[0]>;

const COUNTS = "Requests lost to the faults:";

it.each<[string, Shape, string]>([
  [
    "counts of one trial",
    {},
    `${COUNTS} balanced 0 of 5,000, haproxy 3, nginx 41. One trial: a test needs --trials 5.`,
  ],
  [
    "medians of too few trials",
    { trials: 3 },
    `${COUNTS} balanced 0 of 5,000, haproxy 4, nginx 42 (medians of 3 trials). 3 trials: a test needs --trials 5.`,
  ],
  [
    "the target that lost the fewest, where a test tells it of all others",
    { trials: 6 },
    "balanced lost the fewest requests to the faults: none of 5,000. The others lost more: haproxy 5.5, nginx 43.5 (medians of 6 trials).",
  ],
  [
    "that of some of the others it cannot be told",
    { trials: 6, lost: { a: 9, b: 10, c: 41 } },
    `${COUNTS} a 11.5 of 5,000, b 12.5, c 43.5 (medians of 6 trials). a lost fewer than c. The trials tell no difference between a and b.`,
  ],
  ["that nothing was lost", { lost: { a: 0, b: 0 } }, "a and b lost no request to the faults."],
  [
    "the target that recovered first, where a test tells it of all others",
    { trials: 6, lost: { a: 0, b: 0, c: 0 }, outages: { b: 5, c: Infinity } },
    "a, b and c lost no request to the faults (medians of 6 trials). Slowest recovery from a fault: a at once, b 500 ms, c never (medians of 6 trials). a recovered first.",
  ],
  [
    "nothing of recoveries that are no further apart than is known of them",
    { trials: 6, lost: { a: 0, b: 0, c: 0 }, outages: { a: 1, b: 2, c: 20 } },
    "a, b and c lost no request to the faults (medians of 6 trials). Slowest recovery from a fault: a 100 ms, b 200 ms, c 2 s (medians of 6 trials). a recovered before c.",
  ],
  ["the cost of a single target", { lost: { a: 41 } }, "a lost 41 of 5,000 requests to the faults."],
  [
    "that it cost nothing",
    { lost: { a: 0 }, trials: 2 },
    "a lost none of 5,000 requests to the faults (median of 2 trials).",
  ],
  [
    "who is not compared, because a fault could not be done there",
    { refuses: "balanced", lost: { balanced: 0, nginx: 41 } },
    'nginx lost 41 of 5,000 requests to the faults. balanced is not compared: "kill backend-2 at 3s" could not be done.',
  ],
])("the first sentences of a report say %s", (_, shape, expected) => {
  const result = aFaultyResult(shape);
  expect(linesUnder(result, /^Verdict/).join(" ")).toContain(expected);
});

const OUTAGE: Shape["events"] = [[50, 100, { ok: 25, timedOut: 20, resets: 5, latencyMs: 400, given: [50, 0] }]];

it.each<[string, Shape, Readonly<Record<string, string>>]>([
  [
    "what was lost and how, the recovery, p99, and the share of the backend",
    {},
    {
      Fault: "kill backend-2 at 3s",
      Target: "nginx",
      Lost: "41",
      How: "resets",
      Recovery: "100 ms",
      "p99 before (ms)": "2.05",
      "p99 during (ms)": "2.05",
      Slow: "0",
      "Share during (%)": "50.0",
      "Share back after": "at once",
    },
  ],
  [
    "that there was no recovery, and that the backend is not used again",
    {
      faults: [
        ["kill", 5000],
        ["start", 8000],
      ],
      events: OUTAGE,
    },
    { Lost: "1,250", How: "mostly timed out", Recovery: "not in 5 s", Slow: "1,250", "Share back after": "never" },
  ],
  ["medians of trials with the lowest and the highest", { trials: 3 }, { Lost: "42 (41 to 43)", Recovery: "100 ms" }],
  ["that it could not be done", { refuses: "nginx" }, { Lost: "could not be done", Recovery: "–" }],
])("a row for a fault and a target tells %s", (_, shape, row) => {
  const rows = rowsWith(aFaultyResult(shape), "Fault", "Faults");
  expect(rows.map(({ Target }) => Target)).toEqual(["balanced", "haproxy", "nginx"]);
  expect(rows.at(-1)).toMatchObject(row);
});

it("rows of all faults that harm stand by time, a single target and a single load are not repeated", () => {
  const faults: Shape["faults"] = [
    ["kill", 3000],
    ["start", 4000],
    ["pause", 6000],
  ];
  const rows = rowsWith(aFaultyResult({ lost: { a: 1 }, faults }), "Fault", "Faults");
  expect(rows.map(({ Fault }) => Fault)).toEqual(["kill backend-2 at 3s", "pause backend-2 at 6s"]);
  expect(Object.keys(rows[0] ?? {}).slice(0, 2)).toEqual(["Fault", "Lost"]);
});

it("the report says what each column of figures means", () => {
  const [row = {}] = rowsWith(aFaultyResult(), "Fault", "Faults");
  const figures = Object.keys(row).slice(2);
  const said = linesUnder(aFaultyResult(), /^How to read/).map((line) => line.split(":")[0] ?? "");
  expect(figures.length).toBeGreaterThan(6);
  expect(figures.filter((head) => !said.includes(head))).toEqual([]);
});

it("the terminal has the same rows, of trials their medians, and says for which figures there is no room", () => {
  const [head = "", ...rows] = renderSummary(aFaultyResult()).trimEnd().split("\n\n")[2]?.split("\n") ?? [];
  expect(head.split(/ {2,}/)).toEqual("fault|target|lost|how|recovery|p99 before|p99 ms|slow|share %|back".split("|"));
  expect(rows.at(-1)?.split(/ {2,}/)).toEqual(
    "kill backend-2 at 3s|nginx|41|resets|100 ms|2.05|2.05|0|50.0|at once".split("|"),
  );
  expect(renderSummary(aFaultyResult({ trials: 6 }))).toMatch(/\nkill \S+ at 3s +nginx +43\.5 +resets +100 ms /);
  expect(renderSummary(aFaultyResult(), 70)).toMatch(/\nNo room for: .*back\n/);
});

const chartOf = (id: string, shape: Shape = {}) => chartDefinitions(aFaultyResult(shape)).find((one) => one.id === id);

it("the charts have a panel a target, in slices, with the faults marked when they took effect", () => {
  const drawn = chartOf("faults");
  expect(drawn?.panels).toEqual(["balanced", "haproxy", "nginx"]);
  expect(drawn?.marks?.slice(0, 2)).toEqual([
    { panel: 0, x: 3.02, label: "kill backend-2", whole: "kill backend-2 at 3s" },
    { panel: 0, x: 6.02, label: "start", whole: "start backend-2 at 6s" },
  ]);
  const pointAt = (name: string, x: number, shape: Shape = {}) =>
    chartOf("faults", shape)
      ?.series.find((one) => one.name === name && one.panel === 2)
      ?.points.find((point) => point.x === x)?.y;
  expect([pointAt("failed", 3.05), pointAt("ok", 3.05), pointAt("ok", 3.15)]).toEqual([410, 90, 500]);
  // The mean of 41 and 42.
  expect(pointAt("failed", 3.05, { trials: 2 })).toBe(415);
  expect(drawn?.alt).toContain("Marked: kill backend-2 at 3s, start backend-2 at 6s.");
  // A p99 of 50 requests would be the longest of them.
  expect(chartOf("faults-latency")?.subtitle).toContain("every 200 ms");
  const failing: Shape = { events: [[50, 60, { ok: 25, resets: 25 }]] };
  expect(chartOf("faults-latency", failing)?.subtitle).toContain("every 200 ms");
  expect(chartOf("faults", { lost: { a: 0 } })?.title).toBe("Ok responses around the faults");
});

it("a peak of what had waited is cut in the chart, so that the rest is seen, and a long one is not", () => {
  const peak = (to: number): Shape => ({ lost: { a: 0 }, events: [[60, to, { ok: 400 }]] });
  const short = chartOf("faults", peak(61));
  expect(short?.subtitle).toContain("peaks above 1,000 are cut");
  expect(short && valueTicks(short).max).toBe(1000);
  const [mermaid] = (short && xyCharts(short)) ?? [];
  expect(mermaid?.code).toMatch(/ 0 --> 1000\n.*\b1000\b/);
  expect(mermaid?.code).not.toContain("4000");
  expect(short?.alt).toContain("highest 4,000 at 6.05");
  expect(chartOf("faults", peak(80))?.subtitle).not.toContain("cut");
});

it.each([
  ["in the only trial", [0]],
  ["in one of two trials, in less than a point of the other", [40_000, 100]],
])("no chart is drawn of faults where the end came at once %s", (_, lengthsMs) => {
  const result = aFaultyResult({ lost: { a: 0 }, trials: lengthsMs.length });
  const steps = result.steps.map((step, index) => {
    const elapsedMs = lengthsMs[index] ?? 0;
    const slices = { ...slicesOf([]), sent: Array.from({ length: elapsedMs / 100 }, () => 50) };
    return withFigures(step, { elapsedMs, slices });
  });
  expect(chartDefinitions({ ...result, steps }).map(({ id }) => id)).not.toContain("faults");
});

it("the charts end with the measurement, and stand in Mermaid with the faults in the legend", () => {
  const result = aFaultyResult();
  const steps = result.steps.map((step) => withFigures(step, { elapsedMs: 9000 }));
  const [drawn] = chartDefinitions({ ...result, steps });
  expect(drawn?.series[0]?.points.at(-1)?.x).toBe(8.95);
  const [first] = (drawn && xyCharts(drawn)) ?? [];
  expect(first?.legend.map(({ name }) => name)).toEqual([
    "ok",
    "failed",
    "kill backend-2 at 3s",
    "start backend-2 at 6s",
  ]);
});
