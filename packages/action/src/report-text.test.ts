import { describe, expect, it, test } from "vitest";
import {
  composeComment,
  composeFailure,
  composeSummary,
  describeOutcome,
  quietReferences,
  type Charts,
  type ReportSource,
} from "./report-text.js";

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

  it("then is verdict and comparison, or the verdict alone, and says so; bytes count, not characters", async () => {
    const text = await composeSummary(source("### lbbench compare: pass\n"), 700);
    expect(text).toMatch(
      /^\*\*Verdict: pass\*\*\n\n### lbbench compare: pass\n\n.* no room for the rest\. All of it is in/,
    );
    const long = await composeSummary(source(`### ${"x".repeat(700)}\n`), 700);
    expect(long).toMatch(/^\*\*Verdict: pass\*\*\n\n.* no room for the rest\./);
  });
});

const FRAME = {
  mark: "<!-- mark -->",
  runUrl: "https://github.test/o/r/actions/runs/1",
  measured: "Measured at abc1234.",
};

function commentSource(
  details: Readonly<Record<Charts, string>>,
  given: Partial<ReportSource> & { said?: string } = {},
) {
  const { said = "slower", ...rest } = given;
  const whole: ReportSource = {
    headline: "**Verdict: fail**",
    comparison: "### lbbench compare: fail\n",
    charts: "mermaid",
    render: async (charts) =>
      `# run\n\n## Verdict: fail\n\n${said}\n\n## Findings\n\n${details[charts]}\n\n## Comparison\n\n| a |\n`,
    ...rest,
  };
  return whole;
}

describe("composeComment", () => {
  it("begins with the mark, shows verdict and comparison, and folds the rest", async () => {
    const text = await composeComment(commentSource({ mermaid: "drawn", none: "plain" }), FRAME);
    expect(text).toBe(
      "<!-- mark -->\n### lbbench compare: fail\n\n## Verdict: fail\n\nslower\n\n## Comparison\n\n| a |\n\n" +
        "<details>\n\n<summary>The whole report</summary>\n\n# run\n\n## Findings\n\ndrawn\n\n</details>\n\n" +
        "<sub>Measured at abc1234. [The run and its summary](https://github.test/o/r/actions/runs/1)</sub>\n",
    );
  });

  it("leaves out charts, then all that is folded, so that GitHub takes it", async () => {
    const long = { mermaid: "x".repeat(3000), none: "plain" };
    expect(await composeComment(commentSource(long), FRAME, 1000)).toContain("plain");
    const tooLong = await composeComment(commentSource({ ...long, none: "y".repeat(3000) }), FRAME, 1000);
    expect(tooLong).toContain("## Comparison");
    expect(tooLong).toContain("A comment has no room for the rest.");
    expect(tooLong).not.toContain("yyy");
    expect(tooLong.length).toBeLessThanOrEqual(1000);
  });

  it("keeps the verdict, and the comparison where that has room", async () => {
    const long = { mermaid: "x".repeat(3000), none: "y".repeat(3000) };
    const unreadable = await composeComment(commentSource(long, { said: "z".repeat(3000) }), FRAME, 1000);
    expect(unreadable).toMatch(/^<!-- mark -->\n\*\*Verdict: fail\*\*\n\n### lbbench compare: fail\n\n<sub>/);
    const hopeless = await composeComment(commentSource(long, { comparison: "c".repeat(3000) }), FRAME, 1000);
    expect(hopeless).toMatch(/^<!-- mark -->\n\*\*Verdict: fail\*\*\n\n<sub>.*A comment has no room for the rest\./);
  });

  it("calls nobody, and leads to no issue, by what a report quotes", async () => {
    const text = await composeComment(commentSource({ mermaid: "by @octocat as of #12", none: "" }), FRAME);
    expect(text).not.toContain("@octocat");
    expect(text).not.toContain("#12");
    expect(text).toContain("octocat");
  });
});

test("shows a message as code that it cannot end", () => {
  expect(composeFailure("head: did not start\n```\n# <b>@octocat</b>")).toBe(
    "### lbbench: no verdict\n\nThe run could not be made.\n\n````text\nhead: did not start\n```\n# <b>@octocat</b>\n````\n",
  );
});

test("keeps the beginning of a message that is too long", () => {
  expect(composeFailure(`why\n${"x".repeat(100_000)}`).length).toBeLessThan(10_000);
});

test("parts the sign from a name or a number, also where it is escaped", () => {
  expect(quietReferences("by @octocat")).toBe("by @\u200Boctocat");
  expect(quietReferences(String.raw`#12 o/r#5 \#3 GH-7 gh\-8`)).toBe(
    "#\u200B12 o/r#\u200B5 \\#\u200B3 GH-\u200B7 gh\\-\u200B8",
  );
});

test("leaves headings, characters by their number, and colours in a chart as they are", () => {
  const text = '## 1 more\n\n&#39;\n\n```mermaid\nxychart "#1f77b4"\n```';
  expect(quietReferences(text)).toBe(text);
  expect(quietReferences(`${text}\n#9`)).toBe(`${text}\n#\u200B9`);
});

test("an outcome that no finding explains says where it is explained", () => {
  const verdict = { status: "inconclusive", findings: [] } as const;
  expect(describeOutcome("inconclusive", verdict)).toBe("Verdict: inconclusive.\nThe summary of the job says why.");
  expect(describeOutcome("fail", verdict, "fail")).toBe(
    "Verdict: fail.\nIt is worse than the baseline beyond the margin.",
  );
});
