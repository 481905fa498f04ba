import { expect, test } from "vitest";
import { collectCells } from "./cells.js";
import { expectedShares, sumShares } from "./backend-shares.js";
import { aSweep } from "./test-support/sample-results.js";

const group = (name: string | null, count: number, weight: number) => ({
  name,
  server: "single",
  options: {},
  count,
  weight,
});

function target(backends: unknown) {
  return { name: "balanced", server: "balanced", options: { backends } };
}

test("adds up what each backend got over all levels and trials", () => {
  const cells = collectCells(aSweep({ targets: ["a", "b"], connections: [1, 50], trials: 3 }));
  const ofB = cells.filter((cell) => cell.target === "b");
  expect(sumShares(ofB)).toEqual([1, 2, 3, 4].map((id) => ({ name: `backend-${id}`, requests: 6 * 250, errors: 0 })));
  expect(sumShares(cells.filter((cell) => cell.target === "a"))).toEqual([]);
});

test("expects shares by the weights of the target's backends", () => {
  const shares = expectedShares(target([group("big", 1, 3), group(null, 2, 1)]), ["backend-1", "big", "backend-2"]);
  expect([...shares]).toEqual([
    ["backend-1", 0.2],
    ["big", 0.6],
    ["backend-2", 0.2],
  ]);
});

test.each([
  ["a target without options", target(undefined)],
  ["no target", undefined],
  ["other backends than were counted", target([group("other", 2, 5)])],
  ["more backends than were counted", target([group("a", 1, 3), group("b", 1, 1), group("c", 1, 1)])],
  ["something else under that name", target([{ url: "http://127.0.0.1" }])],
  ["a number of them", target(2)],
])("expects even shares of %s", (_, given) => {
  expect([...expectedShares(given, ["a", "b"]).values()]).toEqual([0.5, 0.5]);
});
