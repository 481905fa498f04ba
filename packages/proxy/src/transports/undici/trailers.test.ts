import { describe, expect, it } from "vitest";
import { trailersOfBytes } from "./trailers.js";

function bytes(...texts: string[]): Buffer[] {
  return texts.map((text) => Buffer.from(text, "latin1"));
}

describe("trailersOfBytes", () => {
  it("makes a line of each, as it was spelled", () => {
    expect(trailersOfBytes(bytes("X-Sum", "1", "x-b", "\xe9"))).toBe("X-Sum: 1\r\nx-b: \xe9\r\n");
  });

  it("leaves out what may not be a trailer", () => {
    expect(trailersOfBytes(bytes("Content-Length", "3", "X-A", "1", "Set-Cookie", "a=b"))).toBe("X-A: 1\r\n");
  });
});
