import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aRun, type RunShape } from "../judge/test-support/compare-samples.js";
import type { BackendShare, Measurement } from "../model/measurement.js";
import type { Result, StepResult } from "../model/result.js";
import type { Workers } from "../model/scenario.js";
import type { ProcessUsage } from "../model/usage.js";
import { median } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import {
  aCrew,
  aFailedStep,
  aMeasurement,
  aProcessUsage,
  aRequest,
  aResult,
  aScenario,
  aStep,
  aUsage,
  aWorker,
} from "../test-support/fixtures.js";
import { formatCount, formatPercent, formatRate, formatTime } from "../stats/format-number.js";
import type { Table } from "./document/block.js";
import { results } from "./document/results.js";
import { renderMain } from "./html/page.js";
import { renderMarkdown } from "./markdown.js";
import { createReportModel } from "./report-model.js";
import { aRampResult } from "./test-support/ramp-results.js";
import {
  allNodes,
  linesUnder,
  type MarkdownNode,
  NO_WORDS,
  readMarkdown,
  readTables,
  rowsWith,
  tablesOf,
  wordsOf,
} from "./test-support/read-markdown.js";
import { aMatrix, anOpenLoop, aSearch, RESULT_SHAPES, withMargin, withWords } from "./test-support/result-shapes.js";
import { aSweep, failed, weighed, withFailures, withFigures } from "./test-support/sample-results.js";

const shape = (name: string): Result => RESULT_SHAPES.get(name) as Result;

it("a whole report reads as recorded", async () => {
  const result = aSweep({
    connections: [1, 100],
    trials: 5,
    change: (step) => (step.level.connections === 100 && step.target === "single" ? withFailures(step, 0.02) : step),
  });
  await expect(renderMarkdown(result, { charts: "png" })).toMatchFileSnapshot("__snapshots__/report.md");
});

it.each<readonly [path: string, urls: readonly string[], expected: readonly RegExp[]]>([
  ["/", ["http://a/leak?n=1"], [/^Request: GET \/leak\?n=1;/]],
  ["/cart", ["http://a/leak", "http://127.0.0.1:{port}/leak"], [/^Request: GET \/leak;/]],
  ["/cart", ["http://a/"], [/^Request: GET \/cart;/]],
  ["/cart", ["http://a/leak", "http://b/"], [/^Request: GET \/cart;/, /^Paths: .* with a path its own$/]],
])("the request to %s is told with the paths of the URLs %j", (path, urls, expected) => {
  const { scenario, ...rest } = aSweep({ targets: urls });
  const targets = urls.map((url) => ({ name: url, server: "url", options: { url } }));
  const result = { ...rest, scenario: { ...scenario, targets, request: aRequest({ path }) } };
  const told = linesUnder(result, /^How it/).filter((line) => /^(Request|Paths): /.test(line));
  expect(told).toEqual(expected.map((line) => expect.stringMatching(line) as unknown));
});

it.each([
  ["grpc", {}, "Request: the message that the engine sends where none is given"],
  ["websocket", { body: "hello" }, "Request: body of 5 characters, utf8"],
])("of the engine %s, which speaks no HTTP, no method and no path is told", (name, request, expected) => {
  const { scenario, ...rest } = aSweep();
  const engine = { ...scenario.engine, name };
  const result = { ...rest, scenario: { ...scenario, engine, request: aRequest(request) } };
  expect(linesUnder(result, /^How it/).filter((line) => line.startsWith("Request: "))).toEqual([expected]);
});

it.each([
  ["2026-07-01T10:02:03.500Z", "Measured on 2026-07-01 10:02 UTC in 1.5 s by"],
  ["2020-01-01T00:00:00.000Z", "Measured on 2026-07-01 10:02 UTC by"],
])("a run that ended at %s is said to have lasted so long as is known", (finishedAt, words) => {
  const result = { ...aSweep(), startedAt: "2026-07-01T10:02:02.000Z", finishedAt };
  expect(renderMarkdown(result, { charts: "none" })).toContain(words);
});

/** But for the many names from outside, of which another test tells more. */
const SHAPES = [...RESULT_SHAPES].filter(([what]) => what !== "names from outside");

