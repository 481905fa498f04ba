import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { damaged } from "../engines/programs/test-support/damage.js";
import { keptFiles, keptText } from "./test-support/kept-output.js";
import { readOrRefuse, readText, toldBy } from "./test-support/read-text.js";
import type { ReadRun } from "./read-output.js";

const FILES = keptFiles();

describe.each(FILES)("$name", ({ text, told }) => {
  it("is refused, or read as the whole, wherever it is cut", () => {
    const whole = readText(text, told).map(toldBy);
    const lines = text.split("\n");
    const cuts = [
      ...lines.map((_, count) => `${lines.slice(0, count).join("\n")}${count % 2 === 0 ? "\n" : ""}`),
      ...Array.from({ length: 50 }, (_, part) => text.slice(0, Math.floor((text.length * part) / 50))),
      ...Array.from({ length: 30 }, (_, missing) => text.slice(0, Math.max(0, text.length - missing))),
    ];
    const read = cuts.flatMap((cut) => readOrRefuse(cut, told)?.map(toldBy) ?? []);
    for (const one of read) expect([one]).toEqual(whole);
    // The first half of it is never enough.
    expect(readOrRefuse(text.slice(0, text.length / 2), told)).toBeUndefined();
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

/** Output that tells all, each with what stands before it; of the blocks of ab some have no percentiles, and some no banner. */
const SEPARATE: readonly string[] = [
  ...FILES.flatMap(({ name, text, told }) => {
    if (name.startsWith("hey/")) return [`$ hey -n 500 -c 10 http://a/\n${text}`];
    return told.connections === undefined ? [text] : [];
  }),
  ...["ab/one", "ab/timed", "ab/all-503"].flatMap((name) => {
    const text = keptText(name);
    const commands = ["$ ab -n 1000 -c 7 http://a/", "~/shop$ ab -t 1 -c 10 http://a/", "# ab -c 5 -n 1 http://a/"];
    return commands.map((command) => `${command}\n${text.slice(text.indexOf("Server Software:"))}`);
  }),
  `$ ab -n 600 -c 400 http://a/\n${keptText("../refused-output/gave-up")}`,
  `$ ab -t 1 -c 300 http://b/\n${keptText("../refused-output/gave-up")}\nTotal of 17 requests completed`,
  `$ hey -z 800ms -c 10 http://a/\n${keptText("hey/slow")}`,
  ...["first", "second"].map((target) =>
    ownBlock(`# lbbench: target "${target}", 50 connections, 1,000 requests, trial 1`),
  ),
];

/** As lbbench writes it of a run whose answers all failed. */
function ownBlock(comment: string): string {
  const text = keptText("ab/all-503");
  const figures = text.slice(text.indexOf("Document Path:"), text.indexOf("Connection Times"));
  return `${comment}\n\n${figures.trimEnd()}\n`;
}

describe("a file of many runs", () => {
  it("has each of them, in order, however often they are repeated", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...SEPARATE), { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        (parts, isBare) => {
          const text = parts.map((part, index) => `${isBare ? "" : `$ run ${index}\n`}${part}\n`).join("");
          expect(readText(text).map(toldBy)).toEqual(parts.flatMap((part) => readText(part).map(toldBy)));
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** What cannot be in a run that was understood. */
function problemsOf({ figures, connections, amount }: ReadRun): readonly string[] {
  if (figures === undefined) return [];
  const { sent, ...outcomes } = figures.requests;
  const counts = Object.values(outcomes);
  const { min, p50, p66, p75, p80, p90, p95, p98, p99, p999, max } = figures.latency ?? {};
  const order = [min, p50, p66, p75, p80, p90, p95, p98, p99, p999, max].filter((ms) => ms !== undefined);
  return [
    ...(counts.every((count) => Number.isInteger(count) && count >= 0)
      ? []
      : [`no counts: ${JSON.stringify(outcomes)}`]),
    ...(counts.reduce((sum, count) => sum + count, 0) === sent ? [] : [`lost: ${JSON.stringify(figures.requests)}`]),
    ...(order.every((ms, index) => ms >= (order[index - 1] ?? 0)) ? [] : [`out of order: ${order.join(", ")}`]),
    ...(Number.isFinite(figures.elapsedMs) && figures.elapsedMs >= 0 ? [] : [`no time: ${figures.elapsedMs}`]),
    ...(Number.isInteger(connections) && connections > 0 ? [] : [`no connections: ${connections}`]),
    ...(Object.values(amount).every((value: number) => value >= 0) ? [] : [`no amount: ${JSON.stringify(amount)}`]),
  ];
}
