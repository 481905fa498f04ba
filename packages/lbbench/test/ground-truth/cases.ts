import { answer, breakOff, chunked, gibberish, hang, hangUp, type Action } from "./action.js";
import type { Behaviour } from "./ground-truth-server.js";
import type { LoadOptions } from "./measure.js";

/** A way in which a server can behave, and how it is asked. */
export interface Case {
  readonly name: string;
  readonly behaviour: Behaviour;
  readonly load?: LoadOptions;
}

const HELLO = answer();
const EARLY_HINTS = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n";

/** Servers that answer every request, in all the ways HTTP has. */
export const ANSWERING: readonly Case[] = [
  { name: "a body with its length", behaviour: () => HELLO },
  { name: "an empty body", behaviour: () => answer({ body: "" }) },
  { name: "a large body", behaviour: () => answer({ body: "x".repeat(300_000) }) },
  { name: "a body in chunks with trailers", behaviour: () => chunkedWithTrailer() },
  { name: "answers split over many packets", behaviour: () => answer({ packets: 12 }) },
  { name: "chunks split over many packets", behaviour: () => chunked(["hel", "lo"], { packets: 15 }) },
  {
    name: "early hints in packets of their own",
    behaviour: () => answer({ before: EARLY_HINTS.repeat(2), packets: 9 }),
  },
  {
    name: "the connection closed after every answer",
    behaviour: () => answer({ headers: ["Connection: close", "Content-Length: 5"], close: true }),
  },
  {
    name: "the end of the body marked by closing",
    behaviour: () => answer({ headers: ["Connection: close"], close: true, packets: 3 }),
  },
  {
    name: "HTTP/1.0, closed after every answer",
    behaviour: () => answer({ version: "1.0", close: true }),
  },
  {
    name: "HTTP/1.0 with keep-alive",
    behaviour: () => answer({ version: "1.0", headers: ["Connection: Keep-Alive", "Content-Length: 5"] }),
  },
  {
    name: "HEAD, answered by the head alone",
    behaviour: () => answer({ body: "", headers: ["Content-Length: 5"] }),
    load: { request: { method: "HEAD" } },
  },
  {
    name: "HEAD without a length",
    behaviour: () => answer({ body: "", headers: [], before: EARLY_HINTS }),
    load: { request: { method: "HEAD" } },
  },
  { name: "204 without a body", behaviour: () => answer({ status: 204, body: "", headers: [] }) },
  {
    name: "304 with the length of the body that it does not have",
    behaviour: () => answer({ status: 304, body: "", headers: ["Content-Length: 5"] }),
    load: { request: { expectStatus: "304" } },
  },
  {
    name: "a request with a body",
    behaviour: (_, { method, body }) =>
      answer({ body: `${method} ${body.length}`, outcome: body.length === 70_000 ? "ok" : "mismatched" }),
    load: { request: { method: "POST", body: "b".repeat(70_000), expectBody: "POST 70000" } },
  },
  {
    name: "statuses that are expected",
    behaviour: (number) => answer({ status: number % 2 === 0 ? 404 : 200 }),
    load: { request: { expectStatus: "200,4xx" } },
  },
];

/** Servers that do not give every request the answer it asked for. */
export const FAULTY: readonly Case[] = [
  { name: "closes or resets without an answer", behaviour: every({ 5: hangUp("rst"), 7: hangUp("fin") }) },
  { name: "closes after a while", behaviour: every({ 11: hangUp("fin", 15), 13: hangUp("rst", 15) }) },
  { name: "closes in the middle of the body", behaviour: every({ 5: breakOff("fin") }) },
  { name: "resets in the middle of the body", behaviour: every({ 5: breakOff("rst") }) },
  {
    name: "resets in the middle of a body that closing would have ended",
    behaviour: every({ 5: { ...breakOff("rst"), bytes: answer({ headers: [] }).bytes } }),
  },
  {
    name: "closes in the middle of the head",
    behaviour: every({ 4: { ...hangUp("fin"), bytes: Buffer.from("HTTP/1.1 200 OK\r\nContent-Le") } }),
  },
  {
    name: "closes in the middle of a chunk",
    behaviour: every({ 4: { ...breakOff("fin"), bytes: chunked(["hello world"]).bytes.subarray(0, -12) } }),
  },
  { name: "closes after every request", behaviour: () => hangUp("fin") },
  { name: "resets after every request", behaviour: () => hangUp("rst") },
  {
    name: "answers 404 and 503",
    behaviour: every({
      3: answer({ status: 404, outcome: "non2xx" }),
      4: answer({ status: 503, outcome: "non2xx", body: "" }),
    }),
  },
  {
    name: "answers with another body",
    behaviour: every({
      6: answer({ body: "hullo", outcome: "mismatched" }),
      8: answer({ body: "hello!", outcome: "mismatched" }),
      10: answer({ body: "hell", outcome: "mismatched" }),
      14: answer({ body: "", outcome: "mismatched" }),
    }),
    load: { request: { expectBody: "hello" } },
  },
  { name: "answers with something that is not HTTP", behaviour: every({ 9: gibberish() }) },
  {
    name: "answers with a length that is no number",
    behaviour: every({
      6: unreadable("Content-Length: five"),
      9: unreadable("Content-Length: -5"),
      11: unreadable("Content-Length: 5, 5"),
    }),
  },
  {
    name: "switches protocols unasked",
    behaviour: every({
      8: answer({ status: 101, body: "", headers: ["Connection: Upgrade", "Upgrade: other"], outcome: "non2xx" }),
    }),
  },
  { name: "hangs", behaviour: every({ 25: hang() }), load: { timeoutMs: 2000 } },
  {
    name: "hangs in the middle of the body",
    behaviour: every({ 25: { ...breakOff("fin"), outcome: "timedOut", then: "keep" } }),
    load: { timeoutMs: 2000 },
  },
  { name: "hangs always", behaviour: () => hang(), load: { timeoutMs: 60 } },
  {
    name: "does all of it",
    behaviour: every({
      7: hangUp("fin"),
      11: hangUp("rst"),
      13: breakOff("fin"),
      17: breakOff("rst"),
      19: answer({ status: 503, outcome: "non2xx", headers: ["Connection: close"], close: true }),
      23: answer({ body: "hullo", outcome: "mismatched" }),
      29: gibberish(),
      31: hang(),
      37: answer({ headers: ["Connection: close"], close: true }),
      41: chunked(["he", "llo"], { before: EARLY_HINTS, packets: 8 }),
      43: answer({ delay: 30 }),
    }),
    load: { timeoutMs: 2000, request: { expectBody: "hello" } },
  },
];

/** Does the action of the largest divisor of the request's number that is given, or says hello. */
function every(actions: Readonly<Record<number, Action>>): Behaviour {
  const divisors = Object.keys(actions).map(Number).toReversed();
  return (number) => actions[divisors.find((divisor) => number % divisor === 0) ?? 0] ?? HELLO;
}

function unreadable(header: string): Action {
  return { ...answer({ headers: [header], outcome: "mismatched" }), status: null };
}

function chunkedWithTrailer(): Action {
  const payload = "5\r\nhello\r\n0\r\nX-Checksum: 1\r\n\r\n";
  return answer({ headers: ["Transfer-Encoding: chunked", "Trailer: X-Checksum"], payload });
}