describe.each(SHAPES)("the report of %s", (_, result) => {
  const markdown = renderMarkdown(result, { charts: "png" });
  const nodes = readMarkdown(markdown).flatMap(allNodes);
  const tables = readTables(markdown);

  it("says the verdict before anything else, and skips no level of headings", () => {
    const headings = nodes.filter(({ type }) => type === "heading");
    expect(headings.slice(0, 2).map(({ depth }) => depth)).toEqual([1, 2]);
    expect(headings.slice(0, 2).map(wordsOf)[1]).toMatch(/^Verdict(?: so far)?: (pass|fail|inconclusive)$/);
    const depths = headings.map(({ depth = 0 }) => depth);
    expect(depths.filter((depth, at) => depth > (depths[at - 1] ?? 0) + 1)).toEqual([]);
  });

  it("has no placeholder, no plural of one, no empty paragraph, and as many cells in each row as columns", () => {
    expect(markdown).not.toMatch(NO_WORDS);
    expect(markdown).not.toContain("\n\n\n");
    for (const { head, rows } of tables) {
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) expect(row).toHaveLength(head.length);
    }
  });

  it("has the figures of the result in its tables, medians and counts of all trials", () => {
    const byPlace = groupBy(result.steps, ({ target, level }) => `${target} ${JSON.stringify(level)}`);
    const measured = result.scenario.ramp === null ? [...byPlace.values()] : [];
    const rows = tables
      .filter(({ under, head }) => under.includes("Results") && head.includes("Failed") && !head.includes("Request"))
      .flatMap(({ head, rows: those }) => those.map((row) => (name: string) => row[head.indexOf(name)] ?? "–"));
    expect(rows).toHaveLength(measured.length);
    const expected = measured.map((steps) => {
      const all = steps.flatMap(({ measurement }) => measurement ?? []);
      const sum = (of: (one: (typeof all)[number]) => number): string =>
        all.length === 0 ? "–" : formatCount(all.reduce((total, one) => total + of(one), 0));
      const middle = (of: (one: (typeof all)[number]) => number | undefined, format: (value: number) => string) => {
        const values = all.flatMap((one) => of(one) ?? []);
        return values.length === 0 ? "–" : format(median(values));
      };
      const largest = (values: readonly number[]) => (values.length === 0 ? "–" : formatTime(Math.max(...values)));
      return [
        sum(({ requests: { sent, ok, inFlight = 0 } }) => sent - ok - inFlight),
        middle(({ throughput }) => throughput, formatRate),
        middle(({ latency }) => latency?.p50, formatTime),
        middle(({ latency }) => latency?.p99, formatTime),
        largest(all.flatMap(({ latency }) => latency?.max ?? [])),
      ].join(" ");
    });
    const bare = (text: string): string => text.replace(/\*?( \([\d,.]+ to [\d,.]+\))?( †)?$/, "");
    const told = rows.map((cell) =>
      ["Failed", "Requests/s", "p50 (ms)", "p99 (ms)", "Max (ms)"].map((name) => bare(cell(name))).join(" "),
    );
    expect(told.toSorted()).toEqual(expected.toSorted());
  });
});

