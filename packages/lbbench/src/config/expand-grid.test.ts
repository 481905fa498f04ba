import { describe, expect, it } from "vitest";
import { expandGrid } from "./expand-grid.js";

const expand = (grid: Record<string, readonly unknown[]>, options: Record<string, unknown> = {}) =>
  expandGrid({ name: "a", server: "pool", options, grid }, "targets[0]");

describe("expandGrid", () => {
  it("leaves a target without a grid as it is", () => {
    expect(expandGrid({ name: "a", options: { pool: 1 } }, "targets[0]")).toEqual([
      { name: "a", options: { pool: 1 } },
    ]);
  });

  it("makes a target of every combination, the last option varying fastest, and keeps the other options", () => {
    expect(expand({ pool: [8, 16], policy: ["block", "drop-tail"] }, { handler: "hello" })).toEqual([
      { name: "a pool=8 policy=block", server: "pool", options: { handler: "hello", pool: 8, policy: "block" } },
      {
        name: "a pool=8 policy=drop-tail",
        server: "pool",
        options: { handler: "hello", pool: 8, policy: "drop-tail" },
      },
      { name: "a pool=16 policy=block", server: "pool", options: { handler: "hello", pool: 16, policy: "block" } },
      {
        name: "a pool=16 policy=drop-tail",
        server: "pool",
        options: { handler: "hello", pool: 16, policy: "drop-tail" },
      },
    ]);
  });

  it("reaches an option inside another, and names targets by its last word", () => {
    const options = { backends: [{ server: "pool" }, { server: "single" }] };
    expect(expand({ "backends.0.options.pool": [1, 2] }, options)).toEqual([
      {
        name: "a pool=1",
        server: "pool",
        options: { backends: [{ server: "pool", options: { pool: 1 } }, { server: "single" }] },
      },
      {
        name: "a pool=2",
        server: "pool",
        options: { backends: [{ server: "pool", options: { pool: 2 } }, { server: "single" }] },
      },
    ]);
    expect(options).toEqual({ backends: [{ server: "pool" }, { server: "single" }] });
  });

  it("names targets by the whole path where two end alike, and leaves out what is the same in all", () => {
    expect(expand({ "x.size": [1, 2], "y.size": [3], z: [4, 5] }).map(({ name }) => name)).toEqual([
      "a x.size=1 z=4",
      "a x.size=1 z=5",
      "a x.size=2 z=4",
      "a x.size=2 z=5",
    ]);
  });

  it("puts no value into a prototype", () => {
    const [made] = expand({ "__proto__.polluted": [true] });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(made?.options).not.toHaveProperty("polluted");
  });

  it("refuses a place that does not exist, and more targets than anybody would wait for", () => {
    expect(() => expand({ "backends.2.count": [1] }, { backends: [{}, {}] })).toThrow(
      'targets[0] ("a"): grid: backends.2.count: expected a number below 2 for a place in the list, got "2"',
    );
    expect(() => expand({ "backends.count": [1] }, { backends: 4 })).toThrow(
      'expected the name of an option, got "count" inside 4',
    );
    const many = Array.from({ length: 15 }, (_, index) => index);
    expect(() => expand({ a: many, b: many })).toThrow(
      'targets[0] ("a"): grid: expected at most 200 combinations, got 225',
    );
  });
});
