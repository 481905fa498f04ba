import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { damaged } from "./test-support/damage.js";
import type { NotInOutput, ReadRun } from "./imported-run.js";
import { keptFiles, keptText } from "./test-support/kept-output.js";
import { readOrRefuse, readText, toldBy } from "./test-support/read-text.js";

const FILES = keptFiles();
const AB = keptText("ab/slow");
const TIMED = keptText("ab/timed");
const FAILED = keptText("ab/all-503");
const GAVE_UP = keptText("../refused-output/gave-up");
const WRK = keptText("wrk/latency");
const CANNON = keptText("autocannon/timed");
const CANNON_TABLES = keptText("autocannon/tables");
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

describe("output that was kept", () => {
  it("is read as it was, to the last figure", async () => {
    const lines = FILES.map(({ name, text, told }) => `${name}: ${JSON.stringify(readText(text, told).map(toldBy))}`);
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("./test-support/kept-output-as-read.txt");
  });

  // What of that is no accident.
  it.each<[string, string, unknown]>([
    ["ab/mixed", "figures.latency", undefined],
    ["ab/mixed", "doubts", doubts("other-lengths", "errors", "throughput")],
    // Every tenth had status 503 and another length, the first answer among them: 450 were good.
    ["ab/odd-first", "figures.requests", { sent: 500, ok: 450, non2xx: 50 }],
    // More exactly than the 2.00 s that it prints.
    ["wrk/latency", "figures.elapsedMs", (1280 / 638.6) * 1000],
    ["wrk/close", "figures.requests", { sent: 1991, ok: 1791, unclassified: 200 }],
    // wrk has added latencies to these percentiles.
    ["wrk/redirect", "doubts", doubts("made-up-latencies", "latency")],
    ["hey/timeouts", "figures.requests", { sent: 40, ok: 32, timedOut: 8 }],
    ["oha/deadline", "figures.requests", { sent: 5772, non2xx: 5772 }],
    // Of the answers with 2xx alone, which `--stats-success-breakdown` tells beside the others.
    ["oha/breakdown", "figures.latency", { p50: 0.2819, p99: 3.7534 }],
    ["oha/breakdown-json", "figures.latency", { p50: 1.090169 }],
    ["autocannon/amount", "doubts", doubts("whole-seconds", "throughput")],
    ["autocannon/close", "figures.requests", { sent: 490, ok: 450, unclassified: 40 }],
    ["autocannon/close", "doubts", doubts("closed-uncounted", "errors")],
    // The tables say "1k requests": there were as many as the mean of three seconds makes.
    ["autocannon/table", "figures.requests", { sent: 1214, ok: 1214 }],
    ["k6/refused-data", "figures.requests", { ok: 0, unclassified: 23_499 }],
  ])("%s: %s is %j", (name, path, expected) => {
    const { text, told } = FILES.find((file) => file.name === name) ?? { text: "" };
    let found: unknown = readText(text, told)[0];
    for (const key of path.split(".")) found = (found as Record<string, unknown>)[key];
    expect({ found }).toMatchObject({ found: expected });
  });
});