describe("tables of a report", () => {
  it("count failures by class, of those requests that came to an end, where there are any", () => {
    const change = (step: StepResult): StepResult => {
      const requests = { ok: 700, non2xx: 200, resets: 100, inFlight: 500 };
      return step.level.connections === 1 ? step : { ...step, measurement: aMeasurement({ requests }) };
    };
    const result = aSweep({ targets: ["single"], connections: [1, 50], trials: 2, change });
    const classes = { "Unexpected status": "400", Resets: "200", "In flight": "1,000" };
    const row = { Connections: "50", Sent: "3,000", "Failed (%)": "30.0", ...classes };
    expect(rowsWith(result, "Resets")).toEqual([expect.objectContaining(row)]);
    expect(Object.keys(rowsWith(result, "Resets")[0] ?? {})).not.toContain("Timed out");
    expect(tablesOf(aSweep()).flatMap(({ head }) => head)).not.toContain("Resets");
    const refusing = aSweep({ targets: ["single"], connections: [50], change: (step) => withFailures(step, 0.02) });
    expect(rowsWith(refusing, "503")).toEqual([
      expect.objectContaining({ Connections: "50", "200": "970", "503": "20" }),
    ]);
    expect(linesUnder(aSweep(), /^Results/)).toContain("All answers had status 200.");
  });

  it("have a row for a step that failed, without figures, and the error below it", () => {
    const result = aSweep({ change: (step) => (step.level.connections === 100 ? failed(step) : step) });
    expect(
      rowsWith(result, "State").filter(({ Target, State }) => Target === "balanced" && State === "failed"),
    ).toEqual([expect.objectContaining({ Connections: "100", "Requests/s": "–", "p99 (ms)": "–" })]);
    expect(linesUnder(result, /^Results/)).toContain(
      "balanced at 100 connections: failed with TARGET_DIED: exited with code 1",
    );
  });

  it("rest on completed trials, and on what was counted before a fault where none was completed", () => {
    const change = (step: StepResult): StepResult => (step.trial === 2 ? failed(step) : step);
    const lost = aSweep({ targets: ["a"], connections: [50], trials: 3, change });
    expect(rowsWith(lost, "p99 (ms)")[0]?.["State"]).toBe("1 of 3 failed");
    expect(renderMain(lost)).toMatch(/Complete \(ok\)[^]*data-value="2000"/);
    const cut = { ...aFailedStep(), measurement: aMeasurement({ requests: { ok: 77 } }) } as StepResult;
    expect(rowsWith(aResult({ steps: [cut] }), "p99 (ms)")[0]?.["State"]).toMatch(/failed/);
    expect(renderMain(aResult({ steps: [cut] }))).toMatch(/Complete \(ok\)[^]*data-value="77"/);
  });

  it("show how far trials spread, by an interval from 6 on, and mark outliers", () => {
    const slow = (step: StepResult): StepResult =>
      step.trial === 4 && step.level.connections === 50 ? withFigures(step, { throughput: 12 }) : step;
    const of = (trials: number, change = (step: StepResult) => step): Result =>
      aSweep({ targets: ["single"], connections: [50, 100], trials, change });
    const marked = of(8, slow);
    const noteOf = (result: Result): string => linesUnder(result, /^Results/).join("\n");
    expect(noteOf(of(5))).toMatch(
      /In brackets: the 95 % interval .* of fewer than 6 trials the lowest and the highest\./,
    );
    expect(noteOf(of(1))).not.toContain("In brackets");
    expect(rowsWith(marked, "Requests/s").map((row) => row["Requests/s"])).toEqual([
      expect.stringMatching(/^[\d,]+ \([\d,.]+ to [\d,]+\) †$/),
      expect.stringMatching(/^[\d,]+ \([\d,.]+ to [\d,]+\)$/),
    ]);
    expect(linesUnder(marked, /^Results/).join("\n")).toMatch(
      /^† An outlier .* Requests\/s, 50 connections: 12\.0 \(trial 4\)\.$/m,
    );
  });

  it("compare with the reference, with the interval of each change, and say what is worse than a margin allows", () => {
    const [row] = rowsWith(shape("a margin that is missed"), "Worse");
    expect(row).toMatchObject({ Target: "balanced", Connections: "1", Worse: expect.stringMatching(/^throughput/) });
    expect(row?.["Requests/s"]).toMatch(/^-\d+\.\d % \(-[\d.]+ to -[\d.]+\) slower$/);
    const ofTwo = (speed: NonNullable<RunShape["speed"]>): Result =>
      aRun({ targets: ["a", "b"], connections: [10, 50], trials: 6, scenario: { reference: "a" }, speed });
    const loss = [0.97, 0.96, 0.95, 0.94, 0.96, 0.97];
    const losing = ofTwo((trial, _, name) => (1 + trial / 100) * (name === "b" ? (loss[trial - 1] ?? 1) : 1));
    const [, , both] = rowsWith(withMargin(losing, 0.05), "Worse");
    expect(both).toMatchObject({ Connections: "together", Worse: "not known" });
    const gain = [1.05, 0.98, 1.04, 0.97, 1.05, 1.03];
    const apart = ofTwo((trial, load, name) => (name === "a" ? 1 : load === 50 ? 1.5 : (gain[trial - 1] ?? 1)));
    const [low, high, mean] = rowsWith(apart, "p50");
    const NO_WORD = "a change without a word: told together with the other levels, and not by itself";
    expect(low?.["Requests/s"]).toBe("+3.5 % (-3.0 to +5.0)");
    for (const row of [high, mean]) expect(row?.["Requests/s"]).toMatch(/ faster$/);
    expect(linesUnder(apart, /^Comparison/)).toContain(NO_WORD);
    expect(linesUnder(shape("a margin that is missed"), /^Comparison/).join("\n")).not.toContain(NO_WORD);
    // Where a single trial tells nothing there are no rows of which each says so.
    expect(linesUnder(aSweep({ connections: [50] }), /^Comparison/)).toEqual([]);
    expect(linesUnder(aSweep({ targets: ["single"] }), /^Comparison/)).toEqual([]);
  });

  it("say which process of the target was found, and where none was seen", () => {
    const seen = (backends: readonly ProcessUsage[]): string => {
      const change = (step: StepResult): StepResult => ({ ...step, usage: aUsage({ backends }) });
      return linesUnder(aSweep({ targets: ["single"], change }), /^Results/).join("\n");
    };
    expect(seen([aProcessUsage({ name: "node", found: true })])).toMatch(
      /^lbbench found the process node at the port of single and watched it. lbbench did not start it.$/m,
    );
    expect(seen([])).toMatch(/^No process of single was seen/m);
    expect(seen([aProcessUsage()])).not.toMatch(/found the process|No process/);
  });

  it("set the share of each backend against an even one, or against its weight", () => {
    const result = aSweep({ targets: ["single", "balanced"], connections: [1] });
    expect(linesUnder(result, /^Share/)[0]).toMatch(/^balanced: each of backend-1, .* got 25\.0 % of 1,000 requests/);
    const weights = { "backend-1": 3, "backend-2": 1, "backend-3": 1, "backend-4": 1 };
    const weighted = rowsWith(weighed(result, weights), "Off its share");
    expect(weighted.map((row) => row["Off its share"])).toEqual(["-50.0 %", "+50.0 %", "+50.0 %", "+50.0 %"]);
    // What does not fit the backends that were counted is not held against them.
    expect(linesUnder(weighed(result, { other: 5 }), /^Share/)[0]).toContain("got 25.0 %");
  });

  it.each<[string, Partial<BackendShare>, number, boolean]>([
    ["where no request of the target failed", { errors: 0 }, 0, true],
    ["not where some did that its backends call good", { errors: 0 }, 0.1, false],
    ["not where its balancer does not tell", {}, 0, false],
  ])("say that no request failed at its backends %s", (_, told, failing, isSaid) => {
    const result = aSweep({
      connections: [1],
      change: (step) =>
        withFigures(withFailures(step, failing), {
          backends: { a: { requests: 50, ...told }, b: { requests: 50, ...told } },
        }),
    });
    const [line = ""] = linesUnder(result, /^Share/);
    expect(line).toContain("got 50.0 % of");
    expect(line.includes("No request failed there")).toBe(isSaid);
  });

  it("tell how many connections the backends accepted and how often each was used, of all backends or of a server alone", () => {
    const connections = (accepted: number) => ({ before: 5, accepted, open: 10, active: 2 });
    const result = aSweep({
      connections: [50],
      trials: 2,
      change: (step) => {
        if (step.target === "single")
          return withFigures(step, { server: { requests: 60, connections: connections(1) } });
        const [a, b] = [5, 35].map((accepted) => ({ requests: 1000, connections: connections(accepted) }));
        return withFigures(step, { backends: { a, b } as NonNullable<Measurement["backends"]> });
      },
    });
    // For few readers: the page has it, folded away.
    expect(tablesOf(result).filter(({ head }) => head.includes("Open"))).toEqual([]);
    const folded = results(createReportModel(result)).flatMap((one) => (one.kind === "folded" ? one.blocks : []));
    const table = folded.find((one) => one.kind === "table" && one.caption === "Connections of the backends") as Table;
    expect([table.columns.map(({ head }) => head), ...table.rows.map((row) => row.map(({ text }) => text))]).toEqual([
      ["Target", "Connections", "Accepted", "Requests a connection", "Open", "Active"],
      ["single", "50", "2", "10.0", "10", "2"],
      ["balanced", "50", "80", "40.0", "20", "4"],
    ]);
    const shares = rowsWith(weighed(result, { a: 1, b: 3 }), "Connections accepted");
    expect(shares.map((row) => [row["Connections accepted"], row["Requests a connection in a trial"]])).toEqual([
      ["10", "100"],
      ["70", "25.0"],
    ]);
  });

  it("show what a plugin calls backends as it is, where it is something else", () => {
    const backends = [{ name: null, server: "own", options: null, count: 1, weight: 1 }];
    const scenario = aScenario({ targets: [{ name: "own", server: "own", options: { backends } }] });
    expect(renderMarkdown(aResult({ scenario }), { charts: "none" })).toContain(
      String.raw`own, backends \[{"name":null`,
    );
  });

  it("tell what a balancer relayed to each backend, and how much of it in turn, where the backends do not count", () => {
    const [first, byBackend] = [["b-2", "b-10", "b-1"], { "b-2": 2, "b-10": 2, "b-1": 1 }] as const;
    const turns = { of: "connections", picked: 5, inTurn: 4, first, byBackend } as const;
    const scenario = aScenario({ targets: [{ name: "relay", server: "balanced", options: {} }] });
    const step = aStep({ target: "relay", measurement: { ...aMeasurement(), turns } });
    const result = aResult({ scenario, steps: [step] });
    expect(rowsWith(result, "Off an even share").map(Object.values)).toEqual([
      ["b-1", "1", "20.0", "-40.0 %"],
      ["b-2", "2", "40.0", "+20.0 %"],
      ["b-10", "2", "40.0", "+20.0 %"],
    ]);
    expect(linesUnder(result, /^Share/).join(" ")).toContain("In turn: 4 of 5 connections (80.0 %)");
  });

  it("tell how many trials a difference rests on, and of which target nothing is known", () => {
    const result = aRun({
      targets: ["a", "b", "c"],
      trials: 6,
      connections: [50],
      scenario: { reference: "a" },
      speed: (trial, _, name) => (name === "b" ? 2 : 1) * (1 + trial / 100),
      findings: (trial, _, name) =>
        name === "b" && trial === 1 ? [{ code: "MACHINE_SATURATED", severity: "warning", args: {} }] : [],
    });
    const rows = rowsWith(result, "p50");
    expect(rows.map((row) => row["Requests/s"])).toEqual([
      expect.stringMatching(/ faster \(5 of 6 trials\)$/),
      expect.stringMatching(/ ~$/),
    ]);
    expect(linesUnder(result, /^Comparison/).join("\n")).toContain("~ at 50 of c: the trials vary too much to tell");
  });

  it("tell that requests came at random", () => {
    const told = (spacing: "uniform" | "poisson"): string => {
      const { scenario, ...result } = anOpenLoop();
      const arrival = { spacing, seed: 7, maxInFlight: 1000 };
      return renderMarkdown({ ...result, scenario: { ...scenario, arrival } }, { charts: "none" });
    };
    expect(told("poisson")).toContain("**Arrivals**: at random (Poisson), seed 7");
    expect(told("uniform")).not.toContain("**Arrivals**");
  });

  it("of an open loop speak of rates, of its schedule and of where the time went", () => {
    expect(rowsWith(anOpenLoop(), "Could not leave")[0]).toMatchObject({
      "Rate (requests/s)": "100",
      Due: "3,000",
      "Could not leave": "40",
      "Late, mean (ms)": "0.125",
      "Late, p99 (ms)": "2.50",
    });
    expect(rowsWith(anOpenLoop(), "Connect, mean (ms)")[0]).toMatchObject({
      "Connect, mean (ms)": "0.250",
      "Waiting, mean (ms)": "1.50",
    });
    expect(rowsWith(anOpenLoop(), "Backend, p50 (ms)")[1]).toMatchObject({
      "Rate (requests/s)": "1,000",
      "Backend, p99 (ms)": "10.5",
      "Added, p50 (ms)": "0.750",
      "Added, p99.9 (ms)": "2.25",
      "Queue, p99 (ms)": "0.250",
      "Connect, p99 (ms)": "0.500",
      "Generator, p99 (ms)": "0.125",
    });
    expect(linesUnder(anOpenLoop(), /^Results/).join(" ")).toContain(
      "100 requests/s: of 990 answers 60 without a time, 30 with a malformed Server-Timing and 4 with a longer time than was measured (0 added); 1,000",
    );
    expect(tablesOf(anOpenLoop()).flatMap(({ head }) => head)).not.toContain("Connections");
    expect(linesUnder(anOpenLoop(), /^How to read/).join(" ")).toContain(
      "from when a request was due to the last byte",
    );
  });

  it("of a mix have a row for every request at every level", () => {
    expect(rowsWith(shape("a mix"), "Share (%)")[0]).toMatchObject({
      Request: '=a "b"',
      Sent: "10",
      "Share (%)": formatPercent(10 / 15_000),
      "Complete (ok)": "9",
      Failed: "1",
    });
    expect(linesUnder(shape("a mix"), /^How it/).filter((line) => line.startsWith("Request: "))).toHaveLength(2);
  });

  it("of workers have a row for each at every level: counts together, usage as medians, the latest start", () => {
    const rows = rowsWith(shape("load of workers"), "Worker");
    expect(rows).toHaveLength(6);
    expect(rows[4]).toEqual({
      Connections: "100",
      Worker: "gen2",
      Machine: "gen2",
      Share: "33",
      Sent: "602",
      "CPU (%)": "60.0",
      "Event loop (%)": "25.0",
      "Machine's CPU (%)": "10.0",
      "Started later (ms)": "2.50",
    });
    const [level] = rowsWith(shape("load of workers"), "Requests/s");
    expect(level?.["CPU generator (%)"]).toBe("180.0");
  });

  it("of a matrix have requests down and loads across, and no processor time of steps that the system cannot time", () => {
    const result = aMatrix((step) => ({
      ...step,
      usage: aUsage({ windowMs: step.level.requests === 100 ? 10 : 3000, backends: [aProcessUsage({ cpu: 0.75 })] }),
    }));
    const tables = tablesOf(result).filter(({ head, under }) => head[0] === "Requests" && under.includes("go"));
    expect(tables.map(({ head }) => head)).toEqual(tables.map(() => ["Requests", "1 connection", "50 connections"]));
    const rowsOf = (lead: RegExp) => {
      const [table] = tables.filter((one) => lead.test(one.lead));
      return table?.rows.map((row) => row.join(" ")).join("; ");
    };
    expect(rowsOf(/median latency/i)).toBe("100 0.100 5.00; 10,000 0.100 5.00");
    expect(rowsOf(/transfer/i)).toBe("100 0.400 20.0; 10,000 0.400 20.0");
    expect(rowsOf(/CPU/)).toBe("100 – –; 10,000 75.0 75.0");
  });

  it("of a search say what held, what did not and why, the knee, and what came beyond", () => {
    const beyond = { value: 100, decision: "broken", held: 0, broken: 1, unclear: 0 } as const;
    const { verdict, ...rest } = aSearch({ beyond });
    const args = { target: "single", knee: 50, below: 10, above: 50, throughput: 1000, then: "CLIFF" } as const;
    const findings = [{ code: "KNEE", severity: "info", args } as const];
    const result: Result = { ...rest, verdict: { ...verdict, findings } };
    expect(rowsWith(result, "Because")).toEqual([
      expect.objectContaining({
        Target: "single",
        "Connections: most that held": "50",
        "Did not hold": "100",
        Because: "the target died",
        "p99 (ms)": formatTime(20),
        Knee: "about 50",
        "Beyond (× 1.25)": "100",
      }),
    ]);
    expect(rowsWith(result, "Held?").map((one) => one["Held?"])).toEqual(["held", "did not hold"]);
    // Which is true where throughput falls beyond it, too.
    const markdown = renderMarkdown(result, { charts: "none" });
    expect(markdown).toContain("Knee: from about this load on, more load adds little or no throughput.");
  });

  it("of a ramp have means of rates over the seconds of a row, average no percentile, and keep failures by second", () => {
    const at = (users: number) => ({ ok: 100 + users, failed: users > 50 ? 30 : 0 });
    const result = aRampResult({ targets: { a: at } });
    const seconds = result.steps[0]?.measurement?.timeline.slice(5, 10) ?? [];
    const p50 = seconds.flatMap((second) => second.p50 ?? []);
    const rows = rowsWith(result, "Sent/s");
    expect(rows[1]).toMatchObject({
      Seconds: "5 to 9",
      Users: "11",
      "Ok/s": formatRate(seconds.reduce((sum, { ok }) => sum + ok, 0) / 5),
      "Failed/s": "0",
      "p50 (ms)": `${formatTime(Math.min(...p50))} to ${formatTime(Math.max(...p50))}`,
    });
    expect(rows[19]).toMatchObject({ "Failed/s": expect.stringMatching(/^[1-9]/) });
  });
});

