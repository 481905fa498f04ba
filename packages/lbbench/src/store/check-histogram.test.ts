import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createLatencyHistogram, encodeHistogram } from "../stats/histogram.js";
import { checkHistogram } from "./check-histogram.js";

describe("a histogram from elsewhere", () => {
  const histogram = createLatencyHistogram();
  for (const us of [1, 2, 2, 5000, 86_400_000_000]) histogram.recordValue(us);

  it.each([histogram, createLatencyHistogram()])("is taken where it is one of ours", (own) => {
    expect(() => checkHistogram(encodeHistogram(own))).not.toThrow();
  });

  const whole = inflateSync(Buffer.from(encodeHistogram(histogram), "base64").subarray(8));
  const packed = (content: Uint8Array, length?: number): string => {
    const compressed = deflateSync(content);
    const head = Buffer.alloc(8);
    head.writeInt32BE(0x1c849314, 0);
    head.writeInt32BE(length ?? compressed.length, 4);
    return Buffer.concat([head, compressed]).toString("base64");
  };
  const changed = (change: (bytes: Buffer) => void): string => {
    const bytes = Buffer.from(whole);
    change(bytes);
    return packed(bytes);
  };
  it.each<[string, string]>([
    ["nothing", ""],
    ["text that is too long", "A".repeat(2_000_000)],
    ["a gigabyte of zeros", packed(Buffer.alloc(100_000_000))],
    ["a length beyond its end", changed((bytes) => void bytes.writeInt32BE(2 ** 31 - 1, 4))],
    ["a negative length", changed((bytes) => void bytes.writeInt32BE(-1, 4))],
    ["a head alone", packed(whole.subarray(0, 39))],
    ["compressed bytes that are cut", packed(whole, 10)],
    ["other digits", changed((bytes) => void bytes.writeInt32BE(5, 12))],
    ["an endless range", changed((bytes) => void bytes.writeBigInt64BE(2n ** 62n, 24))],
    ["a negative range", changed((bytes) => void bytes.writeBigInt64BE(-1n, 24))],
    ["too many cells", changed((bytes) => void bytes.fill(0xff, 40, whole.length))],
    ["a count that overflows", changed((bytes) => bytes.set([0xfe, 0xff, 0xff, 0xff, 0xff, 0x7f], 40))],
  ])("is refused at once that has %s", (_, text) => {
    expect(() => checkHistogram(text)).toThrow(/^expected a latency histogram/);
  });
});
