import { describe, expect, it } from "vitest";
import type { Result } from "../../src/model/result.js";
import { chartDefinitions } from "../../src/report/charts/chart-definitions.js";
import { REPORTERS } from "../../src/report/reporters.js";
import { RESULT_SHAPES } from "../../src/report/test-support/result-shapes.js";
import { aSweep } from "../../src/report/test-support/sample-results.js";
import { readDocument } from "@lbbench/test-support/repository.js";

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
const filesOf = async (format: string, result: Result): Promise<readonly string[]> =>
  ((await REPORTERS.get(format)?.render(result, { charts: "none" })) ?? []).map(({ content }) => String(content));

describe("docs/formats.md", () => {
  it("lists every format, with all its files", async () => {
    const rows = rowsOf("# Formats of a report");
    expect(rows.map(([format]) => namesIn(format)[0])).toEqual([...REPORTERS.keys()]);
    const result = RESULT_SHAPES.get("faults") as Result;
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

  it("has the columns that are written, in their order", async () => {
    const both = namesUnder("### Columns of all");
    const heads = (await filesOf("csv", RESULT_SHAPES.get("faults") as Result)).map((file) =>
      file.split("\r\n")[0]?.split(","),
    );
    const columns = ["steps", "seconds", "faults"].map((file) => both.concat(namesUnder(`### ${file}.csv`)));
    expect(columns).toEqual(heads);
  });

  it("has every measure of Bencher", async () => {
    const [file = ""] = await filesOf("bencher", aSweep());
    const [first = {}] = Object.values(JSON.parse(file) as Record<string, object>);
    expect(namesUnder("## bencher")).toEqual(Object.keys(first));
  });
});
