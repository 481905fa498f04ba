import type { Result } from "../model/result.js";
import type { Reporter, ReportFile } from "../plugin.js";
import type { TrialsSummary } from "../stats/trials.js";
import { benchmarkFigures } from "./benchmark-figures.js";
import { formatTime } from "./format-number.js";
import { plainLine } from "./plain-line.js";

/** An entry as github-action-benchmark reads it. */
interface Entry {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  /** Shown beside the value. */
  readonly range?: string;
  /** Shown beneath it. */
  readonly extra: string;
}

/**
 * Writes what benchmark-action/github-action-benchmark keeps of each commit. It takes files in which more is better, and others in
 * which less is, so there are two: `github-action-benchmark-bigger.json` for the tool `customBiggerIsBetter`, with throughput, and
 * `github-action-benchmark-smaller.json` for `customSmallerIsBetter`, with p50, p99 and the share of failed requests.
 */
export const githubBenchmarkReporter: Reporter = {
  format: "github-action-benchmark",
  render: (result) => {
    const figures = benchmarkFigures(result);
    const bigger = figures.map((one) => toEntry(result, `${one.name}: throughput`, "requests/s", one.throughput));
    const smaller = figures.flatMap(({ name, p50, p99, errors }) => [
      ...(p50 === undefined ? [] : [toEntry(result, `${name}: p50 latency`, "ms", p50)]),
      ...(p99 === undefined ? [] : [toEntry(result, `${name}: p99 latency`, "ms", p99)]),
      ...(errors === undefined ? [] : [toEntry(result, `${name}: failed requests`, "%", inPercent(errors))]),
    ]);
    return [toFile("bigger", bigger), toFile("smaller", smaller)];
  },
};

function toFile(direction: "bigger" | "smaller", entries: readonly Entry[]): ReportFile {
  return { name: `github-action-benchmark-${direction}.json`, content: `${JSON.stringify(entries, null, 2)}\n` };
}

function toEntry({ tool, environment, verdict }: Result, name: string, unit: string, trials: TrialsSummary): Entry {
  const { median, low, high, n, interval } = trials;
  const range = n < 2 ? {} : { range: `${formatTime(low)} to ${formatTime(high)}` };
  const spread = interval === "range" ? "smallest to largest" : "95 % confidence";
  const extra = [
    n < 2 ? "1 trial" : `median of ${n} trials (${spread})`,
    `verdict of the run: ${verdict.status}`,
    plainLine([`${tool.name} ${tool.version}`, environment?.node, environment?.cpuModel].filter(Boolean).join(", ")),
  ];
  return { name, unit, value: median, ...range, extra: extra.join("\n") };
}

function inPercent({ median, low, high, ...rest }: TrialsSummary): TrialsSummary {
  const percent = (share: number): number => Number((share * 100).toPrecision(12));
  return { ...rest, median: percent(median), low: percent(low), high: percent(high) };
}