it("a report says over how many processes the load was split where that was chosen", () => {
  const engine = { name: "autocannon", generators: "auto", options: {} } as const;
  const chosen = [1, 1, 3].map((generators, at) => aStep({ level: { connections: 10 ** at }, generators }));
  const said = [chosen, chosen.slice(0, 2)].map((steps) =>
    renderMarkdown(aResult({ scenario: aScenario({ engine }), steps }), { charts: "none" }),
  );
  expect(said[0]).toContain("1 process (auto), but 3 at 100 connections");
  expect(said[1]).toMatch(/1 process \(auto\)$/m);
});

it.each<[Partial<Workers> | undefined, readonly string[], string | undefined]>([
  [undefined, [], undefined],
  [
    { from: "ssh", count: 2, hosts: ["a", "b"] },
    ["gen1", "gen2"],
    "2 machines: gen1 and gen2. lbbench started them by ssh.",
  ],
  // No step was measured.
  [{ from: "ssh", count: 2, hosts: ["a", "b"] }, [], "2 machines: a and b. lbbench started them by ssh."],
  [{ from: "wait", count: 2 }, ["gen1", "gen1"], "2 workers on 1 machine: gen1. lbbench did not start them."],
  [{ from: "wait", count: 2 }, [], "2 workers. lbbench did not start them."],
])("a report says where load came from: %j, %j", (workers, hosts, said) => {
  const engine = { ...aScenario().engine, ...(workers && { workers: aCrew(workers) }) };
  const step = aStep(hosts.length === 0 ? {} : { workers: hosts.map((host) => aWorker({ host })) });
  const lines = linesUnder(aResult({ scenario: aScenario({ engine }), steps: [step] }), /^How it/);
  expect(lines.find((line) => line.startsWith("Workers"))).toBe(said && `Workers: Load came from ${said}`);
  expect(lines.some((line) => line.includes("1 process"))).toBe(workers === undefined);
});

