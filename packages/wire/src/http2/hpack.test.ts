import { Draws } from "@lbbench/test-support/draws.js";
import { expect, it } from "vitest";
import { HTTP2, Http2Error } from "./errors.js";
import type { Fields } from "./fields.js";
import { boundOf, HpackDecoder, HpackEncoder } from "./hpack.js";

/** Bytes from hexadecimal digits, with blanks between them. */
function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(/\s/g, ""), "hex");
}

function decode(decoder: HpackDecoder, block: string | Buffer): Fields | "too large" {
  const bytes = typeof block === "string" ? bytesOf(block) : block;
  return decoder.decode(bytes, 0, bytes.length);
}

function encode(encoder: HpackEncoder, fields: Fields): Buffer {
  const into = Buffer.alloc(boundOf(fields));
  return into.subarray(0, encoder.encode(fields, into, 0));
}

/** A field as text: `name: value`. */
function listed(fields: Fields | "too large"): readonly string[] {
  if (fields === "too large") return [fields];
  return fields.flatMap((text, at) => (at % 2 === 0 ? [`${text}: ${fields[at + 1]}`] : []));
}

function fieldsOf(lines: readonly string[]): Fields {
  return lines.flatMap((line) => {
    const colon = line.indexOf(": ");
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
}

/** All that is in a decoder's dynamic table, the newest first. */
function tableOf(decoder: HpackDecoder): readonly string[] {
  const lines: string[] = [];
  for (let index = 62; ; index++) {
    const fields = attempt(() => decode(decoder, Buffer.from([0x80 | index])));
    if (fields instanceof Http2Error) return lines;
    lines.push(...listed(fields));
  }
}

/** What a function returns, or the `Http2Error` that it throws. */
function attempt<Result>(run: () => Result): Result | Http2Error {
  try {
    return run();
  } catch (error) {
    if (error instanceof Http2Error) return error;
    throw error;
  }
}

const REQUESTS = [
  [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"],
  [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com", "cache-control: no-cache"],
  [":method: GET", ":scheme: https", ":path: /index.html", ":authority: www.example.com", "custom-key: custom-value"],
];
const TABLE_OF_REQUESTS = ["custom-key: custom-value", "cache-control: no-cache", ":authority: www.example.com"];

const COOKIE = "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1";
const PRIVATE = "cache-control: private";
const DATE = "date: Mon, 21 Oct 2013 20:13:21 GMT";
const LATER = "date: Mon, 21 Oct 2013 20:13:22 GMT";
const LOCATION = "location: https://www.example.com";

const HUFFMAN_REQUESTS = [
  "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
  "8286 84be 5886 a8eb 1064 9cbf",
  "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
];

/** The examples but C.5, which is C.6 without the Huffman code. */
const SERIES = [
  {
    what: "C.2.1, a literal that is added",
    blocks: ["400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572"],
    lists: [["custom-key: custom-header"]],
    table: ["custom-key: custom-header"],
  },
  {
    what: "C.2.2, a literal that is not added",
    blocks: ["040c 2f73 616d 706c 652f 7061 7468"],
    lists: [[":path: /sample/path"]],
    table: [],
  },
  {
    what: "C.2.3, a literal that is never added",
    blocks: ["1008 7061 7373 776f 7264 0673 6563 7265 74"],
    lists: [["password: secret"]],
    table: [],
  },
  { what: "C.2.4, an index", blocks: ["82"], lists: [[":method: GET"]], table: [] },
  {
    what: "C.3, requests",
    blocks: [
      "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
      "8286 84be 5808 6e6f 2d63 6163 6865",
      "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ],
    lists: REQUESTS,
    table: TABLE_OF_REQUESTS,
  },
  { what: "C.4, requests in Huffman code", blocks: HUFFMAN_REQUESTS, lists: REQUESTS, table: TABLE_OF_REQUESTS },
  {
    what: "C.6, answers in Huffman code, with a table of 256 bytes",
    tableBytes: 256,
    blocks: [
      `4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8
       e9ae 82ae 43d3`,
      "4883 640e ffc1 c0bf",
      `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b
       3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07`,
    ],
    lists: [
      [":status: 302", PRIVATE, DATE, LOCATION],
      [":status: 307", PRIVATE, DATE, LOCATION],
      [":status: 200", PRIVATE, LATER, LOCATION, "content-encoding: gzip", COOKIE],
    ],
    table: [COOKIE, "content-encoding: gzip", LATER],
  },
];

it.each(SERIES)("reads RFC 7541, $what", ({ tableBytes = 4096, blocks, lists, table }) => {
  const decoder = new HpackDecoder(tableBytes);
  expect(blocks.map((block) => listed(decode(decoder, block)))).toEqual(lists);
  expect(tableOf(decoder)).toEqual(table);
});

it("writes the requests of RFC 7541, C.4, in the same bytes", () => {
  const encoder = new HpackEncoder();
  const blocks = REQUESTS.map((lines) => encode(encoder, fieldsOf(lines)).toString("hex"));
  expect(blocks).toEqual(HUFFMAN_REQUESTS.map((block) => bytesOf(block).toString("hex")));
});

it("knows all fields of the static table", () => {
  const lines = Array.from({ length: 61 }, (_, at) => listed(decode(new HpackDecoder(), Buffer.from([0x81 + at])))[0]);
  expect(lines.slice(0, 16).join(" | ")).toBe(
    ":authority:  | :method: GET | :method: POST | :path: / | :path: /index.html | :scheme: http | :scheme: https | " +
      ":status: 200 | :status: 204 | :status: 206 | :status: 304 | :status: 400 | :status: 404 | :status: 500 | " +
      "accept-charset:  | accept-encoding: gzip, deflate",
  );
  // From here on there are no values, and the names are in order but for one.
  expect(lines[18]).toBe("accept: ");
  const others = lines.slice(16).filter((line) => line !== "accept: ");
  expect(others).toEqual(others.toSorted());
  const some = [0, 14, 28, 43].map((at) => others[at]);
  expect(some).toEqual(["accept-language: ", "cookie: ", "location: ", "www-authenticate: "]);
});

it.each([
  ["index 0", "80"],
  ["an index behind both tables", "4001 6101 62bf"],
  ["a name with an index behind both tables", "7f00 0162"],
  ["an index of 5 bytes", "ffff ffff 7f"],
  ["an index of 6 bytes", "ffff ffff ff0f"],
  ["an index of many bytes that count nothing", "ff80 8080 8080 8000"],
  ["an index that ends within its number", "ff80"],
  ["a field that ends before its name", "40"],
  ["a field that ends within its name", "4003 6162"],
  ["a field that ends before its value", "4001 61"],
  ["a field that ends within its value", "4001 6102 62"],
  ["a text of 268 megabytes", "4001 617f ffff ff7f"],
  ["a text with a length of 6 bytes", "4001 617f ffff ffff 0f"],
  ["a text in no Huffman code", "4001 6181 18"],
  ["a size of the table that is larger than allowed", "3fe2 1f"],
  ["a size of the table behind a field", "8220"],
])("refuses %s", (_what, block) => {
  const error = attempt(() => decode(new HpackDecoder(), block)) as Http2Error;
  expect(error).toBeInstanceOf(Http2Error);
  expect(error.code).toBe(HTTP2.COMPRESSION_ERROR);
  const why = /^expected a block of header fields as in RFC 7541, but it has (an? |index \d+, where 1 to)/;
  expect(error.message).toMatch(why);
});

it.each([
  ["no field at all", "", []],
  ["a size of the table and no field", "20", []],
  ["several sizes of the table at the beginning", "203f e11f 82", [":method: GET"]],
  ["an empty value", "4001 6100", ["a: "]],
  ["an empty value in Huffman code", "4001 6180", ["a: "]],
  ["a number with zeros before it", "0f81 8000 0162", ["accept-encoding: b"]],
  ["bytes above 127", "4001 6102 e9ff", ["a: \xe9\xff"]],
])("reads %s", (_what, block, lines) => {
  expect(listed(decode(new HpackDecoder(), block))).toEqual(lines);
});

it("empties the table for a size of 0, and for a field that is larger than it", () => {
  const decoder = new HpackDecoder();
  decode(decoder, "4001 6101 62");
  decode(decoder, "20");
  expect(tableOf(decoder)).toEqual([]);
  const other = new HpackDecoder(64);
  decode(other, "4001 6101 62");
  expect(listed(decode(other, `7e20 ${"63".repeat(32)}`))).toEqual([`a: ${"c".repeat(32)}`]);
  expect(tableOf(other)).toEqual([]);
});

it("returns the same array for a block that comes again, until the table changes", () => {
  const decoder = new HpackDecoder();
  decode(decoder, "4001 6101 62");
  const first = decode(decoder, "82be");
  expect(decode(decoder, "82be")).toBe(first);
  const other = decode(decoder, "83be");
  expect(listed(other)).toEqual([":method: POST", "a: b"]);
  expect(decode(decoder, "82be")).toBe(first);
  expect(decode(decoder, "83be")).toBe(other);
  decode(decoder, "4001 6301 64");
  expect(listed(decode(decoder, "82be"))).toEqual([":method: GET", "c: d"]);
});

it("adds a field each time that its block comes", () => {
  const decoder = new HpackDecoder();
  for (let times = 0; times < 3; times++) decode(decoder, "4001 6101 62");
  expect(tableOf(decoder)).toEqual(["a: b", "a: b", "a: b"]);
});

it("does not return what a block stood for once the table has become smaller", () => {
  const decoder = new HpackDecoder();
  decode(decoder, "4001 6101 62");
  expect(listed(decode(decoder, "be"))).toEqual(["a: b"]);
  decode(decoder, "20");
  expect(() => decode(decoder, "be")).toThrow("index 62, where 1 to 61 are in use");
});

it("does not take a block for another one that differs in its last byte", () => {
  for (const size of [10, 126, 1000, 5000]) {
    const decoder = new HpackDecoder();
    const block = literal("a", "x".repeat(size));
    const first = decode(decoder, block);
    expect(listed(first)).toEqual([`a: ${"x".repeat(size)}`]);
    expect(decode(decoder, Buffer.from(block)) === first).toBe(size <= 1000);
    block[block.length - 1] = "y".charCodeAt(0);
    expect(listed(decode(decoder, block))).toEqual([`a: ${"x".repeat(size - 1)}y`]);
  }
});

/** A field that is not added, with a name of one character. */
function literal(name: string, value: string): Buffer {
  const rest = value.length - 127;
  const length = rest < 0 ? [value.length] : [0x7f, 0x80 | (rest & 0x7f), 0x80 | ((rest >> 7) & 0x7f), rest >> 14];
  return Buffer.concat([bytesOf("0001"), Buffer.from(name), Buffer.from(length), Buffer.from(value)]);
}

it("keeps at most headerListBytes of a list, and the table as it is to be", () => {
  const lines = ["a: b", "c: d"];
  const block = bytesOf("4001 6101 62 4001 6301 64");
  expect(listed(decode(new HpackDecoder(4096, 68), block))).toEqual(lines);
  const decoder = new HpackDecoder(4096, 67);
  expect(decode(decoder, block)).toBe("too large");
  expect(decode(decoder, "bebf")).toBe("too large");
  expect(tableOf(decoder)).toEqual(["c: d", "a: b"]);
  expect(() => decode(decoder, "bebfc0")).toThrow("index 64");
});

it("only counts the fields of a block of 64 KiB that stands for 256 MiB", () => {
  const value = "v".repeat(4000);
  const bomb = Buffer.alloc(65_536, 0xbe);
  const kept = (headerListBytes: number) => {
    const decoder = new HpackDecoder(4096, headerListBytes);
    const added = Buffer.concat([bytesOf("40"), literal("a", value).subarray(1)]);
    expect(listed(decode(decoder, added))).toEqual([`a: ${value}`]);
    const { push } = Array.prototype;
    let pushed = 0;
    Array.prototype.push = function (this: unknown[], ...items: unknown[]) {
      if (items[1] === value) pushed++;
      return push.apply(this, items);
    };
    try {
      return { fields: decode(decoder, bomb), pushed };
    } finally {
      Array.prototype.push = push;
    }
  };
  expect(kept(65_536)).toEqual({ fields: "too large", pushed: 16 });
  // Otherwise nothing would have been counted above.
  expect(kept(2 ** 30).pushed).toBe(65_536);
});

/** How often the same field is in a decoder's table after it was written so many times, and how many bytes the last block had. */
function write(line: string, times: number) {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder();
  let bytes = 0;
  let first = 0;
  for (let time = 0; time < times; time++) {
    const block = encode(encoder, fieldsOf([line]));
    expect(listed(decode(decoder, block))).toEqual([line]);
    bytes = block.length;
    first = block[0] as number;
  }
  return { table: tableOf(decoder), bytes, first };
}

const ADDED = ["user-agent: x", "x-unknown: y", DATE, `cookie: ${"c".repeat(20)}`];
const CHANGING =
  ":path: /a | content-length: 12 | etag: x | set-cookie: a=b | location: / | age: 1 | if-none-match: x".split(" | ");
const SECRET = ["authorization: Basic eA==", "proxy-authorization: Basic eA==", "cookie: short"];

it.each(ADDED)("adds %s to the table, and writes it in one byte from then on", (line) => {
  expect(write(line, 3)).toMatchObject({ table: [line], bytes: 1 });
});

it.each([
  ...CHANGING.map((line) => [line, "as it changes", 0x00] as const),
  ...SECRET.map((line) => [line, "and says that nobody may", 0x10] as const),
])("does not add %s to the table, %s", (line, _why, says) => {
  const { table, first } = write(line, 3);
  expect({ table, says: first & 0xf0 }).toEqual({ table: [], says });
});

it("adds a changing field once if its name is not in the static table, and then only refers to its name", () => {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder();
  const blocks = ["1S", "2S", "3S"].map((value) => encode(encoder, ["grpc-timeout", value]));
  const read = blocks.map((block) => decode(decoder, block));
  expect(read).toEqual(["1S", "2S", "3S"].map((value) => ["grpc-timeout", value]));
  expect(tableOf(decoder)).toEqual(["grpc-timeout: 1S"]);
  expect(blocks[2]?.toString("hex")).toBe("0f2f023353");
});

it("does not add a field that would take most of the table", () => {
  const { table } = write(`x: ${"y".repeat(3100)}`, 2);
  expect(table).toEqual([]);
});

it.each([
  ["a smaller one", [100], "3f45"],
  ["none", [0], "20"],
  ["none, and then the first one again", [0, 4096], "203fe11f"],
  ["several, of which the least and the last one count", [300, 100, 200, 150], "3f453f77"],
  ["several, of which the last one is the least", [300, 100], "3f45"],
  ["a larger one, which is not needed", [65_536], ""],
  ["the same one", [4096], ""],
])("tells the size of the table before the next block when the other side's settings allow %s", (_what, sizes, hex) => {
  const encoder = new HpackEncoder();
  for (const size of sizes) encoder.setMaxTableBytes(size);
  expect(encode(encoder, [":method", "GET"]).toString("hex")).toBe(`${hex}82`);
  expect(encode(encoder, [":method", "GET"]).toString("hex")).toBe("82");
});

it("tells only the larger size when a small table may grow", () => {
  const encoder = new HpackEncoder();
  encoder.setMaxTableBytes(100);
  expect(encode(encoder, []).toString("hex")).toBe("3f45");
  encoder.setMaxTableBytes(5000);
  expect(encode(encoder, []).toString("hex")).toBe("3fe11f");
});

it("writes a list that it remembers in no more bytes than that takes", () => {
  const encoder = new HpackEncoder();
  encoder.setMaxTableBytes(1000);
  const fields = fieldsOf(["x-a: b", "x-c: d"]);
  const block = encode(encoder, fields);
  expect(block.toString("hex")).toMatch(/^3fc907/);
  const decoder = new HpackDecoder();
  expect(decode(decoder, block)).toEqual(fields);
  for (let time = 0; time < 3; time++) expect(decode(decoder, encode(encoder, fields))).toEqual(fields);
  expect(encode(encoder, fields)).toHaveLength(2);
});

it("writes a list that it remembers anew once the table has changed", () => {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder();
  const fields = fieldsOf([":method: GET", "x-a: b", ":path: /x"]);
  const blocks = Array.from({ length: 4 }, () => encode(encoder, fields));
  for (const block of blocks) expect(decode(decoder, block)).toEqual(fields);
  expect(blocks.slice(1).map((block) => block.toString("hex"))).toEqual(Array(3).fill("82be04022f78"));
  expect(decode(decoder, encode(encoder, ["x-c", "d"]))).toEqual(["x-c", "d"]);
  const behind = encode(encoder, fields);
  expect(behind.toString("hex")).toBe("82bf04022f78");
  expect(decode(decoder, behind)).toEqual(fields);
  encoder.setMaxTableBytes(0);
  expect(decode(decoder, encode(encoder, fields))).toEqual(fields);
});

const SOME_NAMES = ":path :status accept cookie authorization date grpc-timeout x-a x-b __proto__ x-request-id".split(
  " ",
);

function drawText(draws: Draws): string {
  const length = draws.chance(0.02) ? draws.below(5000) : draws.chance(0.1) ? 0 : draws.below(40);
  const isAscii = draws.chance(0.8);
  let text = "";
  while (text.length < length) text += String.fromCharCode(isAscii ? 32 + draws.below(95) : draws.below(256));
  return text;
}

it("writes any lists so that they are read as they were, with tables of all sizes", () => {
  let blocks = 0;
  let remembered = 0;
  let longest = 0;
  for (let seed = 1; seed <= 400; seed++) {
    const draws = new Draws(seed);
    const encoder = new HpackEncoder();
    const decoder = new HpackDecoder(4096, 2 ** 30);
    const values = Array.from({ length: 4 + draws.below(200) }, () => drawText(draws));
    const lists: Fields[] = [];
    const read = new Set<Fields | "too large">();
    for (let block = 0; block < 40; block++) {
      while (draws.chance(0.1))
        encoder.setMaxTableBytes(draws.chance(0.5) ? draws.below(6000) : draws.of([0, 40, 4096]));
      if (lists.length === 0 || draws.chance(0.4)) {
        const names = Array.from({ length: draws.below(12) }, () =>
          draws.chance(0.9) ? draws.of(SOME_NAMES) : `x-${draws.below(500)}`,
        );
        lists.push(names.flatMap((name) => [name, draws.of(values)]));
      }
      const fields = draws.chance(0.8) ? (lists.at(-1) as Fields) : draws.of(lists);
      const at = draws.below(5);
      const into = Buffer.alloc(at + boundOf(fields));
      const end = encoder.encode(fields, into, at);
      expect(end, `seed ${seed}`).toBeGreaterThanOrEqual(at);
      const result = decoder.decode(into, at, end);
      expect(result, `seed ${seed}`).toEqual(fields);
      if (read.has(result)) remembered++;
      read.add(result);
      blocks++;
      longest = Math.max(longest, end - at);
    }
  }
  // Otherwise there would be little that was tried.
  expect(blocks).toBe(16_000);
  expect(remembered).toBeGreaterThan(1000);
  expect(longest).toBeGreaterThan(5000);
});

it("refuses or reads any bytes, and nothing else", () => {
  let refused = 0;
  let read = 0;
  let odd = 0;
  for (let seed = 1; seed <= 20_000; seed++) {
    const draws = new Draws(seed);
    const decoder = new HpackDecoder(draws.of([0, 64, 4096]), draws.of([100, 65_536]));
    const encoder = new HpackEncoder();
    const lines = Array.from({ length: draws.below(6) }, () => [draws.of(SOME_NAMES), drawText(draws)]);
    const block = Buffer.from(encode(encoder, lines.flat()));
    for (let change = draws.below(4); change > 0; change--)
      if (block.length > 0) block[draws.below(block.length)] = draws.below(256);
    const cut = draws.below(Math.min(3, block.length + 1));
    const result = attempt(() => decoder.decode(block, 0, block.length - cut));
    if (result instanceof Http2Error) refused++;
    else read++;
    if (Array.isArray(result) && result.length % 2 !== 0) odd++;
  }
  expect(odd).toBe(0);
  expect(read).toBeGreaterThan(2000);
  expect(refused).toBeGreaterThan(2000);
});
