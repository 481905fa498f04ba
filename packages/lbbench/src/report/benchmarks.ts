/** What is kept of a run to be compared with later commits: bencher.dev and benchmark-action/github-action-benchmark. */
import { softenOverload } from "../judge/judge-search.js";
import { errorShare } from "../judge/metrics.js";
import type { Measurement } from "../model/measurement.js";
import type { Result } from "../model/result.js";
import type { ReportFile } from "../plugin.js";
import { formatTime } from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { summarizeTrials } from "../stats/trials.js";
import { collectCells } from "./cells.js";
import { describeLoad, describeAmount, distinctAmounts } from "./describe-level.js";
import { freeName, plainLine } from "./plain-line.js";
import { defined } from "../stats/defined.js";

/** A figure that is kept: how each of the two calls it, and by what it is multiplied to be in the unit there. */
type KeptFigure = readonly [
  of: (measurement: Measurement) => number | null | undefined,
  bencher: readonly [measure: string, factor: number],
  github?: readonly [name: string, unit: string, factor: number, better: "bigger" | "smaller"],
];

const NANOSECONDS = 1_000_000;

const KEPT_FIGURES: readonly KeptFigure[] = [
  [({ throughput }) => throughput, ["throughput", 1], ["throughput", "requests/s", 1, "bigger"]],
  [({ latency }) => latency?.p50, ["latency", NANOSECONDS], ["p50 latency", "ms", 1, "smaller"]],
  [({ latency }) => latency?.mean, ["latency-mean", NANOSECONDS]],
  [({ latency }) => latency?.p99, ["latency-p99", NANOSECONDS], ["p99 latency", "ms", 1, "smaller"]],
  [({ requests }) => errorShare(requests), ["failed-share", 1], ["failed requests", "%", 100, "smaller"]],
];

/** Characters kept of the name of a target: where these figures go, a whole name may have 1024 bytes, and a character up to four. */
const TARGET_LENGTH = 200;

/**
 * The figures of each target at each level over its completed trials, without what an error says to be false: kept among good figures, it
 * would look like a change. What breaks a target is what a search looks for, and no error in it. Each has a name that is different for each
 * target and level: `single at 50 connections`, with the amount of load where levels differ in it.
 */
function collectBenchmarks(result: Result) {
  const isSearch = result.scenario.search !== null;
  const steps = result.steps.filter(({ findings }) =>
    (isSearch ? findings.map(softenOverload) : findings).every(({ severity }) => severity !== "error"),
  );
  // By all of them, so that a name stays when another one is left out.
  const severalAmounts = distinctAmounts(result.steps.map(({ level }) => level)).length > 1;
  const taken = new Set<string>();
  return collectCells({ ...result, steps }).flatMap(({ target, level, cutShort, measurements }) => {
    if (cutShort || measurements.length === 0) return [];
    const amount = severalAmounts ? `, ${describeAmount(level)}` : "";
    const short = Array.from(target).slice(0, TARGET_LENGTH).join("");
    // Names of targets may differ in nothing that is left of them in one short line.
    const name = freeName(plainLine(`${short} at ${describeLoad(level)}${amount}`), taken);
    return KEPT_FIGURES.flatMap((figure) => {
      const [of] = figure;
      const values = measurements.flatMap((measurement) => of(measurement) ?? []);
      return values.length === 0 ? [] : [{ name, figure, trials: summarizeTrials(values) }];
    });
  });
}

function scale(value: number, factor: number): number {
  return Number((value * factor).toPrecision(12));
}

const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * Returns `bencher.json` for `bencher run --adapter json`. `throughput` and `latency` (p50, in nanoseconds) are Bencher's own measures;
 * beside them `latency-mean` and `latency-p99`, in nanoseconds too, and `failed-share`, 0 to 1.
 */
export function renderBencher(result: Result): readonly ReportFile[] {
  const benchmarks = [...groupBy(collectBenchmarks(result), ({ name }) => name)].map(([name, figures]) => {
    const measures = figures.map(({ figure: [, [measure, factor]], trials: { median, low, high, n } }) => {
      const [value, lower, upper] = [median, low, high].map((one) => scale(one, factor));
      return [measure, n < 2 ? { value } : { value, lower_value: lower, upper_value: upper }] as const;
    });
    return [name, Object.fromEntries(measures)] as const;
  });
  return [{ name: "bencher.json", content: toJson(Object.fromEntries(benchmarks)) }];
}

/**
 * Returns what benchmark-action/github-action-benchmark keeps of each commit, in two files: `github-action-benchmark-bigger.json` for the
 * tool `customBiggerIsBetter`, `github-action-benchmark-smaller.json` for `customSmallerIsBetter`.
 */
export function renderGithub(result: Result): readonly ReportFile[] {
  const { tool, environment, verdict } = result;
  const by = [`${tool.name} ${tool.version}`, environment?.node, environment?.cpuModel].filter(Boolean).join(", ");
  const benchmarks = collectBenchmarks(result);
  return (["bigger", "smaller"] as const).map((direction) => {
    const entries = benchmarks.flatMap(({ name, figure: [, , github], trials: { median, low, high, n, interval } }) => {
      const [label, unit, factor = 1, better] = github ?? [];
      if (better !== direction) return [];
      const spread = interval === "range" ? "smallest to largest" : "95 % confidence";
      const trials = n < 2 ? "1 trial" : `median of ${n} trials (${spread})`;
      const [from, to] = [low, high].map((value) => formatTime(scale(value, factor)));
      const entry = {
        name: `${name}: ${label}`,
        unit,
        value: scale(median, factor),
        ...defined({ range: n < 2 ? undefined : `${from} to ${to}` }),
        extra: [trials, `verdict of the run: ${verdict.status}`, plainLine(by)].join("\n"),
      };
      return [entry];
    });
    return { name: `github-action-benchmark-${direction}.json`, content: toJson(entries) };
  });
}
