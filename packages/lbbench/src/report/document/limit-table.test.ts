import { describe, expect, it } from "vitest";
import type { Result } from "../../model/result.js";
import { aSearch } from "../test-support/result-shapes.js";
import { aSweep } from "../test-support/sample-results.js";
import { limitTable } from "./limit-table.js";

function rowsOf(result: Result): readonly (readonly string[])[] {
  const [table] = limitTable(result);
  if (table?.kind !== "table") throw new Error("expected a table");
  const text = (cell: unknown): string => (typeof cell === "string" ? cell : JSON.stringify(cell));
  return [table.columns.map(({ head }) => head), ...table.rows.map((row) => row.map((cell) => text(cell.text)))];
}

describe("limitTable", () => {
  it("tells the largest load that held, the smallest that did not and why, and what was measured at the first", () => {
    const [heads, row] = rowsOf(aSearch());
    expect(heads?.slice(0, 7)).toEqual([
      "Target",
      "Connections: most that held",
      "Did not hold",
      "Because",
      "Requests/s",
      "Mean (ms)",
      "p99 (ms)",
    ]);
    expect(row?.slice(1, 3)).not.toContain("–");
    expect(row?.slice(4, 7)).not.toContain("–");
  });

  it("tells of the run beyond the limit, and of the knee, where there were any", () => {
    const result = aSearch();
    const [outcome, ...others] = result.search ?? [];
    const { search } = result.scenario;
    if (outcome === undefined || search === null) throw new Error("expected a search");
    const value = outcome.broken ?? 0;
    const beyond = { value, decision: "broken", held: 0, broken: 1, unclear: 0 } as const;
    const knee = { code: "KNEE", severity: "info", args: { target: outcome.target, knee: 42 } } as const;
    const [heads, row] = rowsOf({
      ...result,
      scenario: { ...result.scenario, search: { ...search, beyond: 1.25 } },
      search: [{ ...outcome, beyond }, ...others],
      verdict: { ...result.verdict, findings: [...result.verdict.findings, knee] },
    });
    expect(heads?.slice(7)).toEqual(["Knee", "Beyond (× 1.25)", "Failed there (%)", "Mean there (ms)"]);
    expect(row?.slice(7, 9)).toEqual(["about 42", value.toLocaleString("en-US")]);
  });

  it("says nothing of a sweep", () => {
    expect(limitTable(aSweep())).toEqual([]);
  });
});
