import { describe, expect, test } from "vitest";
import type { Result } from "../model/result.js";
import { aFailedStep } from "../test-support/fixtures.js";
import { describePeaks } from "./headline.js";
import { renderMarkdown } from "./markdown.js";
import { renderStepLine } from "./step-line.js";
import { renderSummary } from "./summary-table.js";
import { aRampResult } from "./test-support/ramp-results.js";

function rowsOf(markdown: string): readonly string[] {
  return markdown.split("\n").filter((line) => line.startsWith("|"));
}

/** The rows of the table whose head has such a column. */
function tableWith(markdown: string, head: string): readonly string[] {
  const [table = ""] = markdown.split("\n\n").filter((block) => block.startsWith("|") && block.includes(head));
  return table.split("\n");
}

const result = aRampResult();

describe("the report of a ramp", () => {
  test("of three targets, of which one falls off a cliff, reads as recorded", () => {
    expect(renderMarkdown(result, { charts: "png" })).toMatchSnapshot();
  });

  test("has a row for each target in one table of the whole ramp", () => {
    const [head = "", , ...rows] = tableWith(renderMarkdown(result, { charts: "png" }), "90 % line");
    const columns = ["Target", "Samples", "Average (ms)", "Median (ms)", "90 % line (ms)", "p99 (ms)", "Max (ms)"];
    expect(head.split("|").map((cell) => cell.trim())).toEqual([
      "",
      ...columns,
      "Throughput (ok/s)",
      "Error rate (%)",
      "",
    ]);
    expect(rows.map((row) => row.split("|")[1]?.trim())).toEqual(["http", "http + gRPC", "gRPC"]);
  });

  test.each([
    [5000, 4000, 5, /^\| +0 \| +25 \|/],
    [40_000, 39_000, 20, /^\| +0 to 1 \| +6 \|/],
    [100_000, 99_000, 20, /^\| +0 to 4 \| +6 \|/],
    [300_000, 240_000, 20, /^\| +0 to 14 \| +7 \|/],
    [9_000_000, 9_000_000, 15, /^\| +0 to 599 \| +7 \|/],
  ])("of %i ms has at most twenty rows by second", (durationMs, riseMs, rows, first) => {
    const one = aRampResult({
      targets: { http: (users) => ({ ok: users * 3 }) },
      ramp: { from: 1, riseMs, steps: null },
      durationMs,
    });
    const [, , ...lines] = tableWith(renderMarkdown(one, { charts: "png" }), "Sent/s");
    expect(lines).toHaveLength(rows);
    expect(lines[0]).toMatch(first);
  });

  test("adds up rates over the seconds of a row, and averages no percentile", () => {
    const steps = aRampResult({
      targets: { a: (_, second) => ({ ok: second % 5 === 0 ? 100 : 200, p50: 10 + (second % 5), tail: 4 }) },
    });
    const clean = withoutNoise(steps);
    const [, , , second] = tableWith(renderMarkdown(clean, { charts: "png" }), "Sent/s");
    expect(second).toMatch(
      /\| +5 to 9 \| +11 \| +180 \| +180 \| +0 \| +10\.0 to 14\.0 \| +18\.2 \| +28\.0 \| +56\.0 \|/,
    );
  });

  test("tells ways of failing apart by second where there are several", () => {
    const failing = aRampResult({
      targets: {
        a: (users, second) => ({
          ok: users * 10,
          failed: second < 50 ? 0 : 100,
          failure: second < 80 ? "non2xx" : "timedOut",
        }),
      },
    });
    const [head = "", , ...rows] = tableWith(renderMarkdown(failing, { charts: "png" }), "Sent/s");
    expect(head).toMatch(/Failed\/s \| Unexpected status \| Timed out \|/);
    expect(rows[19]).toMatch(/\| +100 \| +0 \| +100 \|/);
    expect(tableWith(renderMarkdown(result, { charts: "png" }), "Sent/s")[0]).not.toContain("Unexpected status");
  });

  test("says how users come, and never speaks of connections as a level", () => {
    const markdown = renderMarkdown(aRampResult({ ramp: { from: 10, riseMs: 90_000, steps: 9 }, durationMs: 90_000 }), {
      charts: "png",
    });
    expect(markdown).toContain("with 10 to 100 users over 90 s in 9 steps; one trial;");
    expect(markdown).toMatch(/\| Ramp +\| 10 to 100 users over 90 s in 9 steps +\|/);
    expect(markdown).not.toMatch(/\| +Connections \|/);
    expect(markdown).toContain("**Users** come");
  });

  test("says what of several trials is shown", () => {
    const markdown = renderMarkdown(aRampResult({ trials: 3 }), { charts: "png" });
    expect(markdown).toContain("Of each second it is the median of 3 trials.");
    expect(markdown).toContain("samples and error rate are of all trials");
    expect(markdown).toContain("Spread over the trials");
  });

  test("says which ramp failed, and why", () => {
    const failed = { ...result, steps: [...result.steps.slice(1), diedOf(result)] };
    const markdown = renderMarkdown(failed, { charts: "png" });
    expect(tableWith(markdown, "90 % line")[2]).toMatch(/\| http +\| +– .*\| failed \|$/);
    expect(markdown).toContain("- up to 100 users: failed with TARGET_DIED: exited with code 1");
    expect(renderSummary(failed)).toMatch(/^http .* failed$/m);
  });

  test("keeps words from outside from becoming markup, or the end of a cell", () => {
    const hostile = aRampResult({ targets: { "<b>|`x`\n# y": (users) => ({ ok: users * 10 }) } });
    const markdown = renderMarkdown(hostile, { charts: "png" });
    expect(markdown.replaceAll(/(`+)[^`].*?\1/gs, "")).not.toMatch(/(?<!\\)<[a-z/!]/i);
    expect(markdown).not.toMatch(/^# y/m);
    const cells = rowsOf(tableWith(markdown, "90 % line").join("\n")).map(
      (row) => row.replaceAll(/\\./g, "").split("|").length,
    );
    expect(new Set(cells).size).toBe(1);
  });
});

describe("a ramp in the terminal", () => {
  test("has a row for each target, then what was found", () => {
    const lines = renderSummary(result).split("\n");
    expect(lines.slice(0, 4)).toEqual([
      "target       samples  mean ms  p50 ms  p90 ms  p99 ms  max ms  ok/s  failed %",
      expect.stringMatching(/^http +70,\d{3} .* 701 +0\.0$/),
      expect.stringMatching(/^http \+ gRPC +/),
      expect.stringMatching(/^gRPC +/),
    ]);
    expect(lines.find((line) => line.includes("CLIFF"))).toContain(
      "gRPC: from 64 users (second 62) on, requests fail and goodput falls to 0.0 %: it fall",
    );
  });

  test("keeps to the width, whatever the names and numbers", () => {
    const wide = aRampResult({ targets: { ["x".repeat(99)]: (users) => ({ ok: users * 1e5, tail: 4e4 }) } });
    expect(
      Math.max(
        ...renderSummary(wide)
          .split("\n")
          .map(({ length }) => length),
      ),
    ).toBeLessThanOrEqual(99);
  });

  test("says on average and at most what was answered", () => {
    const [, , gRPC] = describePeaks(result);
    expect(gRPC).toMatch(
      /^gRPC: 977 ok responses per second on average, at most 2,296 in one \(second 34, 36 users\); p50 19\.1 ms, p90 /,
    );
    const silent = aRampResult({ targets: { a: () => ({ ok: 0, failed: 5 }) } });
    expect(describePeaks(silent)).toEqual(["a: no request was answered as expected"]);
  });

  test("has a line for each step", () => {
    expect(result.steps.map(renderStepLine)[0]).toMatch(/^http, up to 100 users: 701 ok\/s, p50 64\.9 ms, /);
  });
});

function diedOf({ scenario }: Result): ReturnType<typeof aFailedStep> {
  const [level] = scenario.levels;
  return aFailedStep({ target: "http", level: level ?? {} });
}

/** The figures of the first seconds are noisy in the sample; here they are the shape itself. */
function withoutNoise(noisy: Result): Result {
  return {
    ...noisy,
    steps: noisy.steps.map(({ measurement, ...step }) => {
      if (measurement === undefined) return step;
      const timeline = measurement.timeline.map((one) => {
        const ok = one.second % 5 === 0 ? 100 : 200;
        return { ...one, sent: ok, ok };
      });
      return { ...step, measurement: { ...measurement, timeline } };
    }),
  };
}
