import { describe, expect, it } from "vitest";
import { aMeasurement, aResult, aStep } from "../test-support/fixtures.js";
import type { Measurement } from "../model/measurement.js";
import { errorsChart } from "./charts/errors-chart.js";
import type { Block } from "./document/block.js";
import { failureTable } from "./document/failure-table.js";
import { latencyTable } from "./document/latency-table.js";
import { renderMarkdown } from "./markdown.js";
import { renderBlocks } from "./markdown/render-blocks.js";
import { collectCells } from "./cells.js";

const PROGRAM = { name: "wrk", version: "4.1|0", command: ["wrk"], output: "Running 1s test" };
const { startedAt, elapsedMs } = aMeasurement();
const DRIVEN: Measurement = {
  startedAt,
  elapsedMs,
  connections: { asked: 50 },
  requests: { sent: 100, ok: 90, non2xx: 0, unclassified: 10 },
  statusCodes: {},
  errorCodes: {},
  throughput: 30,
  bytes: {},
  timeline: [],
  program: PROGRAM,
};

const result = aResult({ steps: [aStep({ measurement: DRIVEN })] });
const cells = collectCells(result);
const rowsOf = (table: readonly Block[]): readonly (readonly string[])[] =>
  renderBlocks(table)
    .join("\n")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

describe("a report on a program that was driven", () => {
  it("shows what it does not tell as missing, and what it does not tell apart in a column of its own", () => {
    const [head = [], , row = []] = rowsOf(failureTable(cells));
    const shown = new Map(head.map((name, index) => [name, row[index]]));
    expect(Object.fromEntries(shown)).toMatchObject({
      Sent: "100",
      "Failed (%)": "10.0",
      "Unexpected status": "0",
      Resets: "–",
      Dropped: "–",
      "Timed out": "–",
      "Not told how": "10",
      "In flight": "–",
    });
  });

  it("has no such column for engines that tell of every request", () => {
    const own = aResult({ steps: [aStep({ measurement: aMeasurement({ requests: { non2xx: 3 } }) })] });
    const [head] = rowsOf(failureTable(collectCells(own)));
    expect(head).not.toContain("Not told how");
    expect(head).toContain("Timed out");
  });

  it("has no latency where the program does not tell it", () => {
    const [head = [], , row = []] = rowsOf(latencyTable(cells));
    expect(row[head.indexOf("p50 (ms)")]).toBe("–");
    expect(row[head.indexOf("Mean (ms)")]).toBe("–");
    expect(row[head.indexOf("Failed")]).toBe("10");
  });

  it("draws failures that are not told apart", () => {
    const [chart] = errorsChart(result);
    expect(chart?.series.map(({ name, points }) => [name, points[0]?.y])).toEqual([["not told how", 10]]);
  });

  it("names the program, its version, and where its output is", () => {
    expect(renderMarkdown(result, { charts: "none" })).toMatch(/\| Load program +\| wrk 4\.1\\\|0; .*result\.json/);
    expect(renderMarkdown(aResult(), { charts: "none" })).not.toContain("Load program");
  });
});
