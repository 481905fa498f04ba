import type { Measurement } from "../model/measurement.js";
import type { ToldScenario } from "../model/scenario.js";
import { expectedStatus, REFUSAL_STATUSES } from "../stats/request-counts.js";

/** What of a scenario says which statuses are expected. */
export type Expectations = Pick<ToldScenario, "request" | "mix">;

/**
 * Returns how many requests were answered with a status that refuses and that nobody expects; a balancer and a limit of rate answer
 * with such a one as well.
 */
export function countRefused({ requests, statusCodes }: Measurement, scenario: Expectations): number {
  const refused = Object.entries(statusCodes).reduce(
    (sum, [status, count]) => (isRefusal(status, scenario) ? sum + count : sum),
    0,
  );
  return Math.min(refused, requests.non2xx);
}

/** Returns the statuses by which requests of some measurements were refused, each once, sorted. */
export function refusalStatuses(measurements: readonly Measurement[], scenario: Expectations): readonly string[] {
  const statuses = measurements.flatMap(({ statusCodes }) => Object.keys(statusCodes));
  return [...new Set(statuses.filter((status) => isRefusal(status, scenario)))].toSorted();
}

function isRefusal(status: string, { request, mix }: Expectations): boolean {
  const requests = mix?.map((entry) => entry.request) ?? (request === null ? [] : [request]);
  return REFUSAL_STATUSES.has(status) && !requests.some(({ expectStatus }) => expectedStatus(expectStatus)(status));
}