describe("what a report says of a run", () => {
  const headingsOf = (result: Result): readonly string[] =>
    readMarkdown(renderMarkdown(result, { charts: "none" }))
      .filter(({ type }) => type === "heading")
      .map(wordsOf);

  it("groups findings by what they mean, the worst first, and says cause and remedy of a kind once", () => {
    const died = (target: string) =>
      ({ code: "TARGET_DIED", severity: "error", args: { target, connections: 1, message: "gone" } }) as const;
    const findings = [
      { code: "SINGLE_TRIAL", severity: "warning", args: {} },
      died("single"),
      { code: "THRESHOLD_FAILED", severity: "error", args: { target: "single", connections: 1 } },
      died("balanced"),
    ] as const;
    const result: Result = { ...aSweep(), verdict: { status: "fail", findings } };
    const groups = headingsOf(result).join("; ");
    expect(groups).toMatch(/; Findings; Failed\b.*; Errors\b.*; Warnings\b/);
    const lines = linesUnder(result, /^Findings/);
    expect(lines.filter((line) => line.includes("TARGET_DIED"))).toHaveLength(1);
    expect(lines.filter((line) => /single and balanced at 1 connection: the target/.test(line))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith("Cause: "))).toHaveLength(3);
  });

  it.each([
    ["png", /!\[.+\]\(throughput\.png\)/],
    ["mermaid", /```mermaid\n/],
    ["none", /^(?![^]*(\.png|mermaid))/],
  ] as const)("has charts as %s where these are asked for, each with its words", (charts, expected) => {
    const markdown = renderMarkdown(aSweep(), { charts });
    expect(markdown).toMatch(expected);
    const images = readMarkdown(markdown)
      .flatMap(allNodes)
      .filter(({ type }) => type === "image");
    expect(images.every(({ alt = "" }) => alt.length > 40)).toBe(true);
    expect(images.length > 3).toBe(charts === "png");
  });
});

/** How many there are of everything that a name could make more of, and how many rows and columns. */
function shapeOf(markdown: string): unknown {
  const nodes = readMarkdown(markdown).flatMap(allNodes);
  const isPlainAddress = (node: MarkdownNode): boolean => {
    const text = wordsOf(node);
    return [text, `http://${text}`, `mailto:${text}`].includes(decodeURI(node.url ?? ""));
  };
  const counted = ["heading", "list", "blockquote", "thematicBreak", "footnoteDefinition"];
  return {
    counts: counted.map((type) => nodes.filter((node) => node.type === type).length),
    tables: nodes
      .filter(({ type }) => type === "table")
      .map(({ children = [] }) => children.map((row) => row.children?.length)),
    images: nodes.flatMap(({ type, url }) => (type === "image" ? [url] : [])),
    code: nodes.flatMap(({ type, lang }) => (type === "code" ? [lang] : [])),
    html: nodes.flatMap(({ type, value }) => (type === "html" ? [value] : [])),
    // GitHub makes links of addresses wherever they stand; such a link shows where it leads.
    links: nodes.filter((node) => node.type === "link" && !isPlainAddress(node)).length,
  };
}

describe("words from outside", () => {
  const HOSTILE = [
    ...String.raw`| || ~~~ < --> </details> <!-- &amp; &#124; --- === [x](y) ![x](y) ** __ \ \| $$ :---:`.split(" "),
    ..."http://x.yz www.x.yz a@b.cd @someone #1 \u2028 \u0000 \u202e 日本 🟦 ` ```".split(" "),
    ..."\n,\r\n\n,\t,# ,- ,1. ,> ,[^1]: ".split(","),
  ];
  const part = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "grapheme", maxLength: 8 }));
  const words = fc.func(fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("")));
  /** But for the code of a finding, which is ours. */
  const render = (word: (place: string) => string, charts: "png" | "mermaid"): unknown => {
    const result = withWords((place) => (place === "unknown" ? place : word(place)));
    return shapeOf(renderMarkdown(result, { charts }));
  };

  it.each(["png", "mermaid"] as const)("change nothing of the structure of a report, with charts as %s", (charts) => {
    const numRuns = charts === "png" ? 8 : 3;
    const usual = render((place) => place, charts);
    fc.assert(
      fc.property(words, (word) => {
        expect(render((place) => `${place}${word(place)}`, charts)).toEqual(usual);
      }),
      { numRuns, examples: [[() => HOSTILE.join("")], [() => HOSTILE.toReversed().join("")]] },
    );
  });

  it("are read as they were, without control characters", () => {
    const result = withWords((place) => `${place} <b>|*x*|\u001b[1m`);
    const markdown = renderMarkdown(result, { charts: "none" });
    expect(markdown).not.toContain("\u001b");
    const text = readMarkdown(markdown).map(wordsOf).join("\n");
    for (const place of ["name", "first", "message", "backend", "cpu", "path", "header", "died", "argument"])
      expect(text).toContain(`${place} <b>|*x*| [1m`);
  });
});
