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
]);

/** Returns the code of the first finding of a step that makes a metric doubtful, or `undefined` when it stands. */
export function doubtAbout(
  metric: ThresholdMetric,
  { findings }: Pick<StepResult, "findings">,
): FindingCode | undefined {
  return findings.find((finding) => makesDoubtful(finding, kindOf(metric)))?.code;
}

function makesDoubtful({ code, severity }: Finding, kind: MetricKind): boolean {
  // A limit that was run into leaves failures that are not the target's; one that is merely near leaves nothing.
  if (code === "FD_LIMIT" || code === "PORTS_EXHAUSTED") {
    return severity === "error";
  }
  return DOUBTFUL.get(code)?.includes(kind) ?? false;
}

function kindOf(metric: ThresholdMetric): MetricKind {
  return metric === "throughput" || metric === "errors" ? metric : "latency";
}
