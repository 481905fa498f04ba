import { describe, expect, it } from "vitest";
import type { NotInOutput } from "./imported-run.js";
import { keptFiles, keptText } from "./test-support/kept-output.js";
import { readText, toldBy } from "./test-support/read-text.js";

const AB = keptText("ab/slow");
const TIMED = keptText("ab/timed");
const FAILED = keptText("ab/all-503");
const GAVE_UP = keptText("../refused-output/gave-up");
const WRK = keptText("wrk/latency");
const CANNON = keptText("autocannon/timed");
const HEY = keptText("hey/slow");
const K6 = keptText("k6/slow-data");

/** Changes a text in one place, or throws where there is no such place. */
function change(text: string, from: string | RegExp, to: string | ((found: string) => string)): string {
  const changed = text.replace(from, to as string);
  if (changed === text) throw new Error(`expected ${String(from)} in the text`);
  return changed;
}
const doubts = (because: string, ...figures: readonly string[]): object =>
  figures.map((figure) => ({ figure, because }));

const slowUrl = "http://127.0.0.1:18765/slow";
/** Answers so fast that the rate does not show what was lost. */
const fast = change(keptText("autocannon/close"), /"latency":\{.*?\}/, (found) =>
  found.replaceAll(/:[\d.]+/g, ":1").replace('"totalCount":1', '"totalCount":450'),
);
const pipelined = change(CANNON, '"pipelining":1', '"pipelining":4');
const threads = change(keptText("wrk/plain"), "1 threads and 10", "3 threads and 10");
const variable = change(AB, /Document Length: .*/, "Document Length:        Variable");
const empty = change(FAILED, /Document Length: .*/, "Document Length:        0 bytes");
const REFUSED = expect.stringContaining("refused") as string;
const crowded = K6.replaceAll(/"avg": 31\.\d+/g, '"avg": 91.5');
const rising = change(
  K6,
  /("vus": \{\s*"type": "gauge",\s*"contains": "default",\s*"values": \{\s*"value": 10,\s*"min": )10/,
  "$11",
);

describe("output that was kept", () => {
  it("is read as it was, to the last figure", async () => {
    const lines = keptFiles().map(
      ({ name, text, told }) => `${name}: ${JSON.stringify(readText(text, told).map(toldBy))}`,
    );
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("./test-support/kept-output-as-read.txt");
  });

  // What of that is no accident.
  it.each<[string, string, unknown]>([
    ["ab/all-503", "figures.latency", undefined],
    ["ab/mixed", "figures.latency", undefined],
    ["ab/mixed", "doubts", doubts("other-lengths", "errors", "throughput")],
    // Every tenth had status 503 and another length, the first answer among them: 450 were good.
    ["ab/odd-first", "figures.requests", { sent: 500, ok: 450, non2xx: 50 }],
    ["ab/timed", "amount", { requests: 152 }],
    // More exactly than the 2.00 s that it prints.
    ["wrk/latency", "figures.elapsedMs", (1280 / 638.6) * 1000],
    ["wrk/close", "figures.requests", { sent: 1991, ok: 1791, unclassified: 200 }],
    // wrk has added latencies to these percentiles.
    ["wrk/redirect", "doubts", doubts("made-up-latencies", "latency")],
    ["hey/timeouts", "figures.requests", { sent: 40, ok: 32, timedOut: 8 }],
    ["autocannon/amount", "doubts", doubts("whole-seconds", "throughput")],
    ["autocannon/close", "figures.requests", { sent: 490, ok: 450, unclassified: 40 }],
    ["autocannon/close", "doubts", doubts("closed-uncounted", "errors")],
    ["k6/refused-data", "figures.requests", { ok: 0, unclassified: 23_499 }],
    ["k6/refused-data", "figures.latency", undefined],
  ])("%s: %s is %j", (name, path, expected) => {
    const { text, told } = keptFiles().find((file) => file.name === name) ?? { text: "" };
    let found: unknown = readText(text, told)[0];
    for (const key of path.split(".")) found = (found as Record<string, unknown>)[key];
    expect({ found }).toMatchObject({ found: expected });
  });
});

describe("output that was changed, or to which something is told, tells", () => {
  it.each<[string, string, object, NotInOutput?]>([
    ["no closed connections with -l", variable, { doubts: doubts("closed-uncounted", "errors") }],
    ["empty answers as failed", empty, { figures: { requests: { ok: 0, non2xx: 1000 } }, doubts: [] }],
    ["a time by its command", `$ ab -k -t 1 -c 5 ${slowUrl}\n${TIMED}`, { amount: { durationMs: 1000 } }],
    ["a time that is told beside it", TIMED, { amount: { durationMs: 1000 } }, { durationMs: 1000 }],
    ["a failure at a level by it", `$ ab -n 100 -c 10 http://a/\n${GAVE_UP}`, { connections: 10, failure: REFUSED }],
    [
      "a failure at one that is told",
      GAVE_UP,
      { connections: 400, failure: REFUSED },
      { connections: 400, durationMs: 2000 },
    ],
    ["threads of the same number of connections", threads, { connections: 10, opened: 9 }],
    ["a URL by its command", `$ hey -n 500 -c 20 "${slowUrl}" > runs.txt\n${HEY}`, { url: slowUrl, connections: 20 }],
    ["a time of hey by it", `hey -z 2s -c 20 http://a/\n${HEY}`, { amount: { durationMs: 2000 } }],
    ["nothing missing at a high rate", fast, { figures: { requests: { sent: 450, ok: 450, unclassified: 0 } } }],
    ["pipelined requests as those under way", pipelined, { connections: 40, sockets: 10 }],
    ["several requests of a user at a time", crowded, { connections: 30 }, { connections: 30 }],
    ["users whose number changes", rising, { doubts: doubts("varying-load", "throughput", "latency") }],
  ])("%s", (_, text, expected, told = {}) => {
    expect(readText(text, told)).toMatchObject([expected]);
  });
});

describe("what may stand in a file", () => {
  it.each([
    ["line ends of Windows", (text: string) => Buffer.from(text.replaceAll("\n", "\r\n"))],
    ["colours", (text: string) => Buffer.from(text.replaceAll(/^(\S+)/gm, "\u001b[32m$1\u001b[0m"))],
    ["UTF-8 with a mark", (text: string) => Buffer.from(`\uFEFF${text}`)],
    ["UTF-16, as PowerShell writes it", (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le")],
    ["UTF-16 the other way round", (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le").swap16()],
    ["letters of another encoding around it", (text: string) => Buffer.from(`Temps pass\xE9\n${text}`, "latin1")],
    ["a list around its JSON", (text: string) => Buffer.from(text.startsWith("{") ? `[${text.trim()}]` : text)],
  ])("may come with %s", (_, encode) => {
    for (const text of [AB, WRK, CANNON, HEY])
      expect(readText(encode(text)).map(toldBy)).toEqual(readText(text).map(toldBy));
  });
});

/** Changes after which figures of a program contradict each other, and what they make doubtful. */
const CONTRADICTIONS: readonly (readonly [text: string, from: string | RegExp, to: string, figure: string])[] = [
  [AB, "Concurrency Level:      20", "Concurrency Level:      200", "throughput"],
  [AB, "Transfer rate:          53.08", "Transfer rate:          54.08", "other"],
  [AB, "1.674 [ms]", "1.774 [ms]", "other"],
  [AB, "Failed requests:        0", "Failed requests:        7", "errors"],
  [AB, /( 99% +)\d+/, "$11", "latency"],
  [AB, /(Complete requests: +)600/, "$1600\n$1601", "throughput"],
  [WRK, "Transfer/sec:     86.68KB", "Transfer/sec:     96.68KB", "other"],
  [WRK, "Requests/sec:    638.60", "Requests/sec:    0.00", "throughput"],
  [WRK, "99%   33.44ms", "99%   30.44ms", "latency"],
  [CANNON, '"2xx":630', '"2xx":631', "errors"],
  [CANNON, '"duration":2.02', '"duration":1.02', "throughput"],
  [CANNON, '"p99":57', '"p99":30', "latency"],
  [CANNON, '"non2xx":0', '"non2xx":3', "errors"],
  [HEY, /Requests\/sec:\t.*/, "Requests/sec:\t1.0000", "throughput"],
  [K6, /("passes": )0/, "$11", "errors"],
];

describe("figures that contradict each other", () => {
  it.each(CONTRADICTIONS.map(([text, from, to, figure]) => [to, figure, text, from] as const))(
    "are read, and %s makes %s doubtful, with the lines",
    (to, figure, text, from) => {
      const contradicted = (changed: string): readonly object[] =>
        readText(changed).flatMap((run) => run.doubts.filter(({ because }) => because === "contradiction"));
      expect(contradicted(text)).toEqual([]);
      const lines = expect.stringMatching(/^saved\.txt:\d+/) as string;
      expect(contradicted(change(text, from, to))).toContainEqual({ figure, because: "contradiction", lines });
    },
  );
});

describe("what is refused, with file and line, what was expected and what to do", () => {
  it.each<[string, string | Buffer, RegExp, NotInOutput?]>([
    [
      "nothing",
      "",
      /^saved\.txt:1: expected the output of ab, .* with a number of requests or a rate, got nothing\. Save/,
    ],
    ["something else", "\nhello\n", /^saved\.txt:2: expected .*, got "hello"\. Save what the program prints/],
    ["other JSON", '{"a": 1}', /^saved\.txt:1: expected the JSON of autocannon -j, .*, got an object with a\. Save/],
    ["JSON that is cut", K6.slice(0, 500), /^saved\.txt:1-\d+: expected .* got damaged JSON \(.*Save all of it$/],
    [
      "a head alone",
      AB.slice(0, AB.indexOf("Time taken")),
      /^saved\.txt:1-\d+: expected a number of requests or a rate of ab,/,
    ],
    ["numbers with a decimal comma", "Requests per second: 839,12\n", /^saved\.txt:1: expected .*839,12.*in English$/],
    ["bytes", `${AB}\u0000`, /^saved\.txt:\d+: expected text, got a zero byte\. Save the output as text in UTF-8$/],
    ["UTF-16 without a mark", Buffer.from(AB, "utf16le"), /^saved\.txt:1: expected text, got a zero byte/],
    [
      "ab.txt of lbbench",
      `# lbbench: target "a", 50 connections, 3 s, trial 1\n${AB}`,
      /^saved\.txt:1: .*use lbbench report/,
    ],
    [
      "other connections than are told",
      AB,
      /^saved\.txt:[\d-]+: expected a run with 77 connections, .* ab had 20\./,
      { connections: 77 },
    ],
    [
      "another time",
      TIMED,
      /^saved\.txt:[\d-]+: expected a run of 3000 ms, .* and ab took \d+ ms\./,
      { durationMs: 3000 },
    ],
  ])("is %s", (_, text, message, told) => {
    expect(() => readText(text, told)).toThrow(message);
  });

  it.each([
    ["ab", TIMED, 1000],
    ["autocannon", CANNON, 2000],
    ["k6", K6, 2000],
    ["hey", `$ hey -c 10 http://a/\n${HEY}`, 800],
  ])("is neither the time that %s took, nor the connections that it had", (_, text, durationMs) => {
    const [run] = readText(text, { durationMs });
    expect(run?.amount).toEqual({ durationMs });
    expect(readText(text, { connections: run?.connections ?? 0 })).toHaveLength(1);
  });
});
