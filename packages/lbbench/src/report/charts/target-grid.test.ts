import { expect, test } from "vitest";
import { expandGrid } from "../../config/expand-grid.js";
import { readTargetGrid } from "./target-grid.js";

const namesOf = (grid: Readonly<Record<string, readonly unknown[]>>): readonly string[] =>
  expandGrid({ name: "pool", grid }, "targets.0").map(({ name }) => name);

test("targets that differ in the last option alone are members of a group", () => {
  expect(readTargetGrid(namesOf({ pool: [8, 16], policy: ["block", "drop-head"] }))).toEqual([
    { target: "pool pool=8 policy=block", group: "pool pool=8", member: "policy=block" },
    { target: "pool pool=8 policy=drop-head", group: "pool pool=8", member: "policy=drop-head" },
    { target: "pool pool=16 policy=block", group: "pool pool=16", member: "policy=block" },
    { target: "pool pool=16 policy=drop-head", group: "pool pool=16", member: "policy=drop-head" },
  ]);
});

test("an option with very many values makes groups, and not members", () => {
  const places = readTargetGrid(namesOf({ policy: ["block", "drop-head"], queue: [1, 2, 3, 4, 5, 6, 7, 8, 9] }));
  expect(new Set(places?.map(({ member }) => member))).toEqual(new Set(["policy=block", "policy=drop-head"]));
  expect(places?.[0]?.group).toBe("pool queue=1");
});

test("a target beside the grid is a group of its own", () => {
  expect(readTargetGrid(["simple server", ...namesOf({ pool: [8, 16] })])?.[0]).toEqual({
    target: "simple server",
    group: "simple server",
    member: undefined,
  });
});

test.each([[["single", "balanced"]], [["pool pool=8"]], [[]]])("%j are no grid", (names) => {
  expect(readTargetGrid(names)).toBeUndefined();
});
