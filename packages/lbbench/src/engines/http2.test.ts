import { HTTP2 } from "@lbbench/wire";
import { expect, it } from "vitest";
import { failureOf } from "./http2.js";

it("a call that is reset beyond its deadline has exceeded it, and one that is lost in another way has not", () => {
  const on = { goaway: undefined, hasSettings: true, socketEnd: undefined };
  const late = { kind: "non2xx", status: "DEADLINE_EXCEEDED" } as const;
  const reset = { kind: "reset", code: HTTP2.CANCEL } as const;
  expect(failureOf(reset, on, late)).toEqual(late);
  expect(failureOf(reset, on)).toEqual({ kind: "resets", code: "RST_STREAM_CANCEL" });
  expect(failureOf({ kind: "closed", error: undefined }, on, late)).toEqual({ kind: "dropped" });
});
