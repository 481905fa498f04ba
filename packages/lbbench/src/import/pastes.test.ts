import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ReadRun } from "./imported-run.js";
import { readOutput } from "./read-output.js";

const PASTES = new URL("./test-support/pastes/", import.meta.url);

/** What a run tells, in one line: `ab at 20: 1000 of 1000 ok in 2520 ms, p50 44 p99 193 max 194`; `–` is what it does not. */
function tell({ program, connections, figures, rate, failure }: ReadRun): string {
  const head = `${program} at ${connections ?? "–"}: `;
  if (figures === undefined) return `${head}${failure}`;
  const { requests, elapsedMs, latency, failedLatency } = figures;
  const { p50 = "–", p99 = "–", max = "–" } = latency ?? failedLatency ?? {};
  const counts =
    rate === undefined ? `${requests.ok} of ${requests.sent} ok in ${Math.round(elapsedMs)} ms` : `${rate} a second`;
  return `${head}${counts}, ${failedLatency === undefined ? "" : "failed "}p50 ${p50} p99 ${p99} max ${max}`;
}

interface Expected {
  readonly runs: readonly string[];
  /** What is doubtful, and why, or the lines that contradict each other. */
  readonly doubts?: readonly string[];
  /** Lines that were ignored. */
  readonly ignored?: string;
}

/** By the name of the file: what was done to the output is in it. */
const EXPECTED = JSON.parse(readFileSync(new URL("../pastes.json", PASTES), "utf8")) as Readonly<
  Record<string, Expected>
>;

describe("a paste of real output", () => {
  it.each(readdirSync(PASTES))("%s is read as far as it tells anything", (file) => {
    const { runs: expected, doubts = [], ignored } = EXPECTED[file.replace(".txt", "")] ?? { runs: [] };
    const { runs, notes } = readOutput(readFileSync(new URL(file, PASTES)), "p");
    expect(runs.map(tell)).toEqual(expected);
    const doubted = runs.flatMap((run) =>
      run.doubts.map(({ figure, because, lines }) => `${figure}: ${lines ?? because}`),
    );
    expect(doubted.map((one) => one.replaceAll("p:", ":"))).toEqual(doubts);
    expect(notes.map((note) => note.replace(/^p:\S+ /, "").slice(0, ignored?.length))).toEqual([ignored ?? []].flat());
  });
});
