import { describe, expect, it } from "vitest";
import { classifyStream, wasLeftAlone } from "./classify-stream.js";

const OPEN = { ending: undefined, goaway: undefined, spoken: true };
const [NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, REFUSED_STREAM, CANCEL] = [0, 1, 2, 7, 8];

function failed(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe("classifyStream", () => {
  it.each([
    [NO_ERROR, undefined, { kind: "dropped" }],
    [CANCEL, undefined, { kind: "resets", code: "RST_STREAM_CANCEL" }],
    [REFUSED_STREAM, "ERR_HTTP2_STREAM_ERROR", { kind: "resets", code: "RST_STREAM_REFUSED_STREAM" }],
    [99, "ERR_HTTP2_STREAM_ERROR", { kind: "resets", code: "RST_STREAM_99" }],
    [PROTOCOL_ERROR, "ERR_HTTP2_STREAM_ERROR", { kind: "mismatched", code: "RST_STREAM_PROTOCOL_ERROR" }],
  ])("tells what became of a stream that was reset with %i", (rstCode, code, failure) => {
    const error = code === undefined ? undefined : failed(code);
    expect(classifyStream({ rstCode, error }, OPEN)).toEqual(failure);
  });

  it.each([{ kind: "dropped" as const }, { kind: "resets" as const, code: "ECONNRESET" }])(
    "lets all streams of a connection end as it does: $kind",
    (ending) => {
      const gone = { ...OPEN, ending };
      expect(classifyStream({ rstCode: CANCEL, error: undefined }, gone)).toEqual(ending);
      expect(classifyStream({ rstCode: INTERNAL_ERROR, error: failed("ECONNRESET") }, gone)).toEqual(ending);
      const toldBefore = { rstCode: REFUSED_STREAM, error: failed("ERR_HTTP2_STREAM_ERROR") };
      expect(classifyStream(toldBefore, gone)).toEqual({ kind: "resets", code: "RST_STREAM_REFUSED_STREAM" });
    },
  );

  it("names the reason for which the server ended the connection", () => {
    const goaway = { code: 11, lastStreamId: 5 };
    const end = { rstCode: 11, error: failed("ERR_HTTP2_SESSION_ERROR") };
    expect(classifyStream(end, { ...OPEN, goaway })).toEqual({ kind: "resets", code: "GOAWAY_ENHANCE_YOUR_CALM" });
  });

  it("takes what cannot be read for an answer that does not match, and says when it never was HTTP/2", () => {
    const end = { rstCode: INTERNAL_ERROR, error: failed("ERR_HTTP2_ERROR") };
    expect(classifyStream(end, OPEN)).toEqual({ kind: "mismatched", code: "ERR_HTTP2_ERROR" });
    expect(classifyStream(end, { ...OPEN, spoken: false })).toEqual({
      kind: "mismatched",
      code: "ERR_HTTP2_NOT_SPOKEN",
    });
  });
});

describe("wasLeftAlone", () => {
  const refused = { rstCode: REFUSED_STREAM, error: undefined };

  it("holds of those beyond the last that a server deals with before it ends the connection in order", () => {
    const goaway = { code: NO_ERROR, lastStreamId: 5 };
    expect(wasLeftAlone(refused, 7, { goaway })).toBe(true);
    expect(wasLeftAlone(refused, 5, { goaway })).toBe(false);
    expect(wasLeftAlone({ ...refused, rstCode: CANCEL }, 7, { goaway })).toBe(false);
  });

  it("holds of none where the connection goes on, ends with an error, or was of no use at all", () => {
    expect(wasLeftAlone(refused, 7, { goaway: undefined })).toBe(false);
    expect(wasLeftAlone(refused, 7, { goaway: { code: 11, lastStreamId: 5 } })).toBe(false);
    expect(wasLeftAlone(refused, 1, { goaway: { code: NO_ERROR, lastStreamId: 0 } })).toBe(false);
  });
});
