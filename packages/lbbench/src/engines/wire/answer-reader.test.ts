import { expect, it } from "vitest";
import { INVALID_RESPONSE } from "../http1.js";
import { scanAnswers } from "./answer-reader.js";

const HELLO = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
const LAST = "HTTP/1.1 503 No\r\nConnection: close\r\nContent-Length: 5\r\n\r\n";
const CHUNKS = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/** Reads answers one after the other, each in a piece of its own; says what was told of each. */
function readAll(answers: readonly string[]): readonly string[] {
  let told = "";
  const reader = scanAnswers({
    picked: { isHead: false } as Parameters<typeof scanAnswers>[0]["picked"],
    head: (status) => (told += status),
    body: (bytes, start, length) => (told += ` ${bytes.toString("latin1", start, start + length)}`),
    complete: (reusable) => (told += reusable ? " kept" : " closed"),
  });
  return answers.map((answer) => {
    told = "";
    reader.begin();
    const bytes = Buffer.from(`--${answer}`, "latin1");
    return reader.read(bytes, 2, bytes.length) ?? told;
  });
}

it("reads a head that is the same as the last one as it read that, and any other one anew", () => {
  const broken = HELLO.replace(": 5", ":\0 5");
  const answers = [
    `${HELLO}hello`,
    `${HELLO}hullo`,
    `${LAST}sorry`,
    `${LAST}again`,
    `${HELLO}hello`,
    `${CHUNKS}2\r\nhi\r\n0\r\n\r\n`,
  ];
  const told = [
    "200 hello kept",
    "200 hullo kept",
    "503 sorry closed",
    "503 again closed",
    "200 hello kept",
    "200 hi kept",
  ];
  expect(readAll(answers)).toEqual(told);
  // What is refused, or not whole, is in the place of what was read before.
  expect(readAll([`${HELLO}hello`, broken, `${HELLO}hello`])).toEqual([
    "200 hello kept",
    INVALID_RESPONSE,
    "200 hello kept",
  ]);
  expect(readAll([`${LAST}sorry`, HELLO.slice(0, 30), `${LAST}sorry`])).toEqual([
    "503 sorry closed",
    "",
    "503 sorry closed",
  ]);
});
