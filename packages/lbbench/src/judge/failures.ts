import type { Finding, FindingArgs, FindingCode } from "../model/finding.js";
import type { FailureClass, Measurement } from "../model/measurement.js";
import type { ToldScenario } from "../model/scenario.js";
import { expectedStatus } from "../stats/expected-status.js";
import type { UnjudgedStep } from "./step-rule.js";

/**
 * `ALL_FAILED` {sent, inFlight} when requests were sent and none was answered as expected. Requests that are all still
 * in flight count as well: a target that answers nothing in the whole time was not measured. Only a step that was
 * interrupted is let off then, because its requests were not given their time. So does a program that tells of no request at
 * all, which does not tell of those in flight.
 */
export function findNothingOk({ state, measurement }: UnjudgedStep): readonly Finding[] {
  if (measurement === undefined) {
    return [];
  }
  const { sent, ok, inFlight = 0 } = measurement.requests;
  const hadTheirTime = inFlight < sent || state === "completed";
  const isSeen = sent > 0 || (measurement.program !== undefined && state === "completed");
  return isSeen && ok === 0 && hadTheirTime
    ? [{ code: "ALL_FAILED", severity: "error", args: { sent, inFlight } }]
    : [];
}

/**
 * One warning for every way in which requests failed, {count, sent, share} and its most frequent status or error code.
 */
export function findFailedClasses({ measurement }: UnjudgedStep, scenario: ToldScenario): readonly Finding[] {
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

/** A way to fail, or that nobody tells the way. */
type Failure = FailureClass | "unclassified";

const FAILURE_CODES: readonly (readonly [Failure, FindingCode])[] = [
  ["non2xx", "NON_2XX"],
  ["mismatched", "BODY_MISMATCH"],
  ["connectErrors", "CONNECT_ERRORS"],
  ["resets", "CONNECTIONS_RESET"],
  ["dropped", "REQUESTS_DROPPED"],
  ["timedOut", "TIMEOUTS"],
  ["unclassified", "REQUESTS_FAILED"],
];

function describeFailure(failure: Failure, measurement: Measurement, scenario: ToldScenario): FindingArgs {
  switch (failure) {
    case "non2xx": {
      const expected = expectedStatuses(scenario);
      // Of a mix only what no request of it expects is certain not to have been expected.
      const status = mostFrequent(
        measurement.statusCodes,
        (code) =>
          !(expected.length === 0 ? TAKEN_FOR_GOOD : expected).some((statuses) => expectedStatus(statuses)(code)),
      );
      return {
        ...(expected.length === 0 ? {} : { expected: expected.join(" or ") }),
        ...(status === undefined ? {} : { status }),
      };
    }
    case "connectErrors": {
      const code = mostFrequent(measurement.errorCodes, isConnectCode);
      return code === undefined ? {} : { code };
    }
    case "timedOut":
      return scenario.timeoutMs === null ? {} : { timeoutMs: scenario.timeoutMs };
    case "unclassified":
      return measurement.program === undefined ? {} : { program: measurement.program.name };
    default:
      return {};
  }
}

/** Where it is not told what was expected, none of these can be what a program complains of. */
const TAKEN_FOR_GOOD = ["2xx"];

/** What the requests of a scenario expect, each once; nothing where that is not told. */
function expectedStatuses({ request, mix }: ToldScenario): readonly string[] {
  const requests = mix?.map((entry) => entry.request) ?? (request === null ? [] : [request]);
  return [...new Set(requests.map(({ expectStatus }) => expectStatus))];
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
