import { describe, expect, it } from "vitest";
import type { Difference } from "../judge/differences.js";
import { compareResults, type ResultComparison } from "../judge/compare-results.js";
import { aRun, AT_RATE, MARGINS, type RunShape, steady, withFault } from "../judge/test-support/compare-samples.js";
import { anEnvironment } from "../test-support/fixtures.js";
import { describeDifferences } from "./compare-words.js";
import { renderComparison } from "./compare-render.js";
import { readTables } from "./test-support/read-markdown.js";
import { textWidth } from "./text-layout.js";

const LATER = { startedAt: "2026-11-06T10:00:00.000Z" };

function compare(a: RunShape, b: RunShape): ResultComparison {
  const later = aRun({ ...b, result: { ...LATER, ...b.result } });
  return compareResults(aRun(a), later, MARGINS);
}

/** What is said of a comparison in Markdown, without escapes. */
const said = (a: RunShape, b: RunShape): string => renderComparison(compare(a, b), "md").replaceAll(/\\(?=[^\\])/g, "");

const WORSE_AT_100: RunShape = { connections: [1, 100], speed: (trial, load) => steady(load === 100 ? 0.8 : 1)(trial) };
const ONE: RunShape = { trials: 1 };
const OTHERS: readonly [RunShape, RunShape] = [{ targets: ["a", "b"] }, { targets: ["c", "d"] }];

