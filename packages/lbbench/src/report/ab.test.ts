import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAbOutput } from "../engines/ab/parse-output.js";
import { countAbRequests } from "../engines/ab/count-requests.js";
import type { Measurement } from "../model/measurement.js";
import type { Result } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { aLatency, aMeasurement, aRequest, aResult, aScenario, aStep } from "../test-support/fixtures.js";
import { abReporter } from "./ab.js";
import { anOpenLoop, anyName, HOSTILE_NAMES, PHASES, RESULT_SHAPES } from "./test-support/result-shapes.js";
import { aRampResult } from "./test-support/ramp-results.js";
import { aSweep, withFailures } from "./test-support/sample-results.js";

const KEPT = new URL("../engines/ab/test-support/output/", import.meta.url);
const keptNames = readdirSync(KEPT).filter((name) => name.endsWith(".txt"));
const readKept = (name: string): string => readFileSync(new URL(name, KEPT), "utf8");

/** Blocks of `ab.txt`, each with the comment before it. */
async function blocksOf(result: Result): Promise<readonly string[]> {
  const files = await abReporter.render(result, { charts: "none" });
  expect(files.map(({ name }) => name)).toEqual(["ab.txt", "ab.md"]);
  return String(files[0]?.content)
    .split(/^(?=# lbbench: )/m)
    .slice(1);
}

async function blockOf(measurement: Measurement, scenario: Partial<Scenario> = {}): Promise<string> {
  const [block = ""] = await blocksOf(aResult({ scenario: aScenario(scenario), steps: [aStep({ measurement })] }));
  return block;
}

/** What a block has beside figures: labels with the columns at which figures begin, units, heads of tables. */
function shapeOf(block: string): readonly string[] {
  return block
    .split("\n")
    .filter(
      (line) => /^[A-Z ]/.test(line) && !/^(This is|Copyright|Licensed|Benchmarking|Server |Document )/.test(line),
    )
    .map((line) => line.replaceAll(/ *\d+(\.\d+)?(?=[ ,%)]|$)/g, (figure) => "#".repeat(figure.length)));
}

/** A run of `ab -n 100 -c 4 -k` as another engine would have measured it. */
const AS_AB = aMeasurement({
  elapsedMs: 64.61,
  connections: { asked: 4 },
  requests: { ok: 100 },
  bytes: { received: 12_700, body: 500, sent: 9000 },
  phases: {
    connect: { min: 0, mean: 0, stddev: 0, median: 0, max: 0 },
    processing: { min: 0.138, mean: 2.2, stddev: 2.71, median: 0.5, max: 18.388 },
    waiting: { min: 0.1, mean: 2.1, stddev: 2.7, median: 0.5, max: 18 },
    total: { min: 0.138, mean: 2.2, stddev: 2.71, median: 0.546, max: 18.388 },
  },
  latency: aLatency({
    p50: 0.546,
    p66: 1.64,
    p75: 2.471,
    p80: 3.624,
    p90: 6.015,
    p95: 6.269,
    p98: 11.396,
    p99: 18.388,
    max: 18.388,
  }),
});
const LEVEL_OF_AB = { connections: 4, requests: 100 };

describe("a block", () => {
  it("has the labels, columns and units of what ab prints, and its figures where they are the same", async () => {
    const [block = ""] = await blocksOf(aResult({ steps: [aStep({ level: LEVEL_OF_AB, measurement: AS_AB })] }));
    const theirs = readKept("good.txt").split("\n");
    const ours = block.split("\n");
    const begin = (lines: readonly string[]): number => lines.findIndex((line) => line.startsWith("Concurrency Level"));
    const without = theirs.filter((line) => !line.startsWith("Keep-Alive requests"));
    const rounded = (lines: readonly string[]): readonly string[] =>
      lines.slice(begin(lines)).map((line) => line.replace(/(?<=Time per request: .*|Transfer rate: .*)\d+\.\d+/, "#"));
    expect(rounded(ours).join("\n")).toBe(rounded(without).join("\n"));
  });

  it("has no line that ab has not in one of the runs that were kept", async () => {
    const alike = (line: string): string => line.replaceAll(/#+/g, "#");
    const theirs = new Set(keptNames.flatMap((name) => shapeOf(readKept(name)).map(alike)));
    const blocks = await Promise.all([...RESULT_SHAPES.values()].map(blocksOf));
    const ours = blocks.flat().flatMap((block) => shapeOf(block).map(alike));
    expect(ours.length).toBeGreaterThan(100);
    expect([...new Set(ours)].filter((line) => !theirs.has(line))).toEqual([]);
  });

  it("is read by the parser of ab as what was measured, to the last line", async () => {
    const measurement = aMeasurement({
      phases: PHASES,
      requests: { ok: 930, non2xx: 40, resets: 5, dropped: 6, timedOut: 7, connectErrors: 8, inFlight: 4 },
      statusCodes: { "200": 930, "503": 40 },
      bytes: { received: 155_200, body: 11_640 },
    });
    const output = parseAbOutput(await blockOf(measurement, { request: aRequest({ expectBody: "héllo" }) }));
    expect(output).toEqual({
      documentLength: 6,
      concurrency: 50,
      elapsedMs: output.elapsedMs,
      complete: 988,
      failures: { connect: 8, receive: 18, length: 0, exceptions: 0 },
      non2xx: 40,
      receivedBytes: 155_200,
      bodyBytes: 11_640,
      phases: {
        connect: { min: 0, mean: 0, stddev: 0.5, median: 1, max: 8 },
        processing: { min: 0, mean: 2, stddev: 0.5, median: 1, max: 8 },
        waiting: { min: 0, mean: 2, stddev: 0.5, median: 1, max: 8 },
        total: { min: 0, mean: 2, stddev: 0.5, median: 1, max: 8 },
      },
    });
    expect(Math.abs(output.elapsedMs - 3000)).toBeLessThan(0.5);
    expect(countAbRequests(output, {})).toMatchObject({
      sent: 996,
      ok: 930,
      non2xx: 40,
      connectErrors: 8,
      unclassified: 18,
    });
  });

  it("counts as ab does: answers of any status are complete, and only what is not answered has failed", async () => {
    const block = await blockOf(
      aMeasurement({ requests: { ok: 60, non2xx: 40 }, statusCodes: { "200": 60, "500": 40 } }),
    );
    expect(block).toMatch(/^Complete requests: {6}100$/m);
    expect(block).toMatch(/^Failed requests: {8}0$/m);
    expect(block).toMatch(/^Non-2xx responses: {6}40$/m);
    expect(block).toMatch(/^Requests per second: {4}33\.33 \[#\/sec\] \(mean\)$/m);
    expect(block).not.toContain("(Connect:");
  });

  it("calls statuses non-2xx by what they are, whatever was expected", async () => {
    const measurement = aMeasurement({ requests: { ok: 60, non2xx: 40 }, statusCodes: { "404": 60, "200": 40 } });
    expect(await blockOf(measurement, { request: aRequest({ expectStatus: "404" }) })).toMatch(
      /^Non-2xx responses: {6}60$/m,
    );
  });

  it("counts every request once, in one class", async () => {
    const requests = { ok: 1, mismatched: 2, connectErrors: 3, resets: 4, dropped: 5, timedOut: 6, inFlight: 7 };
    const block = await blockOf(aMeasurement({ requests }));
    expect(block).toMatch(/^Complete requests: {6}18$/m);
    expect(block).toMatch(/^Failed requests: {8}20\n {3}\(Connect: 3, Receive: 15, Length: 2, Exceptions: 0\)$/m);
  });

  it("has bytes sent where a body was sent, as ab has them", async () => {
    const request = aRequest({ method: "POST", body: "x" });
    const block = await blockOf(aMeasurement({ bytes: { received: 3072, body: 1, sent: 6144 } }), { request });
    expect(block).toContain(
      [
        "Transfer rate:          1.00 [Kbytes/sec] received",
        "                        2.00 kb/s sent",
        "                        3.00 kb/s total",
      ].join("\n"),
    );
    expect(block).toMatch(/^Total body sent: {8}6144$/m);
  });
});

describe("an open loop", () => {
  it("has percentiles from when requests were due, and no connection times, which begin when they left", async () => {
    const blocks = await blocksOf(anOpenLoop());
    expect(blocks).toHaveLength(2);
    for (const block of blocks) {
      expect(block).toContain("(longest request)");
      expect(block).not.toMatch(/Connection Times|Total: /);
    }
  });
});

describe("lines that cannot be filled", () => {
  it("are left out: phases, bytes and percentiles that a program does not tell", async () => {
    const [block = ""] = await blocksOf(RESULT_SHAPES.get("a driven program") as Result);
    expect(block).toMatch(/^Complete requests: {6}100$/m);
    expect(block).not.toMatch(/transferred|Transfer rate|Connection Times|Percentage|Server|Keep-Alive/);
  });

  it("do not keep the parser of ab from the rest", async () => {
    const [block = ""] = await blocksOf(aSweep({ connections: [50] }));
    const { phases, documentLength, complete, concurrency } = parseAbOutput(block, "if-there");
    expect({ phases, documentLength, complete, concurrency }).toEqual({ complete: 1000, concurrency: 50 });
    expect(() => parseAbOutput(block)).toThrow(/expected a line with "Connect:"/);
  });

  it("are rates where nothing came to an end", async () => {
    const [block = ""] = await blocksOf(
      aResult({ steps: [aStep({ measurement: aMeasurement({ elapsedMs: 0, requests: { ok: 0, inFlight: 50 } }) })] }),
    );
    expect(block).toMatch(/^Complete requests: {6}0$/m);
    expect(block).not.toMatch(/per second|per request|NaN|Infinity/);
  });

  it("are a mean time by concurrency where that was not kept, as in an open loop and in a ramp", async () => {
    for (const result of [anOpenLoop(), aRampResult({ durationMs: 5000, users: 5 })]) {
      for (const block of await blocksOf(result)) {
        expect(block.match(/^Time per request: .*$/gm)).toEqual([
          expect.stringMatching(/\[ms\] \(mean, across all concurrent requests\)$/),
        ]);
      }
    }
  });

  it("are all but the comment of a step without a measurement", async () => {
    const [failed, aborted] = await blocksOf(RESULT_SHAPES.get("failed and interrupted steps") as Result);
    expect(failed?.trim()).toBe(
      '# lbbench: target "single", 50 connections, 3 s, trial 1: failed with TARGET_DIED: exited with code 1',
    );
    expect(aborted).toMatch(/trial 2: aborted\n\nDocument Path/);
  });
});

describe("the document", () => {
  const atUrl = (url: string, path = "/") => ({
    targets: [{ name: "single", server: "url", options: { url } }],
    request: aRequest({ path }),
  });

  it.each([
    ["http://127.0.0.1:18099/a?b=c", "127.0.0.1", "18099", "/a?b=c"],
    ["https://example.test", "example.test", "443", "/"],
  ])("is that of a URL, with name and port: %s", async (url, host, port, path) => {
    const block = await blockOf(aMeasurement(), atUrl(url));
    expect(block).toContain(
      `Server Hostname:        ${host}\nServer Port:            ${port}\n\nDocument Path:          ${path}\n`,
    );
  });

  it("is the path of the request where the target has none of its own", async () => {
    expect(await blockOf(aMeasurement(), atUrl("http://a.test/", "/x"))).toMatch(/^Document Path: {10}\/x$/m);
    expect(await blockOf(aMeasurement(), { request: aRequest({ path: "/y" }) })).toMatch(/^Document Path: {10}\/y$/m);
  });

  it("has no one path in a mix, and no one length unless that was asked for", async () => {
    const [mixed = ""] = await blocksOf(RESULT_SHAPES.get("a mix") as Result);
    expect(mixed).not.toContain("Document Path");
    expect(mixed).toMatch(/^Document Length: {8}Variable$/m);
    expect(await blockOf(aMeasurement(), { request: aRequest({ expectBody: "12345" }) })).toMatch(
      /^Document Length: {8}5 bytes$/m,
    );
  });
});

describe("a step that ab measured", () => {
  const program = (output: string) => ({ name: "ab", version: "2.3", command: ["ab"], output });

  it.each(keptNames.filter((name) => !["hanging.txt", "gave-up.txt"].includes(name)))(
    "has what it printed, with all that only it knows: %s",
    async (name) => {
      const output = readKept(name).replace(/\n+$/, "");
      const block = await blockOf(aMeasurement({ program: program(output) }));
      expect(parseAbOutput(block)).toEqual(parseAbOutput(output));
      expect(block).toContain(output.slice(output.indexOf("Server Software:")));
    },
  );

  it("has our figures where what it printed was cut or is not there", async () => {
    for (const output of [`${readKept("good.txt")}x [cut]`, "ab: nothing"]) {
      expect(await blockOf(aMeasurement({ program: program(output) }))).toContain("Complete requests:      15000");
    }
  });

  it("cannot bring what a terminal obeys", async () => {
    const output = readKept("good.txt").replace(
      "Server Software:        ",
      "Server Software:        \u001b[31m\u202eevil",
    );
    const block = await blockOf(aMeasurement({ program: program(output) }));
    expect(block).toContain("Server Software:         [31m evil");
  });
});

describe("names from outside", () => {
  it.each(HOSTILE_NAMES)("stay in their comment: %j", async (name) => {
    const [block = ""] = await blocksOf(aSweep({ targets: [name], connections: [1] }));
    expect(block.split("\n").filter((line) => line.startsWith("#"))).toHaveLength(1);
    expect(parseAbOutput(block, "if-there").complete).toBe(1000);
  });

  it("change nothing that is read", async () => {
    const figures = parseAbOutput((await blocksOf(aSweep({ connections: [1] })))[0] ?? "", "if-there");
    await fc.assert(
      fc.asyncProperty(anyName, async (name) => {
        const [block = ""] = await blocksOf(aSweep({ targets: [name], connections: [1] }));
        expect(parseAbOutput(block, "if-there")).toEqual(figures);
      }),
      { numRuns: 50 },
    );
  });
});

it("every block of every result is read, unless it is a comment or bytes are not told", async () => {
  const blocks = (await Promise.all([...RESULT_SHAPES.values()].map(blocksOf))).flat();
  expect(blocks.join("\n")).not.toMatch(/undefined|NaN|Infinity/);
  const whole = blocks.filter((block) => block.includes("Total transferred"));
  expect(blocks.length - whole.length).toBe(3);
  for (const block of whole) expect(parseAbOutput(block, "if-there").complete).toBeGreaterThan(0);
});

it("all requests fail: none is lost on the way", async () => {
  const result = aSweep({ connections: [50], change: (step) => withFailures(step, 1) });
  for (const [index, block] of (await blocksOf(result)).entries()) {
    const { complete, failures, non2xx } = parseAbOutput(block, "if-there");
    const { sent = 0 } = result.steps[index]?.measurement?.requests ?? {};
    expect(complete + failures.connect).toBe(sent);
    expect(non2xx).toBe(sent);
  }
});
