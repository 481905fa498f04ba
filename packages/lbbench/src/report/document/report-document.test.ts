import { describe, expect, test } from "vitest";
import type { Result } from "../../model/result.js";
import { aFailedStep, aResult } from "../../test-support/fixtures.js";
import { aSweep, failed, withFailures } from "../test-support/sample-results.js";
import { aSearch } from "../test-support/result-shapes.js";
import type { Block, ReportSection, SectionId, Table } from "./block.js";
import { createDocument } from "./report-document.js";

function sectionOf(result: Result, id: SectionId): ReportSection | undefined {
  return createDocument(result).sections.find((section) => section.id === id);
}

function tablesOf(result: Result): readonly Table[] {
  const blocks = createDocument(result).sections.flatMap((section) => section.blocks);
  return blocks.flatMap((block) => (block.kind === "table" ? [block] : []));
}

function tablesInFolds(result: Result): readonly Table[] {
  return createDocument(result).sections.flatMap(({ blocks }) =>
    blocks.flatMap((block) =>
      block.kind === "folded" ? block.blocks.filter((part): part is Table => part.kind === "table") : [],
    ),
  );
}

describe("a report as data", () => {
  test("has the verdict first, and no section with nothing to say", () => {
    const ids = (result: Result): readonly SectionId[] => createDocument(result).sections.map(({ id }) => id);
    expect(ids(aSweep({ trials: 5, connections: [1, 50] }))).toEqual([
      "verdict",
      "charts",
      "comparison",
      "results",
      "backends",
      "environment",
      "settings",
      "repeat",
      "glossary",
    ]);
    expect(ids(aSweep({ targets: ["single"] }))).not.toContain("comparison");
    expect(ids(aResult({ steps: [] }))).not.toContain("charts");
  });

  test("has texts as they came: whoever renders them escapes them", () => {
    const document = createDocument(aSweep({ targets: ["a|b <i>", "*x*"] }));
    expect(document.introduction).toEqual([
      "Load test of ",
      { kind: "strong", text: "a|b <i>" },
      " and ",
      { kind: "strong", text: "*x*" },
      expect.stringMatching(/^ at 1, 50, .*lbbench/),
    ]);
    expect(JSON.stringify(document)).not.toMatch(/\\\\[|<*]|&lt;|\*\*/);
  });

  test("has as many cells in every row of a table as it has columns", () => {
    const result = aSweep({ trials: 5, connections: [1, 50], change: (step) => withFailures(step, 0.1) });
    const tables = tablesOf(result);
    expect(tables.length).toBeGreaterThan(6);
    for (const { columns, rows } of tables) {
      expect(new Set(rows.map((row) => row.length))).toEqual(new Set([columns.length]));
    }
  });

  test("has the figure beside its text, and none where nothing was measured", () => {
    const [table] = tablesOf(aSweep({ targets: ["single"], connections: [1000] }));
    const at = table?.columns.findIndex(({ head }) => head === "Requests/s") ?? -1;
    const cell = table?.rows[0]?.[at];
    expect(cell?.text).toMatch(/^\d,\d{3}$/);
    expect(Math.round(cell?.value ?? 0).toLocaleString("en-US")).toBe(cell?.text);
    const unmeasured = aSweep({
      targets: ["single"],
      connections: [1],
      change: failed,
    });
    expect(tablesOf(unmeasured)[0]?.rows[0]?.[at]).toEqual({ text: "–" });
  });

  test("has findings by what they mean, the worst first, with what is shared said once", () => {
    const died = (target: string) =>
      ({ code: "TARGET_DIED", severity: "error", args: { target, connections: 1, message: "gone" } }) as const;
    const result: Result = {
      ...aSweep(),
      verdict: {
        status: "fail",
        findings: [
          { code: "SINGLE_TRIAL", severity: "warning", args: {} },
          died("single"),
          { code: "THRESHOLD_FAILED", severity: "error", args: { target: "single", connections: 1 } },
          died("balanced"),
        ],
      },
    };
    const [block] = sectionOf(result, "findings")?.blocks ?? [];
    const groups = block?.kind === "findings" ? block.groups : [];
    expect(groups.map(({ severity, isFailure }) => ({ severity, isFailure }))).toEqual([
      { severity: "error", isFailure: true },
      { severity: "error", isFailure: false },
      { severity: "warning", isFailure: false },
    ]);
    const [kind, ...others] = groups[1]?.kinds ?? [];
    expect(others).toEqual([]);
    expect(kind).toMatchObject({
      code: "TARGET_DIED",
      texts: [/single/, /balanced/].map((name) => expect.stringMatching(name)),
    });
    expect(kind?.cause).not.toBe("");
    expect(kind?.remedy).not.toBe("");
  });

  test("says for the better or for the worse where a difference is claimed, and only there", () => {
    const tones = (result: Result): readonly (readonly unknown[])[] =>
      (sectionOf(result, "comparison")?.blocks ?? [])
        .filter((block): block is Extract<Block, Table> => block.kind === "table")
        .flatMap(({ rows }) =>
          rows.flatMap((row) => row.flatMap(({ text, tone }) => (tone === undefined ? [] : [[text, tone]]))),
        );
    expect(tones(aSweep())).toEqual([]);
    const told = tones(aSweep({ trials: 5, connections: [1, 100] }));
    expect(told).toContainEqual(["slower", "bad"]);
    expect(told).toContainEqual(["faster", "good"]);
  });

  test("says first what each target did, then how they compare", () => {
    const [, list] = sectionOf(aSweep({ connections: [1, 50] }), "verdict")?.blocks ?? [];
    const lines = list?.kind === "list" ? list.items.map(({ text }) => JSON.stringify(text)) : [];
    expect(lines.map((line) => /at most|compared with/.exec(line)?.[0])).toEqual([
      "at most",
      "at most",
      "compared with",
    ]);
  });

  test("has a verdict so far while the run goes on", () => {
    expect(sectionOf(aSweep(), "verdict")?.title).toBe("Verdict: pass");
    expect(sectionOf({ ...aSweep(), finishedAt: null }, "verdict")?.title).toBe("Verdict so far: pass");
  });

  test("folds a comparison that tells nothing, and only that", () => {
    const kinds = (trials: number): readonly string[] =>
      (sectionOf(aSweep({ trials, connections: [1, 50] }), "comparison")?.blocks ?? []).map(({ kind }) => kind);
    expect(kinds(2)).toEqual(["heading", "folded", "list"]);
    expect(kinds(6)).toContain("table");
    expect(kinds(6)).not.toContain("folded");
  });

  test("says once of which metrics and levels nothing can be claimed for the same reason", () => {
    const result = aSweep({
      trials: 6,
      connections: [1, 50, 100],
      change: (step) =>
        step.level.connections === 1
          ? step
          : { ...step, findings: [{ code: "MACHINE_SATURATED", severity: "warning", args: {} }] },
    });
    expect(JSON.stringify(sectionOf(result, "comparison")?.blocks)).toContain("(all metrics at 50, 100): the whole");
  });

  test("has the failed of those requests that came to an end, in every table", () => {
    const result = aSweep({
      trials: 2,
      connections: [1],
      change: (step) => {
        const { measurement, ...rest } = withFailures(step, 0.2);
        if (measurement === undefined) return step;
        const requests = { ...measurement.requests, sent: measurement.requests.sent + 500, inFlight: 500 };
        return { ...rest, measurement: { ...measurement, requests } };
      },
    });
    const figures = [...tablesOf(result), ...tablesInFolds(result)].flatMap(({ columns, rows }) => {
      const at = columns.findIndex(({ head }) => head === "Failed (%)");
      const ofMetric = rows.filter((row) => row.some(({ text }) => text === "Failed (%)"));
      return [...rows.flatMap((row) => row[at]?.text ?? []), ...ofMetric.map((row) => row[2]?.text)];
    });
    expect(figures).toEqual(["30.0", "30.0", "30.0"]);
    const leads = tablesOf(result).map(({ lead }) => lead);
    expect(leads).toContain("How requests failed, all trials together:");
    expect(tablesInFolds(result).map(({ lead }) => lead)).toEqual(["Medians of trials:"]);
  });

  test("has of a long message a line in findings and tables, and the whole once", () => {
    const message = [
      "It ended; it last printed:",
      "SyntaxError: bad",
      ...Array.from({ length: 20 }, () => "  at read (x)"),
    ];
    const error = { code: "START_FAILED", message: message.join("\n") };
    const result = aSweep({
      connections: [1],
      change: ({ target, level, trial }) => aFailedStep({ target, level, trial, error }),
    });
    const document = createDocument({
      ...result,
      verdict: {
        status: "inconclusive",
        findings: [{ code: "STEP_FAILED", severity: "error", args: { target: "single", connections: 1, ...error } }],
      },
    });
    const texts = JSON.stringify(document.sections.filter(({ id }) => id === "findings" || id === "results"));
    expect(texts.match(/at read/g)).toHaveLength(20);
    expect(texts.match(/it last printed: SyntaxError: bad/g)).toHaveLength(3);
    const codes = document.sections.flatMap(({ id, blocks }) =>
      id === "results" ? blocks.flatMap((block) => (block.kind === "code" ? [block.text] : [])) : [],
    );
    expect(codes).toEqual([error.message]);
  });

  test("says nothing of what to do where nothing is to be done", () => {
    const found = { code: "LIMIT_FOUND", severity: "info", args: { target: "single", connections: 50 } } as const;
    const [block] =
      sectionOf({ ...aSweep(), verdict: { status: "pass", findings: [found] } }, "findings")?.blocks ?? [];
    expect(block?.kind === "findings" ? block.groups[0]?.kinds[0] : undefined).not.toHaveProperty("remedy");
  });

  test("of a search the table says what held, and the verdict does not repeat it", () => {
    const result = aSearch();
    expect(JSON.stringify(sectionOf(result, "verdict"))).not.toContain("was tried at");
    const table = tablesOf(result).find(({ caption }) => caption === "Requests and latency");
    const at = table?.columns.findIndex(({ head }) => head === "Held?") ?? -1;
    expect(table?.rows.map((row) => row[at]?.text)).toEqual(["held", "did not"]);
  });

  test("has long names in full in the introduction and the settings, and shortened elsewhere", () => {
    const long = `http://${"a".repeat(80)}.test/`;
    const { introduction, sections } = createDocument(aSweep({ targets: [long, "balanced"], connections: [1] }));
    expect(JSON.stringify(introduction)).toContain(long);
    const withFull = sections.filter((section) => JSON.stringify(section).includes(long)).map(({ id }) => id);
    expect(withFull.filter((id) => id !== "charts")).toEqual(["settings"]);
  });

  test("does not shorten names that would be alike", () => {
    const names = ["b", "c"].map((middle) => `${"a".repeat(40)}${middle.repeat(40)}${"a".repeat(40)}`);
    const { sections } = createDocument(aSweep({ targets: names, connections: [1] }));
    expect(JSON.stringify(sections.find(({ id }) => id === "results"))).toContain(names[0]);
  });

  test("sets the share of a backend against what its weight asks for", () => {
    const result = aSweep({ targets: ["single", "balanced"], connections: [1] });
    const weights = [3, 1, 1, 1].map((weight, at) => ({ name: `backend-${at + 1}`, count: 1, weight }));
    const targets = result.scenario.targets.map((target) => ({ ...target, options: { backends: weights } }));
    const table = (of: Result): Table | undefined =>
      sectionOf(of, "backends")?.blocks.find((block): block is Table => block.kind === "table");
    expect(table(result)?.columns.map(({ head }) => head)).toContain("Off an even share");
    const weighted = table({ ...result, scenario: { ...result.scenario, targets } });
    expect(weighted?.columns.map(({ head }) => head)).toContain("Off its share");
    expect(weighted?.rows.map((row) => row[3]?.text)).toEqual(["-50.0 %", "+50.0 %", "+50.0 %", "+50.0 %"]);
  });
});
