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

  it("says where to look when a certificate is not trusted", () => {
    const error = Object.assign(new Error("self-signed certificate"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    expect(describeError(error)).toMatch(/^self-signed certificate \(see backendTls: /);
  });

  it("shows what is no error", () => {
    expect([describeError("text"), describeError(undefined)]).toEqual(["text", "undefined"]);
  });
});