const slowUrl = "http://127.0.0.1:18765/slow";
/** Answers so fast that the rate does not show what was lost. */
const fast = change(keptText("autocannon/close"), /"latency":\{.*?\}/, (found) =>
  found.replaceAll(/:[\d.]+/g, ":1").replace('"totalCount":1', '"totalCount":450'),
);
const pipelined = change(CANNON, '"pipelining":1', '"pipelining":4');
const threads = change(keptText("wrk/plain"), "1 threads and 10", "3 threads and 10");
const variable = change(AB, /Document Length: .*/, "Document Length:        Variable");
const empty = change(FAILED, /Document Length: .*/, "Document Length:        0 bytes");
const REFUSED = expect.stringContaining("Connection refused") as string;
const NO_WRK = "$ wrk -d 1s -c 8 http://a/\nunable to connect to 127.0.0.1:1 Connection refused";
const crowded = K6.replaceAll(/"avg": 31\.\d+/g, '"avg": 91.5');
const K6_TEXT = keptText("k6/text");
const fullK6 = `${K6_TEXT}
  █ GROUP: login

    ↳ GROUP: form

    HTTP
    http_req_duration..............: avg=1ms min=1ms med=1ms max=1ms p(90)=1ms p(95)=1ms
      { expected_response:true }...: avg=1ms min=1ms med=1ms max=1ms p(90)=1ms p(95)=1ms
    http_req_failed................: 50.00% 20 out of 40
    http_reqs......................: 40    20/s
`;
const legacyK6 = `
     █ login

       ✓ ok

     Own_Errors.....................: 3       1.49/s
     checks.........................: 100.00% ✓ 640  ✗ 0
     data_received..................: 89 kB   44 kB/s
   ✗ http_req_duration..............: avg=31.21ms min=29.42ms med=31.1ms max=34.59ms p(90)=32.31ms p(95)=32.65ms
       { expected_response:true }...: avg=31.21ms min=29.42ms med=31.1ms max=1h2m5s p(90)=1m5s p(95)=32.65ms
     ✓ { method:GET, status:200 }...: avg=9ms min=9ms med=9ms max=9ms p(90)=9ms p(95)=9ms
     ✓ { name:login-page }..........: avg=9ms min=9ms med=9ms max=9ms p(90)=9ms p(95)=9ms
   ✓ http_req_failed................: 0.00%   ✓ 0    ✗ 640
     http_req_waiting...............: avg=1ms min=1ms med=1ms max=1ms p(90)=1ms p(95)=1ms
       { expected_response:true }...: avg=1ms min=1ms med=1ms max=1ms p(90)=1ms p(95)=1ms
     http_reqs......................: 640     318.600884/s
     vus............................: 10      min=10 max=10
`;
const oldOha = change(
  change(keptText("oha/coloured"), /Success rate:.*/, "Success rate:\t1.0000"),
  /Response time distribution:[^]*Details/,
  (found) => found.replace("Response time", "Latency").replaceAll(".00%", "%"),
);
const rising = change(
  K6,
  /("vus": \{\s*"type": "gauge",\s*"contains": "default",\s*"values": \{\s*"value": 10,\s*"min": )10/,
  "$11",
);

describe("output that was changed, or to which something is told, tells", () => {
  it.each<[string, string, object, NotInOutput?]>([
    ["no closed connections with -l", variable, { doubts: doubts("closed-uncounted", "errors") }],
    ["empty answers as failed", empty, { figures: { requests: { ok: 0, non2xx: 1000 } }, doubts: [] }],
    ["a time by its command", `$ ab -k -t 1 -c 5 ${slowUrl}\n${TIMED}`, { amount: { durationMs: 1000 } }],
    ["a time that is told beside it", TIMED, { amount: { durationMs: 1000 } }, { durationMs: 1000 }],
    ["a failure at a level by it", `$ ab -n 100 -c 10 http://a/\n${GAVE_UP}`, { connections: 10, failure: REFUSED }],
    ["a failure of wrk", NO_WRK, { connections: 8, amount: { durationMs: 1000 }, failure: REFUSED }],
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
    [
      "the totals of k6, not its groups",
      fullK6,
      { figures: { requests: { sent: 640, ok: 640 }, latency: { p50: 31.1 } } },
    ],
    [
      "requests of k6 as a whole, beside thresholds, tags and parts of their time, which may take more than a minute",
      legacyK6,
      {
        connections: 10,
        figures: { requests: { sent: 640, ok: 640, unclassified: 0 }, latency: { p90: 65_000, max: 3_725_000 } },
      },
    ],
    [
      "percentiles of hey with two signs",
      HEY.replaceAll("% in", "%% in"),
      { figures: { latency: { p50: 31.2, p99: 32.9 } } },
    ],
    [
      "percentiles of oha before 0.5.9",
      oldOha,
      { program: "oha", figures: { requests: { sent: 1000, ok: 1000 }, latency: { p50: 21.2, p99: 63.5 } } },
    ],
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
    ["a document around it", (text: string) => Buffer.from(`# It holds\n\n\`\`\`\n${text}\n\`\`\`\nWell.\n`)],
    ["the progress of ab before it", (text: string) => Buffer.from(`Completed 100 requests\n${text}`)],
  ])("may come with %s", (_, encode) => {
    for (const text of [AB, WRK, CANNON, HEY])
      expect(readText(encode(text)).map(toldBy)).toEqual(readText(text).map(toldBy));
  });

  // In a time that grows with the square it would be minutes, more than a test may take.
  it("is read where a sequence for a terminal has no end", () => {
    expect(readText(`\u001B${";?".repeat(300_000)}\n${HEY}`)).toHaveLength(1);
  });

  it("are summaries of k6 that follow each other at once", () => {
    expect(readText(`${K6_TEXT}${fullK6}`)).toHaveLength(2);
  });

  it("are many runs, of every program, in order, however often they are repeated", () => {
    const separate = [
      ...FILES.flatMap(({ name, text, told }) => {
        if (/^(?:hey|oha)\//.test(name)) return [`$ ${name.slice(0, 3)} -n 500 -c 10 http://a/\n${text}`];
        return told.connections === undefined ? [text] : [];
      }),
      ...["ab/one", "ab/timed", "ab/all-503"].flatMap((name) => {
        const text = keptText(name);
        const commands = ["$ ab -n 1000 -c 7 http://a/", "~/shop$ ab -t 1 -c 10 http://a/"];
        return commands.map((command) => `${command}\n${text.slice(text.indexOf("Server Software:"))}`);
      }),
      `$ ab -n 600 -c 400 http://a/\n${GAVE_UP}`,
      `$ ab -t 1 -c 300 http://b/\n${GAVE_UP}\nTotal of 17 requests completed`,
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...separate), { minLength: 1, maxLength: 6 }), (parts) => {
        const text = parts.map((part, index) => `$ run ${index}\n${part}\n`).join("");
        expect(readText(text).map(toldBy)).toEqual(parts.flatMap((part) => readText(part).map(toldBy)));
      }),
      { numRuns: 60 },
    );
  });
});

