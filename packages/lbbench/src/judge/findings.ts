import type { Finding, FindingArgs, FindingCode } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import type { Threshold, ThresholdMetric } from "../model/threshold.js";

/**
 * What a finding says of the true figure beside the one that was measured. `least`: it is that much or more. `most`: that much or less.
 * `chance`: it is off by chance, either way, which the spread of several trials shows. `nothing`: it may be anything.
 */
export type Bound = "least" | "most" | "chance" | "nothing";

/** The figures that are bounded together. */
type Figure = "throughput" | "latency" | "errors";
type Bounds = Readonly<Partial<Record<Figure, Bound>>>;

/** Reads a figure of a finding; 0 where it has none. */
type ReadFigure = (name: string) => number;

/** What there is to know of a code beside its words. */
interface FindingRow {
  readonly bounds?: Bounds | ((finding: Finding) => Bounds);
  /**
   * Whose it is. `overload`: what too much load makes of a target. `failures`: requests failed, `share` of those sent. `moment`: it may
   * happen in one trial and not in the next. `generator`: the load was not what was asked for. `limit`: of this machine, run into as an
   * error and near as a warning. `counting`: figures contradict each other.
   */
  readonly of?: "overload" | "failures" | "moment" | "generator" | "limit" | "counting";
  /** By how many times the throughput may have been larger at the most, where it is a least; not known by default. */
  readonly lost?: (figure: ReadFigure) => number;
  /** How bad it is among those of its code; all are alike by default. */
  readonly badness?: string | ((figure: ReadFigure) => number);
  /** Tells findings of one code apart that have figures or causes of their own. */
  readonly variant?: (args: FindingArgs) => string;
}

const EVERYTHING: Bounds = { throughput: "nothing", latency: "nothing", errors: "nothing" };
const SPEED: Bounds = { throughput: "nothing", latency: "nothing" };
/** Time that was taken away costs throughput and adds to latency. */
const SLOWED: Bounds = { throughput: "least", latency: "most" };
/** Ok responses are counted whatever else fails; their latency is that of those which came through. */
const FAILURES = { of: "failures", bounds: { latency: "nothing" }, badness: "share" } as const;

/** Of the time that a host took, a process that was never idle may have lost twice its share. */
const MOST_STOLEN = 0.9;

/** How doubts of a program's output bound its figure; nothing is known by default. */
const OF_PROGRAMS: ReadonlyMap<unknown, Bound> = new Map([
  ["whole-seconds", "least"],
  ["closed-uncounted", "least"],
  ["made-up-latencies", "most"],
]);

const ofLimit = ({ severity }: Finding): Bounds => (severity === "error" ? EVERYTHING : {});

/** Everything that can be found, a row to a code. */
export const FINDINGS: Readonly<Record<FindingCode, FindingRow>> = {
  ALL_FAILED: { of: "overload", bounds: SPEED, badness: "sent" },
  BODY_MISMATCH: FAILURES,
  BYTES_DIFFER: {},
  CLIFF: {},
  COMPARISON_INCONCLUSIVE: {},
  CONNECTIONS_RESET: FAILURES,
  CONNECTIONS_STARVED: { badness: (figure) => 1 - figure("answered") / figure("asked") },
  CONNECT_ERRORS: FAILURES,
  DEGRADES: {},
  DRIFT: {
    badness: (figure) => Math.abs(figure("change")),
    variant: (args) => (Number(args["change"]) < 0 ? "falls" : "rises"),
  },
  FAST_FAILURES: { badness: "share" },
  FD_LIMIT: {
    of: "limit",
    bounds: ofLimit,
    badness: (figure) => figure("needed") + figure("count") + figure("used"),
  },
  FIGURE_DOUBTFUL: {
    bounds: ({ args }) => ({ [String(args["figure"])]: OF_PROGRAMS.get(args["because"]) ?? "nothing" }),
    variant: (args) => `${args["figure"]} ${args["because"]}`,
  },
  FIGURE_NOT_TOLD: { bounds: { latency: "nothing" } },
  // How much it leaves unasked is not known.
  GENERATOR_SATURATED: {
    of: "generator",
    bounds: SLOWED,
    badness: (figure) => Math.max(figure("cpu"), figure("eventLoopUtilization")),
  },
  HOST_BUSY: {
    of: "moment",
    bounds: SLOWED,
    lost: (figure) => 1 / (1 - Math.min(figure("steal"), MOST_STOLEN)) ** 2,
    badness: "steal",
  },
  IDENTICAL_FIGURES: {},
  IMPORT_DOUBTFUL: {
    bounds: ({ args }) => ({ [String(args["figure"])]: "nothing" }),
    variant: (args) => String(args["figure"]),
  },
  INTERRUPTED: { of: "moment", bounds: EVERYTHING },
  KEEPALIVE_REFUSED: { badness: "established" },
  KNEE: {},
  LEVEL_NOT_REACHED: {
    of: "generator",
    bounds: SPEED,
    badness: (figure) => {
      if (figure("planned") > 0) return figure("unsent") / figure("planned");
      return figure("asked") > 0 ? 1 - figure("opened") / figure("asked") : figure("latenessMs");
    },
    variant: (args) => ["unsent", "latenessMs"].find((name) => Object.hasOwn(args, name)) ?? "opened",
  },
  LIMIT_DOUBTFUL: {},
  LIMIT_FOUND: {},
  LIMIT_NOT_FOUND: {},
  LITTLES_LAW: {
    of: "counting",
    bounds: SPEED,
    badness: (figure) => Math.abs(figure("computed") / figure("asked") - 1),
  },
  MACHINE_SATURATED: { of: "moment", bounds: SLOWED, lost: (figure) => 1 / figure("ofTarget"), badness: "machine" },
  NON_2XX: FAILURES,
  NOTHING_HELD: {},
  NOT_WARM: { badness: "warmupMs" },
  NO_WARMUP: {},
  PORTS_EXHAUSTED: {
    of: "limit",
    bounds: ofLimit,
    badness: (figure) => figure("count") + figure("taken") + figure("needed"),
    variant: (args) => String(args["process"]),
  },
  REQUESTS_DROPPED: FAILURES,
  REQUESTS_FAILED: FAILURES,
  REQUESTS_LOST: {
    of: "counting",
    bounds: EVERYTHING,
    badness: (figure) => Math.abs(figure("sent") - figure("accounted")) + figure("completed") - figure("counted"),
    variant: (args) => (Object.hasOwn(args, "counted") ? "by the balancer" : "by the engine"),
  },
  SCALABILITY: {},
  SHEDS: {},
  SINGLE_TRIAL: {},
  STALLS: { badness: (figure) => figure("worstMs") + figure("usual") - figure("least") },
  START_REPEATED: {},
  STEP_FAILED: { bounds: EVERYTHING, variant: (args) => String(args["code"]) },
  STOPPED_EARLY: {},
  TARGET_DIED: { of: "overload", bounds: EVERYTHING },
  THRESHOLD_FAILED: {},
  THRESHOLD_INCONCLUSIVE: {},
  TIMEOUTS: FAILURES,
  TLS_NOT_VERIFIED: {},
  TOO_SHORT: { bounds: { throughput: "chance", latency: "chance" }, badness: (figure) => -figure("elapsedMs") },
  TRIALS_DISAGREE: { badness: "deviation" },
  WITHIN_NOISE: {},
  WORSE_THAN_REFERENCE: {},
};

