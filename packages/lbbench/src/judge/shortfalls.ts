import type { Result, StepResult } from "../model/result.js";
import { groupBy } from "../stats/group-by.js";
import { placeKey } from "../stats/identity.js";
import { failedRequests, finishedRequests } from "../stats/request-counts.js";

/** Why a run that failed nothing is no `pass` all the same. */
export type Shortfall =
  /** Requests failed, and no threshold says how many may: the share, and where it was the largest. */
  | { readonly reason: "failures"; readonly share: number; readonly step: StepResult }
  /** It was cut short. */
  | { readonly reason: "unfinished" }
  /** A search found no limit of these targets, because all that it may try held. */
  | { readonly reason: "no-limit"; readonly targets: readonly string[] };

/** Of the requests that came to an end, the part that may fail where nothing says how many may. */
const MOST_FAILED = 0.01;

/** What is looked at; a result that does not say whether it is complete is taken to be. */
type Judged = Pick<Result, "scenario" | "steps" | "search"> & Partial<Pick<Result, "complete" | "finishedAt">>;

/**
 * Says why a run is not what a reader takes `pass` for, beside its errors, thresholds and comparisons: over 1 % of the requests of a target
 * failed at a level without a threshold or a stop rule about `errors`, the run was cut short, or a search found no limit.
 */
export function findShortfalls(result: Judged): readonly Shortfall[] {
  const { complete = true, finishedAt, search = [] } = result;
  const unbounded = search.filter(({ status }) => status === "unbounded").map(({ target }) => target);
  return [
    ...(result.search === undefined ? findFailures(result) : []),
    ...(unbounded.length > 0 ? [{ reason: "no-limit", targets: unbounded } as const] : []),
    ...(complete && finishedAt !== null ? [] : [{ reason: "unfinished" } as const]),
  ];
}

function findFailures({ scenario, steps }: Judged): readonly Shortfall[] {
  const asked = [...scenario.thresholds, ...scenario.stopOn];
  if (asked.some(({ metric }) => metric === "errors")) return [];
  const shares = [...groupBy(steps, placeKey).values()].flatMap((trials) => {
    const [step] = trials;
    const counts = trials.flatMap(({ measurement }) => measurement?.requests ?? []);
    const finished = counts.reduce((sum, requests) => sum + finishedRequests(requests), 0);
    const failed = counts.reduce((sum, requests) => sum + failedRequests(requests), 0);
    return step === undefined || failed <= finished * MOST_FAILED
      ? []
      : [{ reason: "failures", share: failed / finished, step } as const];
  });
  return shares.toSorted((a, b) => b.share - a.share).slice(0, 1);
}
