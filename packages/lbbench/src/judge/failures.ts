import type { Finding, FindingArgs, FindingCode } from "../model/finding.js";
import type { FailureClass, Measurement } from "../model/measurement.js";
import type { Scenario } from "../model/scenario.js";
import { expectedStatus } from "../stats/expected-status.js";
import type { UnjudgedStep } from "./step-rule.js";

/**
 * `ALL_FAILED` {sent, inFlight} when requests were sent and none was answered as expected. Requests that are all still
 * in flight count as well: a target that answers nothing in the whole time was not measured. Only a step that was
 * interrupted is let off then, because its requests were not given their time.
 */
export function findNothingOk({ state, measurement }: UnjudgedStep): readonly Finding[] {
  if (measurement === undefined) {
    return [];
  }
  const { sent, ok, inFlight = 0 } = measurement.requests;
  const hadTheirTime = inFlight < sent || state === "completed";
  return sent > 0 && ok === 0 && hadTheirTime
    ? [{ code: "ALL_FAILED", severity: "error", args: { sent, inFlight } }]
    : [];
}

/**
 * One warning for every way in which requests failed, {count, sent, share} and its most frequent status or error code.
 */
export function findFailedClasses({ measurement }: UnjudgedStep, scenario: Scenario): readonly Finding[] {
  if (measurement === undefined) {
    return [];
  }
  const { sent } = measurement.requests;
  return FAILURE_CODES.flatMap(([failure, code]) => {
    const count = measurement.requests[failure] ?? 0;
    const details = {
      count,
      sent,
      share: sent > 0 ? count / sent : 1,
      ...describeFailure(failure, measurement, scenario),
    };
    return count > 0 ? [{ code, severity: "warning" as const, args: details }] : [];
  });
}

const FAILURE_CODES: readonly (readonly [FailureClass, FindingCode])[] = [
  ["non2xx", "NON_2XX"],
  ["mismatched", "BODY_MISMATCH"],
  ["connectErrors", "CONNECT_ERRORS"],
  ["resets", "CONNECTIONS_RESET"],
  ["dropped", "REQUESTS_DROPPED"],
  ["timedOut", "TIMEOUTS"],
];

function describeFailure(failure: FailureClass, measurement: Measurement, scenario: Scenario): FindingArgs {
  switch (failure) {
    case "non2xx": {
      const isExpected = expectedStatus(scenario.request.expectStatus);
      const status = mostFrequent(measurement.statusCodes, (code) => !isExpected(code));
      return { expected: scenario.request.expectStatus, ...(status === undefined ? {} : { status }) };
    }
    case "connectErrors": {
      const code = mostFrequent(measurement.errorCodes, isConnectCode);
      return code === undefined ? {} : { code };
    }
    case "timedOut":
      return { timeoutMs: scenario.timeoutMs };
    default:
      return {};
  }
}

/** Error codes that come from an open connection, or from the parser, are not why a connection could not be made. */
function isConnectCode(code: string): boolean {
  return !["ECONNRESET", "EPIPE"].includes(code) && !/^(HPE_|RST_STREAM_|INVALID_RESPONSE)/.test(code);
}

function mostFrequent(counts: Readonly<Record<string, number>>, wanted: (key: string) => boolean): string | undefined {
  return Object.entries(counts)
    .filter(([key]) => wanted(key))
    .toSorted(([, a], [, b]) => b - a)[0]?.[0];
}
