import { answer, breakOff, breakOffInHead, chunked, gibberish, hang, hangUp, type Action } from "./action.js";
import type { RequestSpec } from "../../model/scenario.js";
import type { Behaviour } from "./truth-server.js";

/** What is asked of a server, where it is more than a GET that waits for long. */
export interface Asked {
  readonly request?: Partial<RequestSpec>;
  readonly timeoutMs?: number;
  /** Whether an answer is broken off by a reset, which some clients do not notice. */
  readonly resets?: boolean;
}

/** A way in which a server can behave, and how it is asked. */
export type Case = [name: string, behaviour: Action | Behaviour, asked?: Asked];

const HELLO = answer();
const EARLY_HINTS = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n";
/** Comes before an answer to a request that waits for it, and may come before any. */
export const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const CLOSE = ["Connection: close"];
const LENGTH = ["Content-Length: 5"];
const every = (actions: Readonly<Record<number, Action>>): Behaviour => everyNth(actions, HELLO);
const asking = (request: Partial<RequestSpec>): Asked => ({ request });
const another = (body: string): Action => answer({ body, outcome: "mismatched" });
const unreadable = (header: string): Action => ({
  ...answer({ headers: [header], outcome: "mismatched" }),
  status: null,
});

/** Servers that answer every request, in all the ways HTTP has. */
export const ANSWERING: readonly Case[] = [
  ["a body with its length", HELLO],
  ["an empty body", answer({ body: "" })],
  ["a large body", answer({ body: "x".repeat(300_000) })],
  [
    "a body in chunks with extensions and trailers",
    answer({
      headers: ["Transfer-Encoding: chunked", "Trailer: X-Checksum"],
      payload: '3;a\r\nhel\r\n002;b=c;d="e;\\"f"\r\nlo\r\n0\r\nX-Checksum: 1\r\n\r\n',
    }),
  ],
  ["answers split over many packets", answer({ packets: 12 })],
  ["chunks split over many packets", chunked(["hel", "lo"], { packets: 15 })],
  ["interim answers in packets of their own", answer({ before: CONTINUE + EARLY_HINTS.repeat(2), packets: 9 })],
  ["the connection closed after every answer", answer({ headers: [...CLOSE, ...LENGTH], close: true })],
  ["the end of the body marked by closing", answer({ headers: CLOSE, close: true, packets: 3 })],
  ["HTTP/1.0, closed after every answer", answer({ version: "1.0", close: true })],
  ["HTTP/1.0 with keep-alive", answer({ version: "1.0", headers: ["Connection: Keep-Alive", ...LENGTH] })],
  ["HEAD, answered by the head alone", answer({ body: "", headers: LENGTH }), asking({ method: "HEAD" })],
  ["HEAD without a length", answer({ body: "", headers: [], before: EARLY_HINTS }), asking({ method: "HEAD" })],
  ["204 without a body", answer({ status: 204, body: "", headers: [] })],
  [
    "304 with the length of the body that it does not have",
    answer({ status: 304, body: "", headers: LENGTH }),
    asking({ expectStatus: "304" }),
  ],
  [
    "a request with a body",
    (_, { method, body }) =>
      answer({ body: `${method} ${body.length}`, outcome: body.length === 70_000 ? "ok" : "mismatched" }),
    asking({ method: "POST", body: "b".repeat(70_000), expectBody: "POST 70000" }),
  ],
  [
    "statuses that are expected",
    (number) => answer({ status: number % 2 === 0 ? 404 : 200 }),
    asking({ expectStatus: "200,4xx" }),
  ],
];

/** Servers that do not give every request the answer it asked for. */
export const FAULTY: readonly Case[] = [
  ["closes or resets without an answer", every({ 5: hangUp("rst"), 7: hangUp("fin") })],
  ["closes after a while", every({ 11: hangUp("fin", 15), 13: hangUp("rst", 15) })],
  ["closes in the middle of the body", every({ 5: breakOff("fin") })],
  ["resets in the middle of the body", every({ 5: breakOff("rst") }), { resets: true }],
  [
    "resets in the middle of a body that closing would have ended",
    every({ 5: { ...breakOff("rst"), bytes: answer({ headers: [] }).bytes } }),
    { resets: true },
  ],
  ["closes in the middle of the head", every({ 4: breakOffInHead("fin") })],
  [
    "closes in the middle of a chunk",
    every({ 4: { ...breakOff("fin"), bytes: chunked(["hello world"]).bytes.subarray(0, -12) } }),
  ],
  ["closes after every request", hangUp("fin")],
  ["resets after every request", hangUp("rst")],
  [
    "answers 404 and 503",
    every({ 3: answer({ status: 404, outcome: "non2xx" }), 4: answer({ status: 503, outcome: "non2xx", body: "" }) }),
  ],
  [
    "answers with another body",
    every({ 6: another("hullo"), 8: another("hello!"), 10: another("hell"), 14: another("") }),
    asking({ expectBody: "hello" }),
  ],
  ["answers with something that is not HTTP", every({ 9: gibberish() })],
  [
    "answers with a length that is no number",
    every({
      6: unreadable("Content-Length: five"),
      9: unreadable("Content-Length: -5"),
      11: unreadable("Content-Length: 5, 5"),
    }),
  ],
  [
    "switches protocols unasked",
    every({
      8: answer({ status: 101, body: "", headers: ["Connection: Upgrade", "Upgrade: other"], outcome: "non2xx" }),
    }),
  ],
  ["hangs", every({ 25: hang() }), { timeoutMs: 2000 }],
  [
    "hangs in the middle of the body",
    every({ 25: { ...breakOff("fin"), outcome: "timedOut", then: "keep" } }),
    { timeoutMs: 2000 },
  ],
  ["hangs always", hang(), { timeoutMs: 400 }],
  [
    "does all of it",
    every({
      7: hangUp("fin"),
      11: hangUp("rst"),
      13: breakOff("fin"),
      17: breakOff("rst"),
      19: answer({ status: 503, outcome: "non2xx", headers: CLOSE, close: true }),
      23: another("hullo"),
      29: gibberish(),
      31: hang(),
      37: answer({ headers: CLOSE, close: true }),
      41: chunked(["he", "llo"], { before: EARLY_HINTS, packets: 8 }),
      43: answer({ delay: 30 }),
    }),
    { timeoutMs: 2000, resets: true, ...asking({ expectBody: "hello" }) },
  ],
];

/** What is done with each request, by its number: that of the largest divisor of it that is given, or the usual. */
export function everyNth<Done>(special: Readonly<Record<number, Done>>, usual: Done): (number: number) => Done {
  const divisors = Object.keys(special).map(Number).toReversed();
  return (number) => special[divisors.find((divisor) => number % divisor === 0) ?? 0] ?? usual;
}
