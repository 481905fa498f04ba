import { Draws } from "@lbbench/test-support/draws.js";
import { expect, it } from "vitest";
import { decodeHuffman, encodeHuffman, huffmanLength } from "./huffman.js";

function encode(text: string): string {
  const into = Buffer.alloc(huffmanLength(text));
  expect(encodeHuffman(text, into, 0)).toBe(into.length);
  return into.toString("hex");
}

function decode(hex: string): string | undefined {
  const bytes = Buffer.from(hex.replaceAll(" ", ""), "hex");
  return decodeHuffman(bytes, 0, bytes.length);
}

// The longest codes of RFC 7541, appendix B. The texts of appendix C: hpack.test.ts.
it.each([
  ["", ""],
  ["\n", "fffffff3"],
  ["\r", "fffffff7"],
  ["\x16", "fffffffb"],
  ["\xf9", "ffffffef"],
  ["\0", "ffc7"],
  ["\\", "fffe1f"],
])("%j is %s", (text, hex) => {
  expect(encode(text)).toBe(hex);
  expect(decode(hex)).toBe(text);
});

it("has a code for each character, which no other code begins with, and which leave only the end of a string over", () => {
  const codes = Array.from({ length: 256 }, (_, character) => {
    const bits = lengthOf(character);
    const hex = encode(String.fromCharCode(character));
    return BigInt(`0x${hex}`)
      .toString(2)
      .padStart(hex.length * 4, "0")
      .slice(0, bits);
  });
  const sorted = codes.toSorted();
  for (const [at, code] of sorted.entries()) expect(sorted[at + 1]?.startsWith(code) ?? false, code).toBe(false);
  const used = codes.reduce((sum, code) => sum + 2 ** -code.length, 0);
  expect(used + 2 ** -30).toBe(1);
});

/** The bits of a character's code, found from the length of eight of them. */
function lengthOf(character: number): number {
  return huffmanLength(String.fromCharCode(character).repeat(8));
}

it.each([
  ["the end of a string", "ffff fffc"],
  ["the end of a string, and characters behind it", "ffff ffff fcff"],
  ["the end of a string behind a character", "1fff ffff ff"],
  ["8 bits of padding", "ff"],
  ["8 bits of padding behind 8 bits of a character", "fbff"],
  ["11 bits of padding", "1fff"],
  ["27 bits of padding", "1fff ffff"],
  ["padding of zeros", "18"],
  ["padding that ends with a zero", "1e"],
  ["a code of 28 bits that is cut", "ffff ff"],
  ["a code of 10 bits that is cut behind characters", "0000 00fe"],
])("refuses %s", (_what, hex) => {
  expect(decode(hex)).toBeUndefined();
});

it("reads only from the first to the last byte that it is told of", () => {
  const bytes = Buffer.from("ff1c6490b2cd39baff", "hex");
  expect(decodeHuffman(bytes, 1, 3)).toBe("abc");
});

it("decodes any text that it encodes, within other bytes", () => {
  for (let seed = 1; seed <= 3000; seed++) {
    const draws = new Draws(seed);
    const isAscii = draws.chance(0.5);
    const length = draws.chance(0.02) ? 6000 + draws.below(30_000) : draws.below(60);
    let text = "";
    while (text.length < length) text += String.fromCharCode(isAscii ? 32 + draws.below(95) : draws.below(256));
    const coded = huffmanLength(text);
    const bytes = Buffer.alloc(coded + 8, draws.below(256));
    const before = bytes[3 + coded];
    expect(encodeHuffman(text, bytes, 3)).toBe(3 + coded);
    expect(bytes[3 + coded]).toBe(before);
    expect(decodeHuffman(bytes, 3, 3 + coded) === text, `seed ${seed}`).toBe(true);
  }
});

it("encodes again to the same bytes what it decodes from any bytes", () => {
  let decoded = 0;
  for (let seed = 1; seed <= 20_000; seed++) {
    const draws = new Draws(seed);
    const bytes = Buffer.from(Array.from({ length: 1 + draws.below(8) }, () => draws.below(256)));
    if (draws.chance(0.5)) bytes[bytes.length - 1] = (bytes.at(-1) as number) | (0xff >>> (1 + draws.below(7)));
    const text = decodeHuffman(bytes, 0, bytes.length);
    if (text === undefined) continue;
    decoded++;
    expect(encode(text), `seed ${seed}`).toBe(bytes.toString("hex"));
  }
  expect(decoded).toBeGreaterThan(2000);
});
