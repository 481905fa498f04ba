import { expect, test } from "vitest";
import { splitReport } from "./split-report.js";

test("cuts a report where a section begins", () => {
  expect(splitReport("# name\n\nintro\n\n## Verdict: pass\n\nfine\n\n### more\n\n## Results\n\nx\n")).toEqual({
    head: "# name\n\nintro",
    sections: [
      { title: "Verdict: pass", text: "## Verdict: pass\n\nfine\n\n### more" },
      { title: "Results", text: "## Results\n\nx" },
    ],
  });
});

test("takes what looks like a heading inside a block of code for code, also after a shorter fence", () => {
  const block = "````sh\n```\n## not a heading\n```\n````";
  expect(splitReport(`# n\n\n## A\n\n${block}\n\n## B`).sections).toEqual([
    { title: "A", text: `## A\n\n${block}` },
    { title: "B", text: "## B" },
  ]);
});
