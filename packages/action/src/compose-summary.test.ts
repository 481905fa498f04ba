import { describe, expect, it } from "vitest";
import { composeSummary, type ReportSource } from "./compose-summary.js";

const SECTIONS = ["# run", "## Verdict: pass\n\nfine", "## Results\n\n" + "é".repeat(400), "## Machine\n\nlast"];

function source(comparison?: string): ReportSource {
  return {
    headline: "**Verdict: pass**",
    comparison,
    charts: "mermaid",
    render: async (charts) =>
      `${[...SECTIONS, ...(charts === "mermaid" ? ["```mermaid\n" + "x".repeat(2000) + "\n```"] : [])].join("\n\n")}\n`,
  };
}

describe("composeSummary", () => {
  it("is the whole report with its charts, and the comparison before it", async () => {
    const text = await composeSummary(source("### lbbench compare: pass\n"));
    expect(text).toBe(`### lbbench compare: pass\n\n${await source().render("mermaid")}`);
  });

  it("leaves out charts first, and says so", async () => {
    const text = await composeSummary(source(), 2000);
    expect(text).toContain("## Machine\n\nlast");
    expect(text).toContain("no room for the charts. All of it is in the folder of the report.");
    expect(text).not.toContain("mermaid");
  });

  it("then leaves out the last lines, and names their sections; bytes count, not characters", async () => {
    const text = await composeSummary(source(), 700);
    expect(text).toMatch(/^\*\*Verdict: pass\*\*\n/);
    expect(text).toContain("## Verdict: pass\n\nfine");
    expect(text).toContain("no room for the charts and: Results, Machine.");
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(700);
    expect(await composeSummary(source(), 10)).toContain("in the folder of the report");
  });

  it("keeps the verdict and what fits of a comparison that is too long itself", async () => {
    const rows = Array.from({ length: 100 }, (_, row) => `| row ${row} of the comparison |`);
    const text = await composeSummary(source(`### lbbench compare: pass\n\n${rows.join("\n")}\n`), 700);
    expect(text).toMatch(/^\*\*Verdict: pass\*\*\n\n### lbbench compare: pass\n\n\| row 0 of the comparison \|\n/);
    expect(text).toContain("no room for the charts and: Verdict: pass, Results, Machine.");
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(700);
  });
});
