import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { inRepository } from "./repository.js";

interface Row {
  readonly reached: boolean;
}

const { judge, summarize } = (await import(pathToFileURL(inRepository("bench/table.mjs")).href)) as {
  readonly judge: (row: object) => Row;
  readonly summarize: (values: readonly number[]) => object | undefined;
};

function row(values: readonly number[], wanted: object): Row {
  return judge({ ...wanted, figure: summarize(values), rounds: values.length });
}

describe("the table of the benches", () => {
  it.each([
    ["a median at the least that is wanted is reached", [0.5, 0.9, 1.2], { atLeast: 0.9 }, true],
    ["a median below it is missed, however high the highest", [0.89, 0.89, 9], { atLeast: 0.9 }, false],
    ["a median at the most that is wanted is reached", [1, 2, 9], { atMost: 2 }, true],
    ["a median above it is missed, however low the lowest", [1, 2.01, 3], { atMost: 2 }, false],
    ["an even number of rounds is judged by the mean of the two in the middle", [1, 3], { atMost: 2 }, true],
    ["what was never measured undisturbed is missed", [], { atMost: 2 }, false],
  ])("%s", (_, values, wanted, reached) => {
    expect(row(values, wanted).reached).toBe(reached);
  });
});
