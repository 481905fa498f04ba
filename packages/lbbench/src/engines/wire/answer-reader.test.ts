import { expect, it } from "vitest";
import { INVALID_RESPONSE, type AnswerListener } from "../http1.js";
import { AnswerScan } from "./answer-reader.js";

const HELLO = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
const LAST = "HTTP/1.1 503 No\r\nConnection: close\r\nContent-Length: 5\r\n\r\n";
const CHUNKS = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/** Reads answers one after the other, each in a piece of its own; says what was told of each. */
function readAll(answers: readonly string[]): readonly string[] {
  let told = "";
  const reader = new AnswerScan(
    {
      picked: { isHead: false } as AnswerListener["picked"],
      head: (status) => (told += status),
      body: (bytes, start, length) => (told += ` ${bytes.toString("latin1", start, start + length)}`),
    },
    (reusable) => (told += reusable ? " kept" : " closed"),
  );
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

it("tells the Server-Timing of each answer where it is asked to, also of a head like the last one or in pieces, and not of an interim one", () => {
  const timed = (text: string): string => HELLO.replace("\r\n\r\n", `\r\nserver-TIMING:${text}\r\n\r\n`);
  const told: (string | undefined)[] = [];
  const reader = new AnswerScan(
    {
      picked: { isHead: false } as AnswerListener["picked"],
      head: (_, serverTiming) => told.push(serverTiming),
      body: () => undefined,
    },
    () => undefined,
    true,
  );
  const read = (text: string): void => {
    const bytes = Buffer.from(text, "latin1");
    expect(reader.read(bytes, 0, bytes.length)).toBeUndefined();
  };
  reader.begin();
  read(`${timed(" app;dur=1 ")}hello`);
  read(`${timed(" app;dur=1 ")}hello`);
  read(timed("a\r\nServer-Timing: b;dur=2").slice(0, 60));
  read(`${timed("a\r\nServer-Timing: b;dur=2").slice(60)}hello`);
  read(`HTTP/1.1 103 Early\r\nServer-Timing: c\r\n\r\n${HELLO}hello`);
  expect(told).toEqual(["app;dur=1", "app;dur=1", "a, b;dur=2", undefined, undefined]);
  // What was read with it is not taken for what is read without.
  expect(readAll([`${HELLO}hullo`])).toEqual(["200 hullo kept"]);
});
