import type { FindingCode } from "../model/finding.js";
import type { FailureClass, Measurement } from "../model/measurement.js";
import type { ToldScenario } from "../model/scenario.js";
import { sumOf } from "../stats/descriptive.js";
import { expectedStatus, finishedRequests } from "../stats/request-counts.js";
import { rampUsers } from "../stats/ramp-seconds.js";
import { shareFailedBefore } from "./fault-response.js";
import { found, type StepRule, type Told } from "./found.js";

/** The error codes of a failed step that are findings of their own. */
const FAILURES = ["TARGET_DIED", "WORKER_LOST", "WORKERS_DIFFER"] as const;

/** What a step failed of: one of {@link FAILURES}, `TARGET_DIED` in a ramp with when that was, or `STEP_FAILED`; or that it was `INTERRUPTED`. */
export const findFailure: StepRule = ({ state, error, level, measurement }, { ramp }) => {
  const failure = FAILURES.find((code) => code === error?.code);
  if (error !== undefined && failure !== undefined) {
    const { message } = error;
    const { elapsedMs } = measurement ?? {};
    if (failure !== "TARGET_DIED" || ramp === null || level.users === undefined || elapsedMs === undefined)
      return found(failure, "error", { message });
    const atUsers = rampUsers(level.users, ramp).at(elapsedMs);
    return found(failure, "error", { message, second: Math.floor(elapsedMs / 1000), atUsers });
  }
  if (state === "aborted") return found("INTERRUPTED", "info", {});
  const { code, message } = error ?? { code: "UNKNOWN", message: "no reason was recorded" };
  return state === "failed" ? found("STEP_FAILED", "error", { code, message }) : [];
};

/** What a balancer answers by itself when no backend does. */
const GATEWAY_STATUSES = ["502", "503", "504"];

/**
 * `REQUESTS_LOST` when the outcomes do not add up, and when the balancer passed on fewer requests than were answered. Answers that the
 * balancer may have made itself do not count: where statuses are not told, any that was not expected.
 */
export const findLostRequests: StepRule = ({ measurement, faults }) => {
  if (measurement === undefined) return [];
  const { backends, statusCodes, requests, fill } = measurement;
  const { sent, ...outcomes } = requests;
  const accounted = sumOf(Object.values(outcomes), (count) => count);
  const lost = sent === accounted ? [] : found("REQUESTS_LOST", "error", { sent, accounted });
  // A backend that was killed has forgotten what it counted.
  if (backends === undefined || faults !== undefined) return lost;
  const own = sumOf(GATEWAY_STATUSES, (status) => statusCodes[status] ?? 0);
  const { ok, non2xx, mismatched = 0 } = requests;
  const completed = Object.keys(statusCodes).length === 0 ? ok : Math.max(0, ok + non2xx + mismatched - own);
  const passed = sumOf(Object.values(backends), (share) => share.requests);
  // The balancer may have passed the carried ones on before measuring.
  const counted = passed + (fill?.carried ?? 0);
  return counted >= completed ? lost : [...lost, ...found("REQUESTS_LOST", "error", { completed, counted })];
};

/** `ALL_FAILED`. A program that tells no request and no rate does not tell those in flight. */
export const findNothingOk: StepRule = ({ state, measurement }) => {
  if (measurement === undefined) return [];
  const { sent, ok, inFlight = 0 } = measurement.requests;
  const hadTheirTime = inFlight < sent || state === "completed";
  const isSeen =
    sent > 0 || (measurement.program !== undefined && state === "completed" && measurement.throughput === 0);
  return isSeen && ok === 0 && hadTheirTime ? found("ALL_FAILED", "error", { sent, inFlight }) : [];
};

type Details = (measurement: Measurement, scenario: ToldScenario) => Told<FindingCode>;