/** The row of a finding; empty for a code of a later version. */
export function rowOf({ code }: Pick<Finding, "code">): FindingRow {
  return Object.hasOwn(FINDINGS, code) ? FINDINGS[code] : {};
}

/** Returns a reader of the numbers of a finding. */
export function numbersOf({ args }: Finding): ReadFigure {
  return (name) => (typeof args[name] === "number" ? args[name] : 0);
}

type Judged = Pick<StepResult, "findings">;

/** A finding that bounds a figure. */
export interface FigureDoubt {
  readonly code: FindingCode;
  readonly bound: Bound;
  /** With `least` and `most`: by how many times at the most a target may have been faster than it was measured. */
  readonly lost: number;
}

/** Share of the requests that may fail and leave throughput and percentiles as they are. */
const NEGLIGIBLE_FAILURES = 0.001;

/** What so few failures move: the mean by a few that timed out; `p999` and `max` are of as few. */
const UNSTEADY: ReadonlySet<ThresholdMetric> = new Set<ThresholdMetric>(["min", "mean", "p999", "max"]);

/** Returns what makes a metric of a step doubtful. */
export function doubtsAbout(metric: ThresholdMetric, { findings }: Judged): readonly FigureDoubt[] {
  const failed = findings
    .filter((finding) => rowOf(finding).of === "failures")
    // Infinite where the share is not told, as in a file of another version.
    .reduce((sum, { args }) => sum + (typeof args["share"] === "number" ? args["share"] : Infinity), 0);
  const isSteady = failed <= NEGLIGIBLE_FAILURES && !UNSTEADY.has(metric);
  const figure = metric === "throughput" || metric === "errors" ? metric : "latency";
  return findings.flatMap((finding): readonly FigureDoubt[] => {
    const { bounds = {}, of, lost } = rowOf(finding);
    const bound = (typeof bounds === "function" ? bounds(finding) : bounds)[figure];
    if (bound === undefined || (of === "failures" && isSteady)) return [];
    const most = figure === "throughput" ? lost?.(numbersOf(finding)) : undefined;
    return [{ code: finding.code, bound, lost: most ?? Infinity }];
  });
}

/** Whether a doubt is one about failed requests, of which a threshold about `errors` says how many may be. */
export function isOfFailures({ code }: Pick<FigureDoubt, "code">): boolean {
  return rowOf({ code }).of === "failures";
}

/** Whether the answer of a threshold stands although there is a doubt: what is not known can only make it clearer. */
export function standsDespite({ bound }: FigureDoubt, { operator }: Threshold, isMet: boolean): boolean {
  return bound === (isMet === operator.startsWith("<") ? "most" : "least");
}

/** Whether the requests of a step tell nothing of its target: they are counted wrongly, or this machine ran out of ports or descriptors. */
export function isMistaken({ findings }: Judged): boolean {
  return findings.some((finding) => {
    const { of } = rowOf(finding);
    return of === "counting" || (of === "limit" && finding.severity === "error");
  });
}

/** Whether the load generator was at its limit, late, or had fewer connections than were asked for. */
export function isOfTheGenerator(finding: Finding): boolean {
  return rowOf(finding).of === "generator";
}
