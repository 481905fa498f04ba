import { describe, expect, it } from "vitest";
import type { NotInOutput } from "./imported-run.js";
import { readOutput } from "./read-output.js";
import { keptFiles, keptText } from "./test-support/kept-output.js";
import { readText, toldBy } from "./test-support/read-text.js";

const [AB, TIMED, FAILED] = ["slow", "timed", "all-503"].map((name) => keptText(`ab/${name}`)) as [
  string,
  string,
  string,
];
const GAVE_UP = keptText("../refused-output/gave-up");
const WRK = keptText("wrk/latency");
const CANNON = keptText("autocannon/timed");
const HEY = keptText("hey/slow");
const K6 = keptText("k6/slow-data");
/** A block of ab as people paste it, without what stands above the server. */
const PASTED = AB.slice(AB.indexOf("Server Software:"));
const TEN = { connections: 10 };

/** Changes a text in one place, or throws where there is no such place. */
function change(text: string, from: string | RegExp, to: string | ((found: string) => string)): string {
  const changed = text.replace(from, to as string);
  if (changed === text) throw new Error(`expected ${String(from)} in the text`);
  return changed;
}
const cut = (text: string, before: string): string => text.slice(0, text.indexOf(before));
const lineOf = (text: string, part: string): number => cut(text, part).split("\n").length;
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
const PLAIN = change(AB, "min  mean[+/-sd] median   max", "min   avg   max");
const HTML = "<p>\n This is ApacheBench, Version 2.3 <i>&lt;$Revision$&gt;</i><br>\n</p>\n";
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
  it("is output of several programs, with prompts, commands, progress and comments between", () => {
    const text = ["# first try, on the old server", `$ ab -n 600 -c 20 ${slowUrl}`, AB, "Completed 100 requests"];
    const more = [
      "$ # now with wrk",
      WRK,
      CANNON,
      "user@host:~$ cat summary.json",
      keptText("k6/slow-export"),
      "$ exit",
    ];
    const runs = readText([...text, "Finished 600 requests", ...more].join("\n"));
    expect(runs.map(({ program }) => program)).toEqual(["ab", "wrk", "autocannon", "k6"]);
  });

  it("is many blocks of ab without their banner, and its progress in the middle of its output, as 2>&1 puts it there", () => {
    const [whole] = readText(AB);
    expect(readText(PASTED.repeat(5)).map(({ figures }) => figures)).toEqual(Array(5).fill(whole?.figures));
    const mixed = change(AB, "(be patient)", "(be patient)\nCompleted 100 requests\nCompleted 200 requests");
    expect(readText(mixed).map(({ figures }) => figures)).toEqual([whole?.figures]);
  });

  it.each([
    ["line ends of Windows", (text: string) => Buffer.from(text.replaceAll("\n", "\r\n"))],
    ["colours", (text: string) => Buffer.from(text.replaceAll(/^(\S+)/gm, "\u001b[32m$1\u001b[0m"))],
    ["UTF-8 with a mark", (text: string) => Buffer.from(`\uFEFF${text}`)],
    ["UTF-16, as PowerShell writes it", (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le")],
    ["UTF-16 the other way round", (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le").swap16()],
  ])("may come with %s", (_, encode) => {
    for (const [text, told] of [
      [AB, {}],
      [WRK, {}],
      [CANNON, {}],
      [HEY, TEN],
    ] as const) {
      expect(readOutput(encode(text), "saved.txt", told).map(toldBy)).toEqual(readText(text, told).map(toldBy));
    }
  });
});

/** Changes after which figures of a program contradict each other. */
const CONTRADICTIONS: readonly (readonly [text: string, from: string | RegExp, to: string])[] = [
  [AB, "Concurrency Level:      20", "Concurrency Level:      200"],
  [AB, "Concurrency Level:      20", "Concurrency Level:      0"],
  [AB, "Transfer rate:          53.08", "Transfer rate:          54.08"],
  [AB, "1.674 [ms]", "1.774 [ms]"],
  [WRK, "Transfer/sec:     86.68KB", "Transfer/sec:     96.68KB"],
  [WRK, "173.75KB read", "17.75KB read"],
  [WRK, "Requests/sec:    638.60", "Requests/sec:    0.00"],
  [CANNON, '"2xx":630', '"2xx":631'],
  [CANNON, '"duration":2.02', '"duration":1.02'],
  [CANNON, '"p99":57', '"p99":30'],
  [CANNON, '"non2xx":0', '"non2xx":3'],
  [HEY, /Requests\/sec:\t.*/, "Requests/sec:\t0.0000"],
];

/** Other languages, and other layouts, that nobody can read. */
const FOREIGN: readonly (readonly [text: string, from: string | RegExp, to: string])[] = [
  [AB, /(taken for tests: +\d+)\./, "$1,"],
  [AB, "Complete requests:", "Abgeschlossene Anfragen:"],
  [WRK, /(\d)\.(\d)/g, "$1,$2"],
  [HEY, /(\d)\.(\d)/g, "$1,$2"],
  [CANNON, '"mean":30.9', '"mean":30,9'],
];

describe("what is refused, with file and line", () => {
  it.each([...CONTRADICTIONS, ...FOREIGN].map(([text, from, to]) => [to, text, from] as const))(
    "is output with %s in place of what it had",
    (to, text, from) => {
      const told = text === HEY ? TEN : {};
      expect(() => readText(text, told)).not.toThrow();
      expect(() => readText(change(text, from, to), told)).toThrow(/^saved\.txt:\d+/);
    },
  );

  it.each<[string, string | Buffer, RegExp, NotInOutput?]>([
    ["nothing", "", /^saved\.txt:1: expected what ab, wrk or hey prints \(in English\).*; got nothing$/],
    ["something else", "\nhello\n", /^saved\.txt:2: expected .*; got "hello"$/],
    ["ab in French", "Ceci est ApacheBench, version 2.3\nRequêtes terminées : 1000\n", /^saved\.txt:\d+/],
    ["other JSON", '{"a": 1}', /^saved\.txt:1: expected the JSON of autocannon -j, .*, got an object with a$/],
    ["a table of autocannon", keptText("../refused-output/table"), /^saved\.txt:1: this is a table of autocannon/],
    ["the text of k6", keptText("../refused-output/text-summary"), /^saved\.txt:3: this is a summary of k6 as text/],
    ["wrk giving up", "unable to connect to a:1 Connection refused\n", /^saved\.txt:1: this is wrk giving up/],
    ["ab giving up", GAVE_UP, /^saved\.txt:1-\d+: ab gave up \(apr_socket_recv: Connection refused \(111\)\)/],
    ["hey without connections", HEY, /^saved\.txt:\d+-\d+: hey does not tell how many connections .* --connections N/],
    ["a short run of k6", keptText("k6/all-503-data"), /^saved\.txt:1-\d+: k6: .* does not tell its virtual users/],
    ["several requests of a user of k6 at a time", crowded, /10 virtual users had 29\.1 requests under way on average/],
    ["the end of a block", PASTED.slice(PASTED.indexOf("Concurrency")), /^saved\.txt:1: these are figures of ab/],
    ["a block that is cut before another", cut(AB, "  90%") + AB, /it is cut|expected the time within which 90 %/],
    ["ab without deviations", PLAIN, /^saved\.txt:\d+: .*: run ab without -S$/],
    ["ab in HTML", HTML, /^saved\.txt:2: .*: run ab without -w$/],
    ["a list of JSON", `[${CANNON.trim()}]`, /^saved\.txt:1: this is a list of JSON, expected one object after/],
    [
      "a banner without figures, before another run",
      `${cut(AB, "Server Software:")}$ ab -n 600 -c 7 http://a/\n${PASTED}`,
      /^saved\.txt:\d+: cannot read what ab printed: it began in line 1 and is cut, or ab gave up/,
    ],
    ["bytes", `${AB}\u0000`, /^saved\.txt:\d+: expected text, got a file with bytes that no text has/],
    ["UTF-16 without a mark", Buffer.from(AB, "utf16le"), /^saved\.txt:1: expected .* got what looks like UTF-16/],
    ["text that is not UTF-8", Buffer.from("fine\nand \xFF\xFE ", "latin1"), /^saved\.txt:2: expected text in UTF-8/],
    ["JSON that is cut", K6.slice(0, 500), /^saved\.txt:\d+: the JSON .* in line 1 is cut: expected "}" at its end/],
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
    expect(() => readOutput(Buffer.from(text), "saved.txt", told)).toThrow(message);
  });

  it("is named by the line of the file, not of the block", () => {
    const none = change(AB, "Failed requests:        0", "Failed requests:        none");
    expect(() => readText(`# a\n# b\n${none}`)).toThrow(
      `saved.txt:${lineOf(AB, "Failed requests") + 2}: cannot read what ab printed: expected "Failed requests:" and its figures, got "Failed requests:        none"`,
    );
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
