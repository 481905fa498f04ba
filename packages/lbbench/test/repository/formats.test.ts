import { describe, expect, it } from "vitest";
import { bencherReporter } from "../../src/report/bencher.js";
import { chartDefinitions } from "../../src/report/charts/chart-definitions.js";
import type { Column } from "../../src/report/csv/column.js";
import { PLACE_COLUMNS } from "../../src/report/csv/place-columns.js";
import { SECOND_COLUMNS } from "../../src/report/csv/second-columns.js";
import { STEP_COLUMNS } from "../../src/report/csv/step-columns.js";
import { runFamilies } from "../../src/report/open-metrics/run-families.js";
import { STEP_LABELS } from "../../src/report/open-metrics/step-labels.js";
import { stepFamilies } from "../../src/report/open-metrics/step-families.js";
import { REPORTERS } from "../../src/report/reporters.js";
import { aSweep } from "../../src/report/test-support/sample-results.js";
import { readDocument } from "./repository.js";

const document = `\n${readDocument("docs/formats.md")}`;

/** Rows of the first table beneath a heading, cell by cell. */
function rowsOf(heading: string): readonly (readonly string[])[] {
  const [, section = ""] = document.split(`\n${heading}\n`);
  const [table = ""] = /(?:^\|.*\n)+/m.exec(section) ?? [];
  const rows = table.trim().split("\n").slice(2);
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** What stands in backticks. */
const namesIn = (text = ""): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
const namesUnder = (heading: string): readonly string[] => rowsOf(heading).flatMap(([first]) => namesIn(first));
const namesOf = (columns: readonly Pick<Column<never>, "name">[]): readonly string[] => columns.map(({ name }) => name);

describe("docs/formats.md", () => {
  it("lists every format, with all its files", async () => {
    const rows = rowsOf("# Formats of a report");
    expect(rows.map(([format]) => namesIn(format)[0])).toEqual([...REPORTERS.keys()]);
    const result = aSweep({ connections: [1, 50] });
    const pictures = chartDefinitions(result).map(({ id }) => ({ name: `${id}.png` }));
    for (const [format = "", files] of rows) {
      const [name = ""] = namesIn(format);
      const rendered = name === "png" ? pictures : await REPORTERS.get(name)?.render(result, { charts: "none" });
      const names = rendered?.map((file) => file.name);
      expect(names, name).toEqual(expect.arrayContaining([...namesIn(files)]));
      // Of many pictures one stands for all.
      expect(namesIn(files).length, name).toBe(name === "png" ? 1 : rendered?.length);
    }
  });

  it.each([
    ["### Columns of both", PLACE_COLUMNS],
    ["### steps.csv", STEP_COLUMNS.slice(PLACE_COLUMNS.length)],
    ["### seconds.csv", SECOND_COLUMNS.slice(PLACE_COLUMNS.length)],
  ] as const)("has the columns that are written, in their order: %s", (heading, columns) => {
    expect(namesUnder(heading)).toEqual(namesOf(columns));
  });

  it("has every metric with its type and labels, and no other", () => {
    const run = runFamilies(aSweep());
    const step = stepFamilies([]);
    const own: readonly string[] = STEP_LABELS;
    const expected = [...run, ...step].map(({ name, type, labels }) => [
      type === "counter" ? `${name}_total` : name,
      type,
      labels.filter((label) => !own.includes(label)).join(" "),
    ]);
    const described = rowsOf("## openmetrics").flatMap(([names, type, labels]) =>
      namesIn(names).map((name) => [name, type, namesIn(labels).join(" ")]),
    );
    const byText = (a: readonly unknown[], b: readonly unknown[]) => a.join().localeCompare(b.join());
    expect(described.toSorted(byText)).toEqual(expected.toSorted(byText));
  });

  it("has every measure of Bencher", async () => {
    const [file] = await bencherReporter.render(aSweep(), { charts: "none" });
    const [first = {}] = Object.values(JSON.parse(String(file?.content)) as Record<string, object>);
    expect(namesUnder("## bencher")).toEqual(Object.keys(first));
  });
});
