import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { expect, it } from "vitest";
import { collectLines, collectText } from "./collect-output.js";
import { keptOutput } from "./kept-output.js";

async function read<T>(chunks: readonly string[], collect: (stream: Readable) => T): Promise<T> {
  const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  const collected = collect(stream);
  stream.resume();
  await finished(stream);
  return collected;
}

it("keeps text up to its limit, in bytes, and says when there was more", async () => {
  const whole = await read(["a■", "b"], (stream) => collectText(stream, 5));
  expect([whole.text(), whole.isCut()]).toEqual(["a■b", false]);
  const cut = await read(["abc", "def", "g"], (stream) => collectText(stream, 4));
  expect([cut.text(), cut.isCut()]).toEqual(["abcd", true]);
});

it("counts equal lines, in the order of their first appearance, and lets go of too many different ones", async () => {
  const lines = await read(["b\na\nb", "\nb\nc\na"], (stream) => collectLines(stream, 2));
  expect(lines()).toEqual([
    { line: "b", count: 3 },
    { line: "a", count: 2 },
  ]);
});

it("keeps what was printed, complaints last, the middle of much of it left out", () => {
  const stderr = [
    { line: "once", count: 1 },
    { line: "often", count: 3 },
  ];
  expect(keptOutput({ stdout: "one\ntwo\n\n", stderr })).toBe("one\ntwo\nonce\noften [3 times]");
  const long = keptOutput({
    stdout: Array.from({ length: 2500 }, (_, index) => `line ${index}`).join("\n"),
    stderr: [],
  });
  expect(long).toMatch(/^line 0\n[^]*line 999\n\[500 lines left out\]\nline 1500\n[^]*line 2499$/);
  expect(keptOutput({ stdout: "x".repeat(5000), stderr: [] })).toHaveLength(1006);
});
