import { describe, expect, it } from "vitest";
import { groupBy } from "./group-by.js";
import { levelKey, placeKey, stepKey } from "./identity.js";

describe("levelKey", () => {
  it("is the same for equal levels, whatever the order of their fields", () => {
    expect(levelKey({ connections: 5, durationMs: 10 })).toBe(levelKey({ durationMs: 10, connections: 5 }));
  });

  it("tells requests from milliseconds", () => {
    expect(levelKey({ connections: 5, durationMs: 10 })).not.toBe(levelKey({ connections: 5, requests: 10 }));
  });
});

describe("placeKey", () => {
  const level = { connections: 5, requests: 10 };

  it("tells targets and levels apart, and no trials", () => {
    const first = { target: "a", level, trial: 1 };
    expect(placeKey(first)).toBe(placeKey({ ...first, trial: 2 } as typeof first));
    expect(placeKey(first)).not.toBe(placeKey({ target: "b", level }));
    expect(placeKey(first)).not.toBe(placeKey({ target: "a", level: { connections: 6, requests: 10 } }));
  });
});

describe("stepKey", () => {
  const level = { connections: 5, requests: 10 };

  it("tells targets apart whose names contain separators", () => {
    expect(stepKey({ target: 'a","b', level, trial: 1 })).not.toBe(stepKey({ target: "a", level, trial: 1 }));
  });

  it("tells trials apart", () => {
    expect(stepKey({ target: "a", level, trial: 1 })).not.toBe(stepKey({ target: "a", level, trial: 2 }));
  });
});

describe("groupBy", () => {
  it("keeps the order of keys and items", () => {
    const groups = groupBy([3, 4, 1, 6], (value) => (value % 2 === 0 ? "even" : "odd"));
    expect([...groups]).toEqual([
      ["odd", [3, 1]],
      ["even", [4, 6]],
    ]);
  });
});
