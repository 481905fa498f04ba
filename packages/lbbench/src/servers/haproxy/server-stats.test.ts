import { expect, it } from "vitest";
import { parseServerStats } from "./server-stats.js";

const field = (name: string, value: string | number) => ({
  objType: "Server",
  field: { pos: 0, name },
  value: { type: "u64", value },
});

it("reads what each server got and what failed on it", () => {
  const answer = JSON.stringify([
    [field("pxname", "backends"), field("svname", "a"), field("stot", 7), field("econ", 1), field("eresp", 2)],
    [field("svname", "b"), field("stot", 0)],
  ]);
  expect([...parseServerStats(answer)]).toEqual([
    ["a", { requests: 7, errors: 3 }],
    ["b", { requests: 0, errors: 0 }],
  ]);
});

it.each([
  ["", "JSON"],
  ["Unknown command", "JSON"],
  ['{"a":1}', "expected array"],
])("does not take %j for counts", (answer, why) => {
  expect(() => parseServerStats(answer)).toThrow(why);
});