describe("two runs, compared", () => {
  it("have a row for each level and metric, with figures, interval and outcome, in Markdown", () => {
    const [table, ...others] = readTables(renderComparison(compare({ connections: [1, 100] }, WORSE_AT_100), "md"));
    expect(others).toEqual([]);
    expect(table?.head).toEqual(["Connections", "Metric", "A", "B", "Change (95 % interval)", "Difference", "Worse"]);
    const rows = (level: string, words: string) =>
      ["Requests/s", "p50 (ms)", "p90 (ms)", "p99 (ms)"].map(
        (metric, at) => `${at === 0 ? level : ""}|${metric}|${words}`,
      );
    expect(table?.rows.map((row) => [row[0], row[1], row[5], row[6]].join("|"))).toEqual([
      ...rows("1", "~ (noise)|no"),
      ...rows("100", "slower|yes"),
    ]);
    expect(table?.rows[4]?.slice(2, 5).join(" ")).toMatch(/^1,035 828 -20\.0 % \(-[\d.]+ to -[\d.]+\)$/);
  });

  it("have what faults cost, and the rule for it", () => {
    const before = withFault({}, aRun(AT_RATE));
    const after = withFault({ lost: 2, outage: Infinity }, aRun({ ...AT_RATE, result: LATER }));
    const text = renderComparison(compareResults(before, after, MARGINS), "md");
    const rows = readTables(text)[0]
      ?.rows.slice(-2)
      .map((row) => row.join("|"));
    expect(rows).toEqual(["|Lost|0|2|+2 (+2 to +2)|more|yes", "|Recovery|at once|never|–|slower|yes"]);
    expect(text).toContain(
      "2 more requests lost to the faults than A; the margin allows 5 %.\n- B at 500 requests/s: it recovered from faults less often than A;",
    );
    expect(text).toContain("a recovery that takes longer by more than 5 % and 100 ms.");
    expect(renderComparison(compare(AT_RATE, AT_RATE), "md")).not.toMatch(/Lost|recover/);
  });

  it("have the same in a terminal, wrapped to its width, with a table for each target", () => {
    const text = renderComparison(
      compare({ targets: ["a", "b"] }, { targets: ["a", "b"], speed: steady(0.8) }),
      "text",
      90,
    );
    expect(text.split("\n").filter((line) => textWidth(line) > 90)).toEqual([]);
    expect(text).toMatch(
      /\n\na:\nConnections +Metric +A +B +Change \(95 % interval\) +Difference +Worse\n.*\n\nb:\nConnections /s,
    );
    expect(text).toMatch(/^ +50 +Requests\/s +1,035 +828 +-20\.0 % \(-\S+ to -\S+\) +slower +yes$/m);
    expect(text.split("\n")[0]).toBe("B is worse than A by more than 5 %.");
  });

  it.each<[string, RunShape, RunShape, readonly (string | RegExp)[]]>([
    [
      "where B is worse, by how much, by which rule, and which runs they are",
      { connections: [1, 100] },
      WORSE_AT_100,
      [
        "lbbench compare: fail",
        "B is worse than A by more than 5 %",
        /- B at 100 connections: 20\.0 % less throughput than A .*\n- B at 100 connections: 25\.0 % higher p50 than A /,
        "by more than 5 %, or the share of failed requests higher by more than 0.1 percentage points",
        /A: sample of 2026-11-05 10:00 UTC by lbbench 0\.1\.0\. B: sample of 2026-11-06 10:00 UTC/,
      ],
    ],
    [
      "of what is not worse, that this is not known of one connection",
      { connections: [1, 50, 100] },
      { connections: [1, 50, 100], speed: (trial, load) => (load === 1 ? (trial % 2) + 0.5 : steady(1.01)(trial)) },
      [
        "**B is not worse than A by more than 5 %. Speed is judged on average over 2 levels. With 1 connection it is not known.**",
      ],
    ],
    [
      "that one trial tells nothing",
      ONE,
      ONE,
      [/cannot be told/, "one trial cannot be told from noise, use --trials 6"],
    ],
    [
      "that it may be noise",
      {},
      { speed: steady(0.9) },
      [
        "compare: inconclusive",
        "B: 10.0 % fewer requests/s than A at 50 connections (p = 0.0022).",
        "two runs of the same target may differ as much; as targets of one run",
      ],
    ],
    [
      "what cannot be compared, and what may be part of a difference",
      { connections: [1, 50] },
      { result: { environment: anEnvironment({ cores: 2, node: "24" }) } },
      [
        "compare: inconclusive",
        "another machine: cores 8 in A, 2 in B",
        "other software: node 20.19.0 in A, 24 in B",
        "only A was measured at 1 connection (3 s)",
      ],
    ],
    ["that nothing can be compared", ...OTHERS, ["a, b: in A alone", /^(?![^]*\n\|)/]],
  ])("say %s", (_, a, b, facts) => {
    const text = said(a, b);
    for (const fact of facts) expect(text).toMatch(fact);
  });

  it("make no markup and no escape sequence of words from outside", () => {
    const name = "<img src=x>|**b**\n# [c](http://d)\u001B[31m\u202E";
    const run: RunShape = { targets: [name, "y"], scenario: { name } };
    const environment = anEnvironment({ kernel: name, cpuModel: name });
    const result = { environment, tool: { name: "lbbench", version: name } };
    const comparison = compare(run, { ...run, speed: steady(0.5), result });
    const markdown = renderComparison(comparison, "md");
    expect(markdown).not.toMatch(/(?<!\\)(<img|\*\*b|\[c)|\n# |\p{Cc}(?<!\n)|\u202E/u);
    for (const { head, rows } of readTables(markdown)) for (const row of rows) expect(row).toHaveLength(head.length);
    expect(renderComparison(comparison, "text")).not.toMatch(/\p{Cc}(?<!\n)|\u202E|^# /mu);
  });
});

it("a difference is said once, with all its targets and what it means", () => {
  const levels = [{ rate: 10, requests: 5 }];
  const missing: Difference = { code: "LEVELS_ONLY_IN_A", effect: "prevents", target: "one", levels };
  const other: Difference = { code: "OTHER_LOAD", effect: "prevents", what: "timeoutMs", a: 1000, b: 2000 };
  expect(describeDifferences([missing, { ...missing, target: "other" }, other, { ...other, effect: "note" }])).toEqual([
    "one, other: only A was measured at 10 requests/s (5 requests).",
    "another load: timeoutMs 1,000 in A, 2,000 in B. Measure both in the same way.",
    "timeoutMs 1,000 in A, 2,000 in B.",
  ]);
});
