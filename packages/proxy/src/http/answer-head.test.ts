import { describe, expect, it } from "vitest";
import { answerHeadersOfBytes, answerHeadersOfTexts, statusLine } from "./answer-head.js";
import { InvalidAnswerError } from "./invalid-answer-error.js";

/** Names and values as undici gives them: parts of the bytes that came. */
function bytesOf(lines: readonly string[]): Buffer[] {
  const bytes = Buffer.from(lines.map((line) => `${line}\r\n`).join(""), "latin1");
  let at = 0;
  return lines.flatMap((line) => {
    const [, name = "", gap = "", value = ""] = /^([^:]+)(:[ \t]*)(.*)$/s.exec(line) ?? [];
    const valueAt = at + name.length + gap.length;
    const parts = [bytes.subarray(at, at + name.length), bytes.subarray(valueAt, valueAt + value.length)];
    at += line.length + 2;
    return parts;
  });
}

const DATE = "Date: Thu, 01 Jan 2026 00:00:00 GMT";

describe.each([
  ["bytes", (lines: readonly string[], own?: string) => answerHeadersOfBytes(bytesOf(lines), own)],
  [
    "texts",
    (lines: readonly string[], own?: string) =>
      answerHeadersOfTexts(
        bytesOf(lines).map((text) => text.toString("latin1")),
        own,
      ),
  ],
] as const)("the headers of an answer from %s", (_, read) => {
  it.each([
    [
      "keep spelling, order and repetition",
      ["Set-Cookie: a", DATE, "X-a: 1", "Set-Cookie: b"],
      ["Set-Cookie: a", DATE, "X-a: 1", "Set-Cookie: b"],
    ],
    ["lose those of the hop", [DATE, "Connection: close", "X-A: 1", "Keep-Alive: 5", "Upgrade: a"], [DATE, "X-A: 1"]],
    [
      "lose those that Connection names, before and behind it",
      [DATE, "X-H: 1", "Connection: x-h", "X-A: 1", "x-h: 2"],
      [DATE, "X-A: 1"],
    ],
    ["lose those that two Connections name", [DATE, "Connection: x-h", "X-H: 1", "Connection: x-i", "X-I: 1"], [DATE]],
    ["lose the balancer's own", [DATE, "X-Backend: a"], [DATE]],
    ["keep bytes above ASCII", [DATE, "X-A: J\xf6rg"], [DATE, "X-A: J\xf6rg"]],
  ])("%s", (__, lines, passed) => {
    expect(read(lines, "x-backend").lines).toBe(passed.map((line) => `${line}\r\n`).join(""));
  });

  it("get a Date if they have none", () => {
    expect(read(["X-A: 1"]).lines).toMatch(/^X-A: 1\r\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT\r\n$/);
  });

  it("tell how the body is framed", () => {
    expect(read(["Content-Length: 5"])).toMatchObject({ length: 5, chunked: false });
    expect(read(["Transfer-Encoding: Chunked"])).toMatchObject({ length: undefined, chunked: true });
    expect(read(["Connection: content-length, transfer-encoding", "Content-Length: 5"])).toMatchObject({ length: 5 });
  });

  it.each([
    ["two different lengths", ["Content-Length: 5", "Content-Length: 6"]],
    ["a length that is none", ["Content-Length: 5, 5"]],
    ["a length that a number cannot hold", ["Content-Length: 9007199254740993"]],
    ["a length and chunks", ["Content-Length: 5", "Transfer-Encoding: chunked"]],
    ["an unknown coding", ["Transfer-Encoding: gzip, chunked"]],
    ["a control character", ["X-A: a\x01b"]],
  ])("are invalid with %s", (__, lines) => {
    expect(() => read(lines)).toThrow(InvalidAnswerError);
  });
});

describe("statusLine", () => {
  it("keeps the reason, also an empty one", () => {
    expect([statusLine(418, "Teapot"), statusLine(200, "")]).toEqual(["HTTP/1.1 418 Teapot\r\n", "HTTP/1.1 200 \r\n"]);
  });

  it.each([
    [42, "OK"],
    [1000, "OK"],
    [200, "O\r\nK"],
    [200, "O\0K"],
  ])("refuses %i %j", (status, reason) => {
    expect(() => statusLine(status, reason)).toThrow(InvalidAnswerError);
  });
});