describe("what is refused, with file and line, what was expected and what to do", () => {
  it.each<[string, string | Buffer, RegExp, NotInOutput?]>([
    ["nothing", "", /^saved\.txt:1: expected the output of ab, .*, got nothing\. Save all/],
    ["something else", "\nhello\n", /^saved\.txt:2: expected .*, got "hello"\. Save all/],
    ["zero bytes", Buffer.from("a\n\0b"), /^saved\.txt:2: expected text, got a zero byte/],
    [
      "output that is cut",
      AB.slice(0, AB.indexOf("Transfer rate")),
      /^saved\.txt:25: expected the line "Transfer rate:" of ab, got nothing\. Its output is cut, or its lines were broken/,
    ],
    [
      "the end of some",
      WRK.slice(WRK.indexOf("Requests/sec")),
      /^saved\.txt:1: expected all that wrk prints, from its first line on, got "Requests\/sec: +638\.60" without what comes before/,
    ],
    [
      "lines that were broken",
      AB.replace("(mean, across", "(mean,\nacross"),
      /^saved\.txt:23: expected the line "Time per request:" of ab, got "Time per request: +1\.674 \[ms\] \(mean,"/,
    ],
    [
      "tables without their last line",
      change(CANNON_TABLES, /122 requests in .*/, ""),
      /^saved\.txt:65: expected the line "N requests in" of autocannon, got nothing/,
    ],
    [
      "figures that do not add up",
      change(AB, "Failed requests:        0", "Failed requests:        7"),
      /^saved\.txt:1-42: of 7 failed requests ab says how 0 failed\. Save the whole output/,
    ],
    [
      "a rate that is not that of count and time",
      change(HEY, /Requests\/sec:\t.*/, "Requests/sec:\t1.0000"),
      /^saved\.txt:2-43: hey tells of 500 requests in 784\.3 ms, and of 1 a second/,
    ],
    ["JSON that is cut", CANNON.slice(0, 500), /^saved\.txt:1: expected JSON, got a part of it/],
    ["other JSON", '{ "a": 1 }', /^saved\.txt:1: expected the JSON of autocannon -j, .* got an object with a$/],
    ["ab.txt of lbbench", '# lbbench: target "a"\n', /the ab\.txt of lbbench\. .* use lbbench report on it$/],
    [
      "other connections than are told",
      AB,
      /^saved\.txt:1-42: expected a run with 7 connections, .* ab had 20\. Leave --connections out/,
      { connections: 7 },
    ],
    [
      "a time where a number was asked for",
      AB,
      /^saved\.txt:1-42: expected a run of 2000 ms, as --duration says, and ab took/,
      { durationMs: 2000 },
    ],
    [
      "a run that took another time",
      WRK,
      /expected a run of 3000 ms, .* wrk was asked for 2000 ms/,
      { durationMs: 3000 },
    ],
  ])("%s", (_, text, message, told) => {
    expect(() => readText(text, told)).toThrow(message);
  });
});