/** Every way in which requests fail, its finding, and details besides the counts. */
const FAILED_WAYS: readonly (readonly [FailureClass | "unclassified", FindingCode, Details?])[] = [
  ["non2xx", "NON_2XX", describeStatus],
  ["mismatched", "BODY_MISMATCH", ({ errorCodes }) => ({ code: commonestKey(errorCodes, isOtherProtocol) })],
  ["connectErrors", "CONNECT_ERRORS", ({ errorCodes }) => ({ code: commonestKey(errorCodes, isConnectCode) })],
  ["resets", "CONNECTIONS_RESET"],
  ["dropped", "REQUESTS_DROPPED"],
  ["timedOut", "TIMEOUTS", (_, { timeoutMs }) => ({ timeoutMs: timeoutMs ?? undefined })],
  ["unclassified", "REQUESTS_FAILED", ({ program }) => ({ program: program?.name })],
];

/** Error codes of answers in another protocol than the one that was asked for. */
function isOtherProtocol(code: string): boolean {
  return code === "ERR_HTTP2_NOT_SPOKEN" || code === "NOT_UPGRADED";
}

/** A finding for every way in which requests failed, {count, sent, finished, share} and its details; an info where none failed before the first fault. */
export const findFailedClasses: StepRule = (step, scenario) => {
  const { measurement } = step;
  if (measurement === undefined) return [];
  const { requests } = measurement;
  const severity = shareFailedBefore(step) === 0 ? "info" : "warning";
  const { sent } = requests;
  const finished = finishedRequests(requests);
  return FAILED_WAYS.flatMap(([failure, code, describe]) => {
    const count = requests[failure] ?? 0;
    if (count === 0) return [];
    const share = finished > 0 ? count / finished : 1;
    return found(code, severity, { count, sent, finished, share, ...describe?.(measurement, scenario) });
  });
};

function describeStatus({ statusCodes }: Measurement, scenario: ToldScenario): ReturnType<Details> {
  const expected = expectedStatuses(scenario);
  // In a mix, only a status that no request expects is certainly unexpected. Without expectations: any but 2xx.
  const isGood = (expected.length === 0 ? ["2xx"] : expected).map(expectedStatus);
  return {
    expected: expected.length === 0 ? undefined : expected.join(" or "),
    status: commonestKey(statusCodes, (code) => !isGood.some((accepts) => accepts(code))),
  };
}

/** What the requests of a scenario expect, each once; nothing where that is not told. */
export function expectedStatuses({ request, mix }: ToldScenario): readonly string[] {
  const requests = mix?.map((entry) => entry.request) ?? (request === null ? [] : [request]);
  return [...new Set(requests.map(({ expectStatus }) => expectStatus))];
}

/** Error codes that come from an open connection, or from the parser, are not why a connection could not be made. */
function isConnectCode(code: string): boolean {
  return !["ECONNRESET", "EPIPE"].includes(code) && !/^(HPE_|RST_STREAM_|CLOSE_|WS_ERR_|INVALID_RESPONSE)/.test(code);
}

function commonestKey(counts: Readonly<Record<string, number>>, wanted: (key: string) => boolean): string | undefined {
  return Object.entries(counts)
    .filter(([key]) => wanted(key))
    .toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

/** `FIGURE_NOT_TOLD` of the latency; `FIGURE_DOUBTFUL` of throughput, latency or errors, where `because` is a `DoubtReason`. */
export const findProgramFigures: StepRule = ({ measurement }) => {
  if (measurement === undefined) return [];
  const { doubts = [], latency, requests } = measurement;
  const { ok, sent } = requests;
  const isUntold = measurement.program !== undefined && latency === undefined && ok > 0;
  const program = measurement.program?.name ?? "unknown";
  return [
    ...(isUntold ? found("FIGURE_NOT_TOLD", "info", { program, figure: "latency", ok, sent }) : []),
    ...doubts.flatMap(({ figure, because }) => found("FIGURE_DOUBTFUL", "warning", { program, figure, because })),
  ];
};
