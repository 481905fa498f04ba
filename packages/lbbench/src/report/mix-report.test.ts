import { describe, expect, test } from "vitest";
import type { MixedRequest } from "../model/scenario.js";
import type { Result } from "../model/result.js";
import { aLatency, aScenario } from "../test-support/fixtures.js";
import { renderMarkdown } from "./markdown.js";
import { renderSummary } from "./summary-table.js";
import { aSweep } from "./test-support/sample-results.js";

const { request } = aScenario();
const EVIL = "a|b <script> `x` [link](http://evil.test) **";
const MIX: readonly MixedRequest[] = [
  { name: "GET /", weight: 3, request, bodies: null },
  {
    name: EVIL,
    weight: 1,
    request: { ...request, method: "POST", path: "/cart|x", headers: [["Accept", "a"]], expectStatus: "201" },
    bodies: ["one", "two"],
  },
];

/** Of every trial: 750 requests of the first entry, 250 of the second of which 50 failed, the third was never sent. */
function mixed(mix: readonly MixedRequest[] = MIX, trials = 1): Result {
  const result = aSweep({
    targets: ["single"],
    connections: [1, 50],
    trials,
    change: (step) =>
      step.measurement === undefined
        ? step
        : {
            ...step,
            measurement: {
              ...step.measurement,
              elapsedMs: 500,
              mix: [
                { name: "GET /", sent: 750, ok: 750, failed: 0, latency: aLatency({ p50: step.trial, p99: 9 }) },
                { name: EVIL, sent: 250, ok: 200, failed: 50, latency: aLatency({ p50: 40, p99: 80 }) },
                { name: "never", sent: 0, ok: 0, failed: 0 },
              ],
            },
          },
  });
  return { ...result, scenario: { ...result.scenario, mix } };
}

/** Rows of the tables in which a text occurs, their cells trimmed. */
function rowsWith(markdown: string, text: string): readonly string[] {
  return markdown
    .split("\n")
    .map((line) => line.replaceAll(/ +/g, " "))
    .filter((line) => line.startsWith("|") && line.includes(text));
}

describe("the report of a mix", () => {
  test("has a row for every request at every level, also for one that was never sent", () => {
    const markdown = renderMarkdown(mixed(), { charts: "none" });
    expect(markdown).toContain("By request:");
    expect(rowsWith(markdown, "| GET / |")).toEqual([
      "| 1 | GET / | 750 | 75.0 | 750 | 0 | 1,500 | 1.00 | 9.00 |",
      "| 50 | GET / | 750 | 75.0 | 750 | 0 | 1,500 | 1.00 | 9.00 |",
    ]);
    expect(rowsWith(markdown, "script").map((row) => row.replace(/^.*\\\*\\\* /, ""))).toContain(
      "| 250 | 25.0 | 200 | 50 | 400 | 40.0 | 80.0 |",
    );
    expect(rowsWith(markdown, "never")).toEqual([
      "| 1 | never | 0 | 0.0 | 0 | 0 | 0 | – | – |",
      "| 50 | never | 0 | 0.0 | 0 | 0 | 0 | – | – |",
    ]);
  });

  test("has medians over the trials, and counts of all of them", () => {
    const markdown = renderMarkdown(mixed(MIX, 3), { charts: "none" });
    expect(rowsWith(markdown, "| GET / |")[0]).toBe("| 1 | GET / | 2,250 | 75.0 | 2,250 | 0 | 1,500 | 2.00 | 9.00 |");
  });

  test("says what is mixed in place of a single request", () => {
    const markdown = renderMarkdown(mixed(), { charts: "none" });
    expect(markdown).toMatch(/connections kept alive; a mix of GET \/ \(75\.0 %\) and a\\\|b .* \(25\.0 %\)\./);
    expect(rowsWith(markdown, "weight 3")).toEqual([
      "| Request | **GET /**: weight 3 (75.0 %); `GET /`; expected status `2xx` |",
    ]);
    expect(rowsWith(markdown, "weight 1")[0]).toMatch(
      /: weight 1 \(25\.0 %\); POST \/cart\\\|x; headers `Accept: a`; 2 bodies in turn; expected status `201` \|$/,
    );
    expect(rowsWith(markdown, "| Request | **")).toHaveLength(MIX.length);
  });

  test("names five of many requests in the introduction, and all of them in the settings", () => {
    const many = Array.from({ length: 8 }, (_, index): MixedRequest => ({
      name: `r${index}`,
      weight: 1,
      request,
      bodies: null,
    }));
    const markdown = renderMarkdown(mixed(many), { charts: "none" });
    expect(markdown).toContain("r3 (12.5 %), r4 (12.5 %) and 3 more.");
    expect(rowsWith(markdown, "weight 1")).toHaveLength(8);
  });

  test("says that of a URL with a path only the host counts", () => {
    const result = mixed();
    const targets = ["http://shop.test/own", "http://shop.test"].map((url) => ({
      name: "x",
      server: "url",
      options: { url },
    }));
    const of = (index: number): string =>
      renderMarkdown(
        { ...result, scenario: { ...result.scenario, targets: targets.slice(index, index + 1) } },
        { charts: "none" },
      );
    expect(of(0)).toContain("of a target that is a URL only the host counts");
    expect(of(1)).not.toContain("only the host counts");
  });

  test("never lets a name become markup", () => {
    const markdown = renderMarkdown(mixed(), { charts: "none" });
    expect(markdown).not.toMatch(/[^\\](<script>|\]\(http)/);
    // A cell more would be one that a name has opened.
    const widths = rowsWith(markdown, "script").map((row) => row.replaceAll("\\|", "").split("|").length);
    expect(new Set(widths)).toEqual(new Set([11, 4]));
  });

  test("says nothing of a mix without one, and has the same summary", () => {
    expect(renderMarkdown(aSweep(), { charts: "none" })).not.toMatch(/By request|a mix of|weight/);
    const without = mixed();
    expect(renderSummary(mixed())).toBe(renderSummary({ ...without, scenario: { ...without.scenario, mix: null } }));
  });
});
