import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Measurement } from "../model/measurement.js";
import type { Result } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { aLatency, aMeasurement, aRequest, aResult, aScenario, aStep } from "../test-support/fixtures.js";
import { renderAb } from "./ab.js";
import { readTables } from "./test-support/read-markdown.js";
import { anOpenLoop, HOSTILE_NAMES, PHASES, RESULT_SHAPES } from "./test-support/result-shapes.js";
import { aRampResult } from "./test-support/ramp-results.js";
import { aSweep } from "./test-support/sample-results.js";

const KEPT = new URL("../engines/ab/test-support/output/", import.meta.url);
const keptNames = readdirSync(KEPT).filter((name) => name.endsWith(".txt"));
const readKept = (name: string): string => readFileSync(new URL(name, KEPT), "utf8");
const shape = (name: string): Result => RESULT_SHAPES.get(name) as Result;

/** The blocks of `ab.txt`, each with the comment before it, and `ab.md`. */
function render(result: Result): { readonly blocks: readonly string[]; readonly markdown: string } {
  const files = renderAb(result);
  expect(files.map(({ name }) => name)).toEqual(["ab.txt", "ab.md"]);
  const [text, markdown] = files.map(({ content }) => String(content));
  return { blocks: (text ?? "").split(/^(?=# lbbench: )/m).slice(1), markdown: markdown ?? "" };
}

const blocksOf = (result: Result): readonly string[] => render(result).blocks;

function blockOf(measurement: Measurement, scenario: Partial<Scenario> = {}): string {
  return blocksOf(aResult({ scenario: aScenario(scenario), steps: [aStep({ measurement })] }))[0] ?? "";
}

/** What a block has beside figures: labels with the columns at which figures begin, units, heads of tables. */
function shapeOf(block: string): readonly string[] {
  const isOurs = (line: string): boolean => !/^(This is|Copyright|Licensed|Benchmarking|Server |Document )/.test(line);
  return block
    .split("\n")
    .filter((line) => /^[A-Z ]/.test(line) && isOurs(line))
    .map((line) => line.replaceAll(/ *\d+(\.\d+)?(?=[ ,%)]|$)/g, "#").replaceAll(/#+/g, "#"));
}

/** Complete requests, concurrency and bytes received, as a block has them. */
function figuresOf(block: string): readonly [complete: number, concurrency: number, received: number] {
  const told = (label: string): number => Number(new RegExp(`^${label}: +(\\d+)`, "m").exec(block)?.[1]);
  return [told("Complete requests"), told("Concurrency Level"), told("Total transferred")];
}

describe("a block of ab.txt", () => {
  it("has the labels, columns and units of what ab prints, and its figures where they are the same", () => {
    const half = { p50: 0.546, p66: 1.64, p75: 2.471 };
    // A run of `ab -n 100 -c 4 -k` as another engine would have measured it.
    const measurement = aMeasurement({
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
      latency: aLatency({ ...half, p80: 3.624, p90: 6.015, p95: 6.269, p98: 11.396, p99: 18.388, max: 18.388 }),
    });
    const step = aStep({ level: { connections: 4, requests: 100 }, measurement });
    const [ours = ""] = blocksOf(aResult({ steps: [step] }));
    const figures = (text: string): readonly string[] =>
      text
        .slice(text.indexOf("Concurrency Level"))
        .split("\n")
        .filter((line) => !line.startsWith("Keep-Alive requests"))
        .map((line) => line.replace(/(?<=Time per request: .*|Transfer rate: .*)\d+\.\d+/, "#"));
    expect(figures(ours)).toEqual(figures(readKept("good.txt")));
  });

  it("of any kind of result has no line that ab has not in one of the runs that were kept, and rates that follow from its counts", () => {
    const theirs = new Set(keptNames.flatMap((name) => shapeOf(readKept(name))));
    for (const [what, result] of RESULT_SHAPES) {
      for (const block of blocksOf(result)) {
        const unknown = shapeOf(block).filter((line) => !theirs.has(line));
        expect(unknown, what).toEqual([]);
        expect(block, what).not.toMatch(/undefined|NaN|Infinity/);
      }
      const measured = result.steps.filter(({ measurement }) => measurement?.bytes.received !== undefined);
      const whole = blocksOf(result).filter((block) => block.includes("Total transferred"));
      expect(whole, what).toHaveLength(measured.length);
      for (const block of whole) {
        const told = (pattern: RegExp): number => Number(pattern.exec(block)?.[1] ?? 0);
        const [complete, concurrency, received] = figuresOf(block);
        const ms = told(/^Time taken for tests: +([\d.]+)/m) * 1000;
        const rates = [
          [told(/^Requests per second: +([\d.]+)/m), (complete / ms) * 1000],
          [told(/^Time per request: +([\d.]+) \[ms\] \(mean\)/m), (ms / complete) * concurrency],
          [told(/^Time per request: +([\d.]+) .*all concurrent/m), ms / complete],
          [told(/^Transfer rate: +([\d.]+)/m), (received / 1024 / ms) * 1000],
        ] as const;
        // Of the time half a millisecond is not told, of a rate half of the second digit.
        for (const [rate, made] of rates.filter(([printed]) => printed > 0))
          expect(Math.abs(rate - made), what).toBeLessThanOrEqual((made * 0.5) / Math.max(0.5, ms - 0.5) + 0.005);
        expect(complete, what).toBeGreaterThan(0);
      }
    }
  });

  it("counts every request once, as ab does: what is answered is complete, whatever its status", () => {
    const broken = { resets: 5, dropped: 6, timedOut: 7, connectErrors: 8 };
    const measurement = aMeasurement({
      phases: PHASES,
      requests: { ok: 930, non2xx: 40, ...broken, mismatched: 2, inFlight: 4 },
      statusCodes: { "200": 932, "503": 40 },
      bytes: { received: 155_200, body: 11_640 },
    });
    const block = blockOf(measurement, { request: aRequest({ expectBody: "héllo" }) });
    expect(block).toMatch(/^Requests per second: {4}330\.0\d \[#\/sec\] \(mean\)$/m);
    for (const line of [
      "Document Length:        6 bytes",
      "Concurrency Level:      50",
      "Complete requests:      990",
      "Failed requests:        28\n   (Connect: 8, Receive: 18, Length: 2, Exceptions: 0)",
      "Non-2xx responses:      40",
      "Total transferred:      155200 bytes",
      "HTML transferred:       11640 bytes",
      "Processing:     0    2   0.5      1       8",
    ])
      expect(block).toContain(`${line}\n`);
  });

  it("leaves out what is not known, and rates where nothing came to an end", () => {
    const [driven = ""] = blocksOf(shape("a driven program"));
    expect(driven).toMatch(/^Complete requests: {6}100$/m);
    expect(driven).not.toMatch(/transferred|Transfer rate|Connection Times|Percentage|Server|Keep-Alive/);
    const nothing = blockOf(aMeasurement({ elapsedMs: 0, requests: { ok: 0, inFlight: 50 } }));
    expect(nothing).not.toMatch(/per second|per request|NaN|Infinity/);
    for (const result of [anOpenLoop(), aRampResult({ durationMs: 5000, users: 5 })])
      for (const block of blocksOf(result)) {
        expect(block.match(/^Time per request: .*$/gm)?.join("\n")).toMatch(/^.*across all concurrent requests\)$/);
        expect(block).not.toMatch(/Connection Times/);
      }
    const [failed, aborted] = blocksOf(shape("failed and interrupted steps"));
    expect(failed?.trim()).toBe(
      '# lbbench: target "single", 50 connections, 3 s, trial 1: failed with TARGET_DIED: exited with code 1',
    );
    expect(aborted).toMatch(/trial 2: aborted\n\nDocument Path/);
  });

  it.each(keptNames.filter((name) => name !== "gave-up.txt"))(
    "of a step that ab measured is what it printed: %s",
    (name) => {
      const output = readKept(name).replace(/\n+$/, "");
      const program = (text: string) => ({ program: { name: "ab", version: "2.3", command: ["ab"], output: text } });
      const block = blockOf(aMeasurement(program(output)));
      expect(block).toContain(output.slice(output.indexOf("Server Software:")));
      expect(blockOf(aMeasurement(program(`${output}x [cut]`)))).toContain("Complete requests:      15000");
      const evil = output.replace(/(?<=Server Software: {8})/, "\u001b[31m\u202eevil");
      expect(blockOf(aMeasurement(program(evil)))).not.toMatch(/\p{Cc}(?<!\n)|\u202e/u);
    },
  );

  it("is read alike whatever its target is called", () => {
    const read = (name: string) => {
      const { blocks, markdown } = render(aSweep({ targets: [name], connections: [1] }));
      const [block = "", ...others] = blocks;
      expect([others, block.split("\n").filter((line) => line.startsWith("#")).length]).toEqual([[], 1]);
      return { figures: figuresOf(block), tables: readTables(markdown).map(({ rows }) => rows) };
    };
    const expected = read("plain");
    for (const name of HOSTILE_NAMES) expect(read(name), name).toEqual(expected);
  });
});

describe("ab.md", () => {
  it("has a table for each target, a row for each step, percentiles last", () => {
    const { markdown } = render(aSweep({ targets: ["a", "b"], connections: [1, 50], trials: 2 }));
    const [tests, ...others] = readTables(markdown);
    expect(others).toHaveLength(1);
    expect(tests?.head.slice(0, 11).join(" | ")).toBe(
      "Test no. | Concurrency level | Trial | Time taken (s) | Complete requests | Failed requests | Non-2xx responses | Total transferred (bytes) | Requests per second | Time per request (ms) | Transfer rate (KiB/s)",
    );
    expect(tests?.rows.map((row) => row.slice(0, 3).join(" ")).join(", ")).toBe("1 1 1, 2 1 2, 3 50 1, 4 50 2");
    expect(tests?.head.slice(11)).toEqual(
      ["50", "66", "75", "80", "90", "95", "98", "99", "100"].map((share) => `${share} % (ms)`),
    );
  });

  it("says what the blocks say, and what is not known is missing", () => {
    const measurement = aMeasurement({
      elapsedMs: 2000,
      requests: { ok: 900, non2xx: 100 },
      statusCodes: { "200": 900, "404": 100 },
      bytes: { received: 85_000 },
    });
    const { measurement: _, ...unmeasured } = aStep({ state: "failed", trial: 2 });
    const { blocks, markdown } = render(aResult({ steps: [aStep({ measurement }), unmeasured] }));
    const [first = [], second = []] = readTables(markdown)[0]?.rows ?? [];
    expect(first.slice(3, 11)).toEqual(["2.000", "1000", "0", "100", "85000", "500.00", expect.any(String), "41.50"]);
    expect(blocks[0]).toContain(`Time per request:       ${first[9]} [ms] (mean)`);
    expect(new Set(second.slice(3))).toEqual(new Set(["–"]));
  });

  it("has the times of all answers where none is ok, as ab has them", () => {
    const { latency: _, ...others } = aMeasurement({ requests: { sent: 10, ok: 0, non2xx: 10 } });
    const failing = { ...others, failedLatency: aLatency({ p50: 3, p66: 4, max: 9 }) };
    const { blocks, markdown } = render(aResult({ steps: [aStep({ measurement: failing })] }));
    const [table] = readTables(markdown);
    const cellOf = (name: string) => table?.rows[0]?.[table.head.indexOf(name)];
    expect([cellOf("50 % (ms)"), cellOf("66 % (ms)"), cellOf("100 % (ms)")]).toEqual(["3", "4", "9"]);
    expect(blocks[0]).toMatch(/^ {2}50% {6}3\n {2}66% {6}4$/m);
  });
});