describe.each(FILES)("$name", ({ text, told }) => {
  it("is read without a figure that the whole does not have, wherever it is cut, or is refused", () => {
    const [whole] = readText(text, told);
    const lines = text.split("\n");
    const cuts = [
      ...lines.map((_, count) => `${lines.slice(0, count).join("\n")}${count % 2 === 0 ? "\n" : ""}`),
      ...Array.from({ length: 20 }, (_, part) => lines.slice(Math.floor((lines.length * part) / 20)).join("\n")),
      ...Array.from({ length: 20 }, (_, part) => text.slice(0, Math.floor((text.length * part) / 20))),
      ...Array.from({ length: 10 }, (_, missing) => text.slice(0, Math.max(0, text.length - 3 * missing))),
    ];
    const wrong = cuts.flatMap((cut) => {
      const [run, ...others] = readOrRefuse(cut, told) ?? [];
      const problems = [...otherThan(whole, run), ...others.map(() => "another run")];
      return problems.length === 0 ? [] : [{ cut, problems }];
    });
    expect(wrong).toEqual([]);
  });

  it("is refused, or makes sense, whatever is damaged in it", () => {
    fc.assert(
      fc.property(damaged(text), (broken) => {
        expect((readOrRefuse(broken, told) ?? []).flatMap(problemsOf)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

/** The figures of a run that are others than those of the whole output. How requests failed is not told by half of a message. */
function otherThan(whole: ReadRun | undefined, part: ReadRun | undefined): readonly string[] {
  if (part?.figures === undefined || whole?.figures === undefined) return [];
  const { requests, latency = {}, failedLatency = {}, elapsedMs } = part.figures;
  const { sent, ok, non2xx } = requests;
  const told = { connections: part.connections, elapsedMs, sent, ok, non2xx, ...latency, ...failedLatency };
  const { figures } = whole;
  const all: Readonly<Record<string, number | undefined>> = {
    connections: whole.connections,
    elapsedMs: figures.elapsedMs,
    ...figures.requests,
    ...figures.latency,
    ...figures.failedLatency,
  };
  return Object.entries(told).flatMap(([key, value]) => (value === undefined || value === all[key] ? [] : [key]));
}

/** What cannot be in a run that was understood. */
function problemsOf({ figures, connections = 1, amount }: ReadRun): readonly string[] {
  if (figures === undefined) return [];
  const { sent, ...outcomes } = figures.requests;
  const counts = Object.values(outcomes);
  const isCount = (count: number): boolean => Number.isInteger(count) && count >= 0;
  return [
    ...(counts.every(isCount) ? [] : [`no counts: ${JSON.stringify(outcomes)}`]),
    ...(counts.reduce((sum, count) => sum + count, 0) === sent ? [] : [`lost: ${JSON.stringify(figures.requests)}`]),
    ...(Number.isFinite(figures.elapsedMs) && figures.elapsedMs >= 0 ? [] : [`no time: ${figures.elapsedMs}`]),
    ...(Number.isInteger(connections) && connections > 0 ? [] : [`no connections: ${connections}`]),
    ...(Object.values(amount).some((value) => Number(value) < 0) ? [`no amount: ${JSON.stringify(amount)}`] : []),
    ...(Object.values(figures.latency ?? {}).every((ms) => Number.isFinite(ms)) ? [] : ["no latency"]),
  ];
}
