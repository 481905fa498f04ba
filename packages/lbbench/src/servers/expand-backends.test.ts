import { expect, it } from "vitest";
import { expandBackends } from "./expand-backends.js";

const group = (name: string | null, count: number) => ({ name, server: "single", options: {}, count, weight: 1 });

it("numbers backends without a name through all groups, and those of a group by its name", () => {
  const groups = [group(null, 2), group("pool", 2), group(null, 1), group("slow", 1)];
  expect(expandBackends(groups).map(({ name }) => name)).toEqual([
    "backend-1",
    "backend-2",
    "pool-1",
    "pool-2",
    "backend-3",
    "slow",
  ]);
});
