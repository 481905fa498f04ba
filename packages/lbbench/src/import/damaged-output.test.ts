import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { damaged } from "../engines/programs/test-support/damage.js";
import type { ReadRun } from "./imported-run.js";
import { keptFiles, keptText } from "./test-support/kept-output.js";
import { readOrRefuse, readText, toldBy } from "./test-support/read-text.js";

const FILES = keptFiles();

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
];

describe("a file of many runs", () => {
  it("has each of them, in order, however often they are repeated", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...SEPARATE), { minLength: 1, maxLength: 6 }), (parts) => {
        const text = parts.map((part, index) => `$ run ${index}\n${part}\n`).join("");
        expect(readText(text).map(toldBy)).toEqual(parts.flatMap((part) => readText(part).map(toldBy)));
      }),
      { numRuns: 60 },
    );
  });
});

/** The figures of a run that are others than those of the whole output; what is said to be doubtful may be. */
function otherThan(whole: ReadRun | undefined, part: ReadRun | undefined): readonly string[] {
  if (part?.figures === undefined || whole?.figures === undefined) return [];
  const { requests, latency = {}, elapsedMs } = part.figures;
  const doubted = new Set(part.doubts.map(({ figure }) => figure));
  const isLike = (one: number, other: number): boolean => Math.abs(one - other) <= 0.02 * other + 20;
  const wholeLatency = whole.figures.latency ?? whole.figures.failedLatency ?? {};
  return [
    ...(part.connections === undefined || part.connections === whole.connections ? [] : ["connections"]),
    ...(doubted.has("throughput") || part.rate !== undefined || isLike(elapsedMs, whole.figures.elapsedMs)
      ? []
      : ["time"]),
    ...(doubted.size > 0 || part.rate !== undefined || isLike(requests.sent, whole.figures.requests.sent)
      ? []
      : ["sent"]),
    ...(doubted.has("errors") || part.rate !== undefined || isLike(requests.ok, whole.figures.requests.ok)
      ? []
      : ["ok"]),
    ...(doubted.has("latency") || doubted.has("errors")
      ? []
      : Object.entries(latency).flatMap(([key, ms]) => (wholeLatency[key as "p50"] === ms ? [] : [key]))),
  ];
}

/** What cannot be in a run that was understood. */
function problemsOf({ figures, connections = 1, amount }: ReadRun): readonly string[] {
  if (figures === undefined) return [];
  const { sent, ...outcomes } = figures.requests;
  const counts = Object.values(outcomes);
  return [
    ...(counts.every((count) => Number.isInteger(count) && count >= 0)
      ? []
      : [`no counts: ${JSON.stringify(outcomes)}`]),
    ...(counts.reduce((sum, count) => sum + count, 0) === sent ? [] : [`lost: ${JSON.stringify(figures.requests)}`]),
    ...(Number.isFinite(figures.elapsedMs) && figures.elapsedMs >= 0 ? [] : [`no time: ${figures.elapsedMs}`]),
    ...(Number.isInteger(connections) && connections > 0 ? [] : [`no connections: ${connections}`]),
    ...(Object.values(amount).some((value) => Number(value) < 0) ? [`no amount: ${JSON.stringify(amount)}`] : []),
    ...(Object.values(figures.latency ?? {}).every((ms) => Number.isFinite(ms)) ? [] : ["no latency"]),
  ];
}
