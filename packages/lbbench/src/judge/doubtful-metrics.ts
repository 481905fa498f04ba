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
export function doubtAbout(
  metric: ThresholdMetric,
  { findings }: Pick<StepResult, "findings">,
): FindingCode | undefined {
  const leftAlone = STEADY.has(metric) && failedShare(findings) <= NEGLIGIBLE_FAILURES;
  return findings.find(
    (finding) => makesDoubtful(finding, kindOf(metric)) && !(leftAlone && FAILURES.has(finding.code)),
  )?.code;
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
