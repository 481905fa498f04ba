import { describe, expect, it } from "vitest";
import { shareDifference } from "./share-difference.js";

describe("shareDifference", () => {
  it("tells what each backend was given between two counts", () => {
    const before = { a: { requests: 10, errors: 1 }, b: { requests: 12, errors: 0 } };
    const after = { a: { requests: 15, errors: 3 }, b: { requests: 12, errors: 0 } };
    expect(shareDifference(before, after)).toEqual({ a: { requests: 5, errors: 2 }, b: { requests: 0, errors: 0 } });
  });

  it("counts a backend that came in between from nothing, and leaves out one that went", () => {
    expect(shareDifference({ gone: { requests: 9, errors: 0 } }, { come: { requests: 4, errors: 1 } })).toEqual({
      come: { requests: 4, errors: 1 },
    });
  });

  it("takes a backend by the name of something that every object has for one", () => {
    expect(shareDifference({}, { constructor: { requests: 2, errors: 0 } })).toEqual({
      constructor: { requests: 2, errors: 0 },
    });
  });
});
