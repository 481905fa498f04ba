import type { FindingCode, Severity } from "../model/finding.js";
import type { Seen } from "./found.js";
import type { LoadKind } from "../model/level.js";
import { formatLookedFor } from "../stats/faults.js";
import {
  formatBytes,
  formatCount,
  formatCounts,
  formatDuration,
  formatPercent,
  formatRate,
  formatTime,
  countOf,
} from "../stats/format-number.js";
import { isLoadKind, LOAD_WORDS } from "../stats/load.js";

/** What a finding says of the true figure beside the one that was measured. `least`: it is that much or more. `most`: that much or less. */
export type Bound =
  | "least"
  | "most"
  /** Off by chance, either way, which the spread of several trials shows. */
  | "chance"
  /** It may be anything. */
  | "nothing";

/** Of the figures that are bounded together. */
export type Bounds = Readonly<Partial<Record<"throughput" | "latency" | "errors", Bound>>>;

/** All about a code. Texts are plain sentences that end with a full stop, except title and sentence. */
export interface FindingRow<Code extends FindingCode = FindingCode> {
  /** A few words. */
  readonly title: string;
  readonly severity: Severity | "error or warning" | "warning or info";
  /** Whether it is what a run shows of a target, and not something that was noticed on the way. */
  readonly isConclusion?: true;
  /** Whether the sentence names its levels, so that they do not stand before it. */
  readonly tellsPlace?: true;
  /** When it is told: for docs/findings.md, as Markdown. */
  readonly rule: string;
  /** What was seen, without a capital and without a full stop. What is missing reads `?`. */
  readonly sentence: (seen: Seen<Code>) => string;
  readonly cause: string;
  /** What to do next; without figures the general advice. */
  readonly remedy: string | ((seen: Seen<Code>, severity?: Severity) => string);
  /** What to do next where the load was another program's; without it, as `remedy` says. */
  readonly imported?: string;
  /** Default: it leaves every figure as it is. */
  readonly bounds?: Bounds | ((seen: Seen<Code>, severity: Severity) => Bounds);
  /**
   * Whose it is. `overload`: what too much load makes of a target. `failures`: requests failed, `share` of those that came to an end. `moment`: it may
   * happen in one trial and not in the next. `generator`: the load was not what was asked for. `limit`: of this machine, run into as an
   * error and near as a warning. `counting`: figures contradict each other.
   */
  readonly of?: "overload" | "failures" | "moment" | "generator" | "limit" | "counting";
  /** By how many times the throughput may have been larger at the most, where it is a least; not known by default. */
  readonly lost?: (seen: Seen<Code>) => number;
  /** How bad it is among those of its code; all are alike by default. */
  readonly badness?: (seen: Seen<Code>) => number;
  /** Tells findings of one code apart that have figures or causes of their own. */
  readonly variant?: (seen: Seen<Code>) => string | undefined;
}

const known =
  (format: (value: number) => string) =>
  (value: number | undefined): string =>
    typeof value === "number" && Number.isFinite(value) ? format(value) : "?";

/** `20.1 kB`, `480 MB` */
export const bytes = known(formatBytes);
/** `10,000` */
export const count = known(formatCount);
/** `23.9 %`, of a ratio */
export const percent = known((ratio) => `${formatPercent(ratio)} %`);
/** `23.9`, of the size of a change: percent of a ratio, or points of a share */
export const size = known((ratio) => formatPercent(Math.abs(ratio)));
/** `850 ms`, `3.5 s` */
export const duration = known(formatDuration);
/** `in 2.9 s` */
export const lookedFor = known(formatLookedFor);
/** `0.412 ms` */
export const time = known((ms) => `${formatTime(ms)} ms`);
/** `1,234`, per second */
export const rate = known(formatRate);

/** Those parts of a sentence that there are, with a separator between them. */
export function joined(separator: string, ...parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false).join(separator);
}

/** `1 request`, `2,391 requests` */
export function things(value: number | undefined, one: string): string {
  return typeof value === "number" && Number.isFinite(value) ? countOf(value, one) : `? ${one}s`;
}

/** `50 connections`, `1 user`, of a kind of load; 0 of imported output that does not tell its connections */
export function loads(value: number | undefined, kind: string | undefined): string {
  return `${value === 0 ? UNTOLD : count(value)} ${unitOf(kind, value)}`;
}

const UNTOLD = "an unknown number of";

/** `500, 1,000 connections`, of levels in a text; with the numbers of requests of a matrix. */
export function loadList(levels: string | undefined, kind: string | undefined, requests?: string): string {
  const amounts = requests === undefined ? "" : ` with ${requestList(requests)}`;
  const load = levels === "0" ? UNTOLD : formatCounts(levels ?? "?");
  return `${load} ${unitOf(kind, Number(levels))}${amounts}`;
}

/** `100 / 1,000 requests` */
export function requestList(counts: string): string {
  return `${formatCounts(counts, " / ")} ${counts === "1" ? "request" : "requests"}`;
}

/** `"kill backend-2 at 3s"`, or of several in one text `"kill backend-2 at 3s" and "pause backend-3 at 7s"` */
export function quoteFaults(faults = "?"): string {
  return `"${faults.replace(/, (?!.*, )/, '" and "').replaceAll(", ", '", "')}"`;
}

/** What the levels of a finding are values of. */
export function unitOf(kind: string | undefined, value?: number): string {
  const { one, many } = LOAD_WORDS[isLoadKind(kind) ? kind : ("connections" satisfies LoadKind)];
  return value === 1 ? one : many;
}

/** A value of a metric: `52.1 ms`, `1.2 %`, `832 requests/s`. */
export function metricText(value: number | undefined, metric: string | undefined): string {
  if (metric === "errors" || metric === "within") return percent(value);
  if (metric === "lost") return things(value, "request");
  // What has not recovered has no time.
  if (metric === "recovery") return value === undefined ? "no recovery was seen" : duration(value);
  return metric === "throughput" ? `${rate(value)} requests/s` : time(value);
}

/**
 * Says why a load did not hold, from what a search keeps of it: `requests piled up`, `requests failed`, `p99<50ms was
 * missed`, or several of these.
 */
export function describeMiss(because: string): string {
  return because.split(" and ").map(describeOneMiss).join(" and ");
}

function describeOneMiss(because: string): string {
  if (because === "CONNECTIONS_STARVED") return "connections were left waiting";
  if (because === "TOO_SHORT") return "its steps were too short";
  if (because === "backlog") return "requests piled up";
  if (because === "TARGET_DIED") return "the target died";
  // Of another finding, which tells by itself why it cannot be said.
  if (/^[A-Z0-9_?]+$/.test(because)) return because;
  if (/^errors\s*<=?\s*0\s*%?$/.test(because)) return "requests failed";
  return because.startsWith("errors") ? `more requests failed than ${because} allows` : `${because} was missed`;
}
