import { describe, expect, it } from "vitest";
import { describeError } from "./describe-error.js";

describe("describeError", () => {
  it("gives the message of an error", () => {
    expect(describeError(new Error("connect ECONNREFUSED"))).toBe("connect ECONNREFUSED");
  });

  it("gives all messages of several errors in one, also of those in those", () => {
    const inner = new AggregateError([new Error("b"), new Error("c")]);
    expect(describeError(new AggregateError([new Error("a"), inner]))).toBe("a; b; c");
  });

  it("shows what is no error", () => {
    expect([describeError("text"), describeError(undefined)]).toEqual(["text", "undefined"]);
  });
});
