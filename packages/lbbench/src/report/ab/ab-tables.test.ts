import { expect, test } from "vitest";
import { aMeasurement, aResult, aScenario, aStep } from "../../test-support/fixtures.js";
import { HOSTILE_NAMES } from "../test-support/result-shapes.js";
import { aSweep } from "../test-support/sample-results.js";
import { renderAbBlock } from "./ab-block.js";
import { renderAbTables } from "./ab-tables.js";

/** Tables of a Markdown text, as rows of cells; the line under the head is left out. */
function tablesOf(markdown: string): readonly (readonly (readonly string[])[])[] {
  return [...markdown.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) =>
    table
      .trim()
      .split("\n")
      .filter((_, at) => at !== 1)
      .map((row) =>
        row
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim()),
      ),
  );
}

test("has a table of tests and one of percentiles for each target, a row for each step", () => {
  const tables = tablesOf(renderAbTables(aSweep({ targets: ["a", "b"], connections: [1, 50], trials: 3 })));
  expect(tables).toHaveLength(4);
  expect(tables.map((table) => table.length)).toEqual([7, 7, 7, 7]);
  expect(tables[0]?.[0]).toEqual([
    "Test no.",
    "Concurrency level",
    "Trial",
    "Time taken (s)",
    "Complete requests",
    "Failed requests",
    "Non-2xx responses",
    "Total transferred (bytes)",
    "Requests per second",
    "Time per request (ms)",
    "Transfer rate (kB/s)",
  ]);
  expect(tables[0]?.slice(1).map(([test_, level, trial]) => `${test_} ${level} ${trial}`)).toEqual([
    "1 1 1",
    "2 1 2",
    "3 1 3",
    "4 50 1",
    "5 50 2",
    "6 50 3",
  ]);
  const percentages = ["50", "66", "75", "80", "90", "95", "98", "99", "100"].map((share) => `${share} %`);
  expect(tables[1]?.[0]).toEqual(["Test no.", "Concurrency level", "Trial", ...percentages]);
});

test("says what the blocks of ab.txt say", () => {
  const measurement = aMeasurement({
    elapsedMs: 2000,
    requests: { ok: 900, non2xx: 100 },
    statusCodes: { "200": 900, "404": 100 },
    bytes: { received: 85_000 },
  });
  const result = aResult({ scenario: aScenario(), steps: [aStep({ measurement })] });
  const block = renderAbBlock(result.scenario, aStep({ measurement }));
  const [tests] = tablesOf(renderAbTables(result));
  expect(tests?.[1]?.slice(2)).toEqual(["2.000", "1000", "0", "100", "85000", "500.00", expect.any(String), "41.50"]);
  expect(block).toContain(`Time per request:       ${tests?.[1]?.at(-2)} [ms] (mean)`);
});

test("counts no answer with an unexpected status where there is none, and shows what is not known as missing", () => {
  const { measurement: _, ...unmeasured } = aStep({ state: "failed", trial: 2 });
  const [tests] = tablesOf(renderAbTables(aResult({ scenario: aScenario(), steps: [aStep(), unmeasured] })));
  expect(tests?.[1]?.[6]).toBe("0");
  expect(tests?.[2]?.slice(3)).toEqual(Array.from({ length: 8 }, () => "–"));
});

test.each(HOSTILE_NAMES)("keeps its tables with a target called %j", (name) => {
  const tables = tablesOf(renderAbTables(aSweep({ targets: [name], connections: [1] })));
  expect(tables.map((table) => table.length)).toEqual([2, 2]);
});
