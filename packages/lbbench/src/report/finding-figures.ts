import type { FindingArgs } from "../model/finding.js";
import { countOf } from "../stats/count-of.js";
import { loadWords } from "./describe-level.js";
import { formatCount, formatDuration, formatPercent, formatRate, formatTime, formatCounts } from "./format-number.js";

/** Reads the args of a finding as words for a sentence; what is missing, as in a file of another version, reads `?`. */
export interface Figures {
  readonly has: (name: string) => boolean;
  /** Itself, to decide by; `NaN` when it is missing or no number. */
  readonly number: (name: string) => number;
  /** As it came. */
  readonly text: (name: string) => string;
  /** `10,000` */
  readonly count: (name: string) => string;
  /** `500, 1,000`, of levels or numbers of requests in a text */
  readonly counts: (name: string) => string;
  /** `23.9 %`, of a ratio */
  readonly percent: (name: string) => string;
  /** `23.9`, of the size of a change, whatever its sign: percent of a ratio, or points of a share */
  readonly size: (name: string) => string;
  /** `850 ms`, `3.5 s`, of milliseconds */
  readonly duration: (name: string) => string;
  /** `0.412 ms`, of milliseconds, to three digits */
  readonly time: (name: string) => string;
  /** `1,234`, per second */
  readonly rate: (name: string) => string;
  /** A value of the metric that another arg names: `52.1 ms`, `1.2 %`, `832 ok responses/s`. */
  readonly metric: (name: string, metricName: string) => string;
}

/** Returns a reader of these args. */
export function readFigures(args: FindingArgs): Figures {
  const value = (name: string): string | number | undefined => (Object.hasOwn(args, name) ? args[name] : undefined);
  const format = (name: string, asText: (figure: number) => string): string => {
    const figure = value(name);
    return typeof figure === "number" && Number.isFinite(figure) ? asText(figure) : "?";
  };
  const percent = (name: string): string => format(name, (ratio) => `${formatPercent(ratio)} %`);
  const rate = (name: string): string => format(name, formatRate);
  const time = (name: string): string => format(name, (ms) => `${formatTime(ms)} ms`);
  return {
    has: (name) => value(name) !== undefined,
    number: (name) => Number(value(name) ?? Number.NaN),
    text: (name) => String(value(name) ?? "?"),
    count: (name) => format(name, formatCount),
    counts: (name) => formatCounts(String(value(name) ?? "?")),
    percent,
    size: (name) => format(name, (ratio) => formatPercent(Math.abs(ratio))),
    duration: (name) => format(name, formatDuration),
    time,
    rate,
    metric: (name, metricName) => {
      switch (value(metricName)) {
        case "errors":
          return percent(name);
        case "throughput":
          return `${rate(name)} ok responses/s`;
        default:
          return time(name);
      }
    },
  };
}

/** The words for one code. */
export interface FindingProse {
  readonly title: string;
  /** What was seen, without a capital and without a full stop. */
  readonly sentence: (figures: Figures) => string;
  readonly cause: string;
  /** What to do next; where that depends on what was seen, by its figures. */
  readonly remedy: string | ((figures: Figures) => string);
}

/** What the levels of a finding about all of them are values of; `levels` are those it follows, for the singular. */
export function unitOf(of: Figures, levels = ""): string {
  const kind = (["connections", "rate", "users"] as const).find((one) => one === of.text("kind")) ?? "connections";
  const { one, many } = loadWords([{ [kind]: 0 }]);
  return levels === "1" ? one : many;
}

/** Names a figure of a finding with what it counts: `1 request`, `2,391 requests`; with a verb, `1 request was`, `3 requests were`. */
export function countThings(of: Figures, name: string, one: string, isPast = false): string {
  const [single, several] = isPast ? [`${one} was`, `${one}s were`] : [one, `${one}s`];
  const count = of.number(name);
  return Number.isFinite(count) ? countOf(count, single, several) : `? ${several}`;
}
