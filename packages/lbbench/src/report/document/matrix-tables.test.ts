import { expect, it } from "vitest";
import type { Result } from "../../model/result.js";
import {
  aLatency,
  aMeasurement,
  aProcessUsage,
  aResult,
  aScenario,
  aStep,
  aUsage,
} from "../../test-support/fixtures.js";
import { collectMatrix } from "../charts/matrix.js";
import type { Block } from "./block.js";
import { matrixTables } from "./matrix-tables.js";

const LEVELS = [100, 10_000].flatMap((requests) => [1, 50].map((connections) => ({ connections, requests })));

/** Two trials of each level; steps of 100 requests are over in 10 ms. */
function aMatrix(): Result {
  const steps = LEVELS.flatMap((level) =>
    [1, 3].map((factor, index) =>
      aStep({
        level,
        trial: index + 1,
        measurement: aMeasurement({
          elapsedMs: 1000,
          bytes: { received: 2000 * level.requests },
          latency: aLatency({ p50: level.connections * factor }),
        }),
        usage: aUsage({ windowMs: level.requests === 100 ? 10 : 3000, backends: [aProcessUsage({ cpu: 0.75 })] }),
      }),
    ),
  );
  return aResult({ scenario: aScenario({ levels: LEVELS, trials: 2 }), steps });
}

function tablesOf(result: Result): readonly Block[] {
  const [target] = collectMatrix(result);
  return target === undefined ? [] : matrixTables(target);
}

/** The cells of the table whose caption begins so, as text. */
function readTable(blocks: readonly Block[], caption: string): readonly (readonly unknown[])[] {
  const table = blocks.find((block) => block.kind === "table" && block.caption.startsWith(caption));
  if (table?.kind !== "table") throw new Error(`expected a table of ${caption}`);
  return [table.columns.map(({ head }) => head), ...table.rows.map((row) => row.map(({ text }) => text))];
}

const HEAD = ["Requests", "1 connection", "50 connections"];

it("has requests down and loads across, with medians over the trials", () => {
  expect(readTable(tablesOf(aMatrix()), "Median latency")).toEqual([
    HEAD,
    ["100", "2.00", "100"],
    ["10,000", "2.00", "100"],
  ]);
});

it("has the transfer rate, although all answers are of one size and no chart shows it", () => {
  expect(readTable(tablesOf(aMatrix()), "Transfer rate")).toEqual([
    HEAD,
    ["100", "0.200", "0.200"],
    ["10,000", "20.0", "20.0"],
  ]);
});

it("does not tell the processor time of steps that were over before the system could count it", () => {
  const tables = tablesOf(aMatrix());
  expect(readTable(tables, "CPU of the target")).toEqual([HEAD, ["100", "–", "–"], ["10,000", "75.0", "75.0"]]);
  expect(JSON.stringify(tables.at(-1))).toContain("of a step under 200 ms it is not known");
});

it("is not there where there is one number of requests", () => {
  const [first, second] = LEVELS;
  const levels = [first, second].flatMap((level) => level ?? []);
  expect(
    tablesOf(aResult({ scenario: aScenario({ levels }), steps: levels.map((level) => aStep({ level })) })),
  ).toEqual([]);
});
