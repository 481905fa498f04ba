import { describe, expect, it } from "vitest";
import { hashText, mixBits } from "./hash-text.js";

describe("hashText", () => {
  // Fixed, because all processes of all versions must agree. Without the last mixing the first two are the published
  // FNV-1a values 811c9dc5 and e40c292c.
  it.each([
    ["", mixBits(0x811c9dc5)],
    ["a", mixBits(0xe40c292c)],
    ["foobar", mixBits(0xbf9cf968)],
  ])("makes of %j the finished FNV-1a hash", (text, hash) => {
    expect(hashText(text)).toBe(hash);
  });

  it("changes about half of the bits with one letter", () => {
    let changed = 0;
    for (let index = 0; index < 1000; index++) {
      for (let bits = hashText(`${index}a`) ^ hashText(`${index}b`); bits !== 0; bits &= bits - 1) changed += 1;
    }
    expect(Math.abs(changed / 1000 - 16)).toBeLessThan(0.5);
  });
});

describe("mixBits", () => {
  it("is the finalizer of MurmurHash3", () => {
    expect([0, 1, 0xffffffff].map(mixBits)).toEqual([0, 0x514e28b7, 0x81f16f39]);
  });
});
