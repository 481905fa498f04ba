import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { expect, it } from "vitest";
import { collectLines, collectText, followOutput } from "./output.js";

async function read<T>(chunks: readonly string[], collect: (stream: Readable) => T): Promise<T> {
  const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  const collected = collect(stream);
  stream.resume();
  await finished(stream);
  return collected;
}

it("keeps text up to its limit", async () => {
  expect((await read(["a■", "b"], (stream) => collectText(stream, 3)))()).toBe("a■b");
  expect((await read(["abc", "def", "g"], (stream) => collectText(stream, 4)))()).toBe("abcd");
});

it("counts equal lines, in the order of their first appearance, and lets go of too many different ones", async () => {
  const lines = await read(["b\na\nb", "\nb\nc\na"], (stream) => collectLines(stream, 2));
  expect(lines()).toEqual([
    { line: "b", count: 3 },
    { line: "a", count: 2 },
  ]);
});

it("follows the last lines of several streams, each cut, with those that have no end yet", async () => {
  const many = Array.from({ length: 25 }, (_, index) => `${index}\r\n`);
  const tail = await read([...many, "x".repeat(600), "\nrest"], (stream) => followOutput(stream, null));
  expect(tail()).toEqual([...many.slice(-18).map((line) => line.trim()), "x".repeat(500), "rest"]);
});
