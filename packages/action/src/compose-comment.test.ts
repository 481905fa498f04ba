import { describe, expect, it } from "vitest";
import { composeComment } from "./compose-comment.js";
import type { Charts, ReportSource } from "./compose-summary.js";

const FRAME = {
  mark: "<!-- mark -->",
  runUrl: "https://github.test/o/r/actions/runs/1",
  measured: "Measured at abc1234.",
};

function source(details: Readonly<Record<Charts, string>>, given: Partial<ReportSource> & { head?: string } = {}) {
  const { head = "# run", ...rest } = given;
  const whole: ReportSource = {
    headline: "**Verdict: fail**",
    comparison: "### lbbench compare: fail\n",
    charts: "mermaid",
    render: async (charts) =>
      `${head}\n\n## Verdict: fail\n\nslower\n\n## Findings\n\n${details[charts]}\n\n## Comparison\n\n| a |\n`,
    ...rest,
  };
  return whole;
}

describe("composeComment", () => {
  it("begins with the mark, shows verdict and comparison, and folds the rest", async () => {
    const text = await composeComment(source({ mermaid: "drawn", none: "plain" }), FRAME);
    expect(text).toBe(
      "<!-- mark -->\n### lbbench compare: fail\n\n# run\n\n## Verdict: fail\n\nslower\n\n## Comparison\n\n| a |\n\n" +
        "<details>\n\n<summary>The whole report</summary>\n\n## Findings\n\ndrawn\n\n</details>\n\n" +
        "<sub>Measured at abc1234. [The run and its summary](https://github.test/o/r/actions/runs/1)</sub>\n",
    );
  });

  it("leaves out charts, then all that is folded, so that GitHub takes it", async () => {
    const long = { mermaid: "x".repeat(3000), none: "plain" };
    expect(await composeComment(source(long), FRAME, 1000)).toContain("plain");
    const tooLong = await composeComment(source({ ...long, none: "y".repeat(3000) }), FRAME, 1000);
    expect(tooLong).toContain("## Comparison");
    expect(tooLong).toContain("A comment has no room for the rest.");
    expect(tooLong).not.toContain("yyy");
    expect(tooLong.length).toBeLessThanOrEqual(1000);
  });

  it("keeps the verdict and the comparison, cut by lines, whatever has no room", async () => {
    const long = { mermaid: "x".repeat(3000), none: "y".repeat(3000) };
    const unreadable = await composeComment(source(long, { head: `# ${"z".repeat(3000)}` }), FRAME, 1000);
    expect(unreadable).toMatch(/^<!-- mark -->\n\*\*Verdict: fail\*\*\n\n### lbbench compare: fail\n/);
    const rows = Array.from({ length: 100 }, (_, row) => `| row ${row} of the comparison |`);
    const many = await composeComment(source(long, { comparison: `### lost\n\n${rows.join("\n")}` }), FRAME, 1000);
    expect(many).toMatch(/\*\*Verdict: fail\*\*\n\n### lost\n\n\| row 0 of [^]*\| row 9 of the comparison \|\n/);
    for (const text of [unreadable, many]) expect(text.length).toBeLessThanOrEqual(1000);
    const hopeless = await composeComment(source(long, { comparison: "c".repeat(3000) }), FRAME, 1000);
    expect(hopeless).toContain("**Verdict: fail**");
  });

  it("calls nobody, and leads to no issue, by what a report quotes", async () => {
    const text = await composeComment(source({ mermaid: "by @octocat as of #12", none: "" }), FRAME);
    expect(text).not.toContain("@octocat");
    expect(text).not.toContain("#12");
    expect(text).toContain("octocat");
  });
});
