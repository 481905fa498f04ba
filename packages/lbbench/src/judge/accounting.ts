import type { Finding } from "../model/finding.js";
import type { Measurement } from "../model/measurement.js";
import type { UnjudgedStep } from "./step-rule.js";

/** `REQUESTS_LOST` {sent, accounted} when the outcomes do not add up to the requests sent. */
export function findLostRequests({ measurement }: UnjudgedStep): readonly Finding[] {
  if (measurement === undefined) {
    return [];
  }
  const { sent, ...outcomes } = measurement.requests;
  const accounted = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  return sent === accounted ? [] : [{ code: "REQUESTS_LOST", severity: "error", args: { sent, accounted } }];
}

/** `REQUESTS_LOST` {completed, counted} when the balancer passed on fewer requests than were answered through it. */
export function findUncountedRequests({ measurement }: UnjudgedStep): readonly Finding[] {
  if (measurement?.backends === undefined) {
    return [];
  }
  const completed = answersOfBackends(measurement);
  const counted = Object.values(measurement.backends).reduce((sum, share) => sum + share.requests, 0);
  return counted >= completed ? [] : [{ code: "REQUESTS_LOST", severity: "error", args: { completed, counted } }];
}

/** What a balancer answers by itself when no backend does. */
const GATEWAY_STATUSES = ["502", "503", "504"];

/**
 * Complete answers that must have come from a backend; an answer the balancer may have made itself is not one. Where statuses
 * are not told, any that was not expected may be the balancer's.
 */
function answersOfBackends({ requests, statusCodes }: Measurement): number {
  if (Object.keys(statusCodes).length === 0) return requests.ok;
  const own = GATEWAY_STATUSES.reduce((sum, status) => sum + (statusCodes[status] ?? 0), 0);
  return Math.max(0, requests.ok + requests.non2xx + (requests.mismatched ?? 0) - own);
}
