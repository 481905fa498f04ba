import { errors } from "undici";
import { describe, expect, it } from "vitest";
import { classifyFailure } from "./classify-failure.js";

const OPEN = { connected: true, ending: undefined };

function failed(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe("classifyFailure", () => {
  it.each(["ECONNREFUSED", "EMFILE", "DEPTH_ZERO_SELF_SIGNED_CERT", "ECONNRESET"])(
    "takes %s for the lack of a connection where there was none",
    (code) => {
      const none = { connected: false, ending: undefined };
      expect(classifyFailure(failed(code), none)).toEqual({ kind: "connectErrors", code });
    },
  );

  it.each(["ECONNRESET", "EPIPE", "ETIMEDOUT"])("takes %s of a connection for a reset", (code) => {
    expect(classifyFailure(failed(code), OPEN)).toEqual({ kind: "resets", code });
  });

  it("takes what undici cannot read for an answer that does not match", () => {
    const unreadable = { kind: "mismatched", code: "INVALID_RESPONSE" };
    expect(classifyFailure(new errors.HTTPParserError("Expected HTTP/"), OPEN)).toEqual(unreadable);
    expect(classifyFailure(new errors.ResponseContentLengthMismatchError(), OPEN)).toEqual(unreadable);
    expect(classifyFailure(new errors.SocketError("bad response"), OPEN)).toEqual(unreadable);
    expect(classifyFailure(new errors.HeadersOverflowError(), OPEN)).toEqual({
      kind: "mismatched",
      code: "UND_ERR_HEADERS_OVERFLOW",
    });
  });

  it("believes the way in which the connection ended before anything else", () => {
    const error = new errors.ResponseContentLengthMismatchError();
    expect(classifyFailure(error, { connected: true, ending: "dropped" })).toEqual({ kind: "dropped" });
    expect(classifyFailure(error, { connected: true, ending: "resets" })).toEqual({
      kind: "resets",
      code: "ECONNRESET",
    });
  });

  it("names what has no name", () => {
    expect(classifyFailure(new Error("odd"), OPEN)).toEqual({ kind: "resets", code: "UNKNOWN" });
  });
});
