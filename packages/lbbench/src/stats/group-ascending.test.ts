import { expect, it } from "vitest";
import { groupAscending } from "./group-ascending.js";

it("groupAscending orders by number, not by text, and keeps the order within a group", () => {
  const items = [
    { load: 100, trial: 1 },
    { load: 20, trial: 1 },
    { load: 100, trial: 2 },
    { load: 3, trial: 1 },
  ];
  const groups = groupAscending(items, ({ load }) => load);
  expect(groups.map(({ key, items: members }) => [key, members.map(({ trial }) => trial)])).toEqual([
    [3, [1]],
    [20, [1]],
    [100, [1, 2]],
  ]);
});
