import { PERCENTILES } from "../stats/latency-keys.js";
import type { Finding, FindingCode } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import type { ThresholdMetric } from "../model/threshold.js";

/** Groups of metrics that become doubtful together. */
type MetricKind = "throughput" | "latency" | "errors";

const SPEED: readonly MetricKind[] = ["throughput", "latency"];
const EVERYTHING: readonly MetricKind[] = ["throughput", "latency", "errors"];

/**
 * What a finding in a step makes doubtful. Warnings never touch `errors`, because a failure was counted whatever the
 * speed; it goes when the counting itself is wrong, or the failures are the generator's own.
 */
const DOUBTFUL: ReadonlyMap<FindingCode, readonly MetricKind[]> = new Map([
  ["TARGET_DIED", EVERYTHING],
  ["STEP_FAILED", EVERYTHING],
  ["INTERRUPTED", EVERYTHING],
  ["REQUESTS_LOST", EVERYTHING],
  ["ALL_FAILED", SPEED],
  ["LITTLES_LAW", SPEED],
  ["LEVEL_NOT_REACHED", SPEED],
  ["TOO_SHORT", SPEED],
  ["GENERATOR_SATURATED", SPEED],
  ["MACHINE_SATURATED", SPEED],
  ["HOST_BUSY", SPEED],
  ["NON_2XX", SPEED],
  ["BODY_MISMATCH", SPEED],
  ["CONNECT_ERRORS", SPEED],
  ["CONNECTIONS_RESET", SPEED],
  ["REQUESTS_DROPPED", SPEED],
  ["TIMEOUTS", SPEED],
  ["REQUESTS_FAILED", SPEED],
  ["FIGURE_NOT_TOLD", ["latency"]],
]);

/** What says that requests failed, {share}: of those that were sent. */
const FAILURES: ReadonlySet<FindingCode> = new Set([
  "NON_2XX",
  "BODY_MISMATCH",
  "CONNECT_ERRORS",
  "CONNECTIONS_RESET",
  "REQUESTS_DROPPED",
  "TIMEOUTS",
  "REQUESTS_FAILED",
]);

/** Share of the requests that may fail and leave the figures below as they are. */
const NEGLIGIBLE_FAILURES = 0.001;

/** What so few failures cannot move by much: the mean is moved by a few that timed out, `p999` and `max` are of as few. */
const STEADY: ReadonlySet<ThresholdMetric> = new Set<ThresholdMetric>([
  "throughput",
  ...PERCENTILES.flatMap(([key]) => (key === "p999" ? [] : [key])),
]);

/** Returns the code of the first finding of a step that makes a metric doubtful, or `undefined` when it stands. */
export function doubtAbout(metric: ThresholdMetric, step: Pick<StepResult, "findings">): FindingCode | undefined {
  return doubtsAbout(metric, step)[0]?.code;
}

/** Returns all findings of a step that make a metric doubtful. */
export function doubtsAbout(metric: ThresholdMetric, { findings }: Pick<StepResult, "findings">): readonly Finding[] {
  const leftAlone = STEADY.has(metric) && failedShare(findings) <= NEGLIGIBLE_FAILURES;
  return findings.filter(
    (finding) => makesDoubtful(finding, kindOf(metric)) && !(leftAlone && FAILURES.has(finding.code)),
  );
}

/** What may happen to one trial and not to the next, and is no doing of the target's. */
const OF_THE_TRIAL: ReadonlySet<FindingCode> = new Set(["HOST_BUSY", "MACHINE_SATURATED", "INTERRUPTED"]);

/** Whether a step can be left out among others that stand: nothing makes its metric doubtful that the target may be the reason for. */
export function canBeLeftOut(metric: ThresholdMetric, step: Pick<StepResult, "findings">): boolean {
  return doubtsAbout(metric, step).every(({ code }) => OF_THE_TRIAL.has(code));
}

/**
 * By how many times at the most a target may have had more throughput than was measured, for the doubts that go one way. Of the time
 * that a host took, a process that was never idle may have lost twice its share; a generator on the same machine takes at most half
 * of a full one; and how much a saturated generator leaves unasked is not known.
 */
const LOST: ReadonlyMap<FindingCode, (figure: (name: string) => number) => number> = new Map<
  FindingCode,
  (figure: (name: string) => number) => number
>([
  ["HOST_BUSY", (figure) => 1 / (1 - Math.min(figure("steal"), MOST_STOLEN)) ** 2],
  ["MACHINE_SATURATED", () => 2],
  ["GENERATOR_SATURATED", () => Infinity],
]);

const MOST_STOLEN = 0.9;

/**
 * Whether a doubt can only have made a figure worse than it is: time that was taken away costs throughput and adds to latency. A
 * threshold that is met all the same is met.
 */
export function onlyWorsens(metric: ThresholdMetric, step: Pick<StepResult, "findings">): boolean {
  return doubtsAbout(metric, step).every(({ code }) => code === "HOST_BUSY" || code === "MACHINE_SATURATED");
}

/**
 * Returns by how many times at the most the throughput of a step may be above what was measured: 1 without a doubt; `undefined` where
 * a doubt does not go one way.
 */
export function mostLost(step: Pick<StepResult, "findings">): number | undefined {
  const factors = doubtsAbout("throughput", step).map(({ code, args }) =>
    LOST.get(code)?.((name) => Number(args[name] ?? Number.NaN)),
  );
  return factors.reduce<number | undefined>(
    (most, factor) =>
      most === undefined || factor === undefined || Number.isNaN(factor) ? undefined : Math.max(most, factor),
    1,
  );
}

/** Of all ways to fail together; infinite where one does not tell its share, as in a file of another version. */
function failedShare(findings: readonly Finding[]): number {
  return findings
    .filter(({ code }) => FAILURES.has(code))
    .reduce((sum, { args }) => sum + (typeof args["share"] === "number" ? args["share"] : Infinity), 0);
}

function makesDoubtful({ code, severity, args }: Finding, kind: MetricKind): boolean {
  if (code === "FIGURE_DOUBTFUL") return args["figure"] === kind;
  // A limit that was run into leaves failures that are not the target's; one that is merely near leaves nothing.
  if (code === "FD_LIMIT" || code === "PORTS_EXHAUSTED") {
    return severity === "error";
  }
  return DOUBTFUL.get(code)?.includes(kind) ?? false;
}

function kindOf(metric: ThresholdMetric): MetricKind {
  return metric === "throughput" || metric === "errors" ? metric : "latency";
}
