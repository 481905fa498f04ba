/** What is kept of a run to be compared with later commits: bencher.dev and benchmark-action/github-action-benchmark. */
import { errorShare } from "../judge/metrics.js";
import { softenOverload } from "../judge/judge-search.js";
import type { Measurement } from "../model/measurement.js";
import type { Result, StepResult } from "../model/result.js";
import type { Reporter } from "../plugin.js";
import { summarizeTrials, type TrialsSummary } from "../stats/trials.js";
import { collectCells } from "./cells.js";
import { describeAmount, describeLoad, distinctAmounts } from "./describe-level.js";
import { formatTime } from "../stats/format-number.js";
import { freeName, plainLine } from "./plain-line.js";

/** A figure that is kept: how each of the two calls it, and by what it is multiplied to be in the unit there. */
interface KeptFigure {
  readonly of: (measurement: Measurement) => number | null | undefined;
  readonly bencher: { readonly measure: string; readonly factor: number };
  readonly github?: {
    readonly name: string;
    readonly unit: string;
    readonly factor: number;
    readonly better: "bigger" | "smaller";
  };
}

const NANOSECONDS_PER_MS = 1_000_000;

const KEPT_FIGURES: readonly KeptFigure[] = [
  {
    of: ({ throughput }) => throughput,
    bencher: { measure: "throughput", factor: 1 },
    github: { name: "throughput", unit: "requests/s", factor: 1, better: "bigger" },
  },
  {
    of: ({ latency }) => latency?.p50,
    bencher: { measure: "latency", factor: NANOSECONDS_PER_MS },
    github: { name: "p50 latency", unit: "ms", factor: 1, better: "smaller" },
  },
  { of: ({ latency }) => latency?.mean, bencher: { measure: "latency-mean", factor: NANOSECONDS_PER_MS } },
  {
    of: ({ latency }) => latency?.p99,
    bencher: { measure: "latency-p99", factor: NANOSECONDS_PER_MS },
    github: { name: "p99 latency", unit: "ms", factor: 1, better: "smaller" },
  },
  {
    of: ({ requests }) => errorShare(requests),
    bencher: { measure: "failed-share", factor: 1 },
    github: { name: "failed requests", unit: "%", factor: 100, better: "smaller" },
  },
];

/** Characters kept of the name of a target: where these figures go, a whole name may have 1024 bytes, and a character up to four. */
const TARGET_LENGTH = 200;

interface Benchmark {
  /** `single at 50 connections`, with the amount of load where levels differ in it; different for each. */
  readonly name: string;
  /** Those of its figures that are told. */
  readonly figures: readonly (readonly [figure: KeptFigure, trials: TrialsSummary])[];
}

/**
 * Returns the figures of each target at each level over its completed trials. What was cut short or failed is left out, and what an
 * error says to be false: kept among good figures, it would look like a change.
 */
function collectBenchmarks(result: Result): readonly Benchmark[] {
  const steps = result.steps.filter((step) => !isFalse(result, step));
  // By all of them, so that a name does not change with what is left out.
  const severalAmounts = distinctAmounts(result.steps.map(({ level }) => level)).length > 1;
  const taken = new Set<string>();
  return collectCells({ ...result, steps }).flatMap(({ target, level, cutShort, measurements }) => {
    if (cutShort || measurements.length === 0) return [];
    const amount = severalAmounts ? `, ${describeAmount(level)}` : "";
    const short = Array.from(target).slice(0, TARGET_LENGTH).join("");
    // Names of targets may differ in nothing that is left of them in one short line.
    const name = freeName(plainLine(`${short} at ${describeLoad(level)}${amount}`), taken);
    const figures = KEPT_FIGURES.flatMap((figure) => {
      const values = measurements.flatMap((measurement) => figure.of(measurement) ?? []);
      return values.length === 0 ? [] : [[figure, summarizeTrials(values)] as const];
    });
    return [{ name, figures }];
  });
}

/** What breaks a target is what a search looks for, and no error in it. */
function isFalse({ scenario }: Result, { findings }: StepResult): boolean {
  const noticed = scenario.search === null ? findings : findings.map(softenOverload);
  return noticed.some(({ severity }) => severity === "error");
}

function scale(value: number, factor: number): number {
  return Number((value * factor).toPrecision(12));
}

/**
 * Writes `bencher.json` in Bencher Metric Format, for `bencher run --adapter json`: measures of each target at each level. `throughput`
 * (operations per second) and `latency` (nanoseconds) are those that Bencher has itself; `latency` is the median (p50). Beside them
 * `latency-mean` and `latency-p99`, in nanoseconds too, and `failed-share`, 0 to 1.
 */
export const bencherReporter: Reporter = {
  format: "bencher",
  render: (result) => {
    const benchmarks = collectBenchmarks(result).map(({ name, figures }) => {
      const measures = figures.map(([{ bencher }, { median, low, high, n }]) => {
        const [value, lower, upper] = [median, low, high].map((one) => scale(one, bencher.factor));
        return [bencher.measure, n < 2 ? { value } : { value, lower_value: lower, upper_value: upper }] as const;
      });
      return [name, Object.fromEntries(measures)] as const;
    });
    return [{ name: "bencher.json", content: `${JSON.stringify(Object.fromEntries(benchmarks), null, 2)}\n` }];
  },
};

/**
 * Writes what benchmark-action/github-action-benchmark keeps of each commit. It takes files in which more is better, and others in
 * which less is, so there are two: `github-action-benchmark-bigger.json` for the tool `customBiggerIsBetter`, with throughput, and
 * `github-action-benchmark-smaller.json` for `customSmallerIsBetter`, with p50, p99 and the share of failed requests.
 */
export const githubBenchmarkReporter: Reporter = {
  format: "github-action-benchmark",
  render: (result) => {
    const benchmarks = collectBenchmarks(result);
    return (["bigger", "smaller"] as const).map((direction) => {
      const entries = benchmarks.flatMap((benchmark) =>
        benchmark.figures.flatMap(([{ github }, trials]) =>
          github?.better === direction
            ? [
                {
                  name: `${benchmark.name}: ${github.name}`,
                  unit: github.unit,
                  ...entryOf(result, trials, github.factor),
                },
              ]
            : [],
        ),
      );
      return {
        name: `github-action-benchmark-${direction}.json`,
        content: `${JSON.stringify(entries, null, 2)}\n`,
      };
    });
  },
};

/** `range` is shown beside the value, `extra` beneath it. */
function entryOf(
  { tool, environment, verdict }: Result,
  { median, low, high, n, interval }: TrialsSummary,
  factor: number,
): { readonly value: number; readonly range?: string; readonly extra: string } {
  const [from, to] = [low, high].map((value) => formatTime(scale(value, factor)));
  const spread = interval === "range" ? "smallest to largest" : "95 % confidence";
  const extra = [
    n < 2 ? "1 trial" : `median of ${n} trials (${spread})`,
    `verdict of the run: ${verdict.status}`,
    plainLine([`${tool.name} ${tool.version}`, environment?.node, environment?.cpuModel].filter(Boolean).join(", ")),
  ];
  return { value: scale(median, factor), ...(n < 2 ? {} : { range: `${from} to ${to}` }), extra: extra.join("\n") };
}
