import { errorShare } from "../judge/error-share.js";
import { softenOverload } from "../judge/judge-search.js";
import type { Measurement } from "../model/measurement.js";
import type { Result, StepResult } from "../model/result.js";
import { summarizeTrials, type TrialsSummary } from "../stats/trials.js";
import { collectCells, type Cell } from "./cells.js";
import { describeAmount, describeLoad, distinctAmounts } from "./describe-level.js";
import { freeName } from "./free-name.js";
import { plainLine } from "./plain-line.js";

/** What is kept of a target at a level, to be compared with what later commits are like. */
export interface BenchmarkFigures {
  /** `single at 50 connections`, with the amount of load where levels differ in it; different for each. */
  readonly name: string;
  readonly throughput: TrialsSummary;
  /** Share of failed requests, 0 to 1; absent where none came to an end. */
  readonly errors?: TrialsSummary;
  /** In ms; absent where nothing was ok, or it is not told. */
  readonly mean?: TrialsSummary;
  readonly p50?: TrialsSummary;
  readonly p99?: TrialsSummary;
}

/** Characters kept of the name of a target: where these figures go, a whole name may have 1024 bytes, and a character up to four. */
const TARGET_LENGTH = 200;

/**
 * Returns the figures of each target at each level over its completed trials. What was cut short or failed is left out, and what an
 * error says to be false: kept among good figures, it would look like a change.
 */
export function benchmarkFigures(result: Result): readonly BenchmarkFigures[] {
  const steps = result.steps.filter((step) => !isFalse(result, step));
  const cells = collectCells({ ...result, steps }).filter(
    ({ cutShort, measurements }) => !cutShort && measurements.length > 0,
  );
  // By all of them, so that a name does not change with what is left out.
  const severalAmounts = distinctAmounts(result.steps.map(({ level }) => level)).length > 1;
  const taken = new Set<string>();
  return cells.map((cell) => {
    const amount = severalAmounts ? `, ${describeAmount(cell.level)}` : "";
    const target = Array.from(cell.target).slice(0, TARGET_LENGTH).join("");
    // Names of targets may differ in nothing that is left of them in one short line.
    const name = freeName(plainLine(`${target} at ${describeLoad(cell.level)}${amount}`), taken);
    return { name, ...summarize(cell) };
  });
}

/** What breaks a target is what a search looks for, and no error in it. */
function isFalse({ scenario }: Result, { findings }: StepResult): boolean {
  const noticed = scenario.search === null ? findings : findings.map(softenOverload);
  return noticed.some(({ severity }) => severity === "error");
}

function summarize({ measurements }: Cell): Omit<BenchmarkFigures, "name"> {
  const over = (figure: (measurement: Measurement) => number | null | undefined): TrialsSummary | undefined => {
    const values = measurements.flatMap((measurement) => figure(measurement) ?? []);
    return values.length === 0 ? undefined : summarizeTrials(values);
  };
  const [errors, mean, p50, p99] = [
    over(({ requests }) => errorShare(requests)),
    over(({ latency }) => latency?.mean),
    over(({ latency }) => latency?.p50),
    over(({ latency }) => latency?.p99),
  ];
  return {
    throughput: summarizeTrials(measurements.map(({ throughput }) => throughput)),
    ...(errors === undefined ? {} : { errors }),
    ...(mean === undefined ? {} : { mean }),
    ...(p50 === undefined ? {} : { p50 }),
    ...(p99 === undefined ? {} : { p99 }),
  };
}
