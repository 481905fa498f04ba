/** What a comparison of balancers must not hide: terms that are not equal, and answers that no backend gave. */
import type { Finding } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import type { Target, ToldScenario } from "../model/scenario.js";
import { backendGroups, connectionsOf, isInFront, receivedRequests } from "../stats/backend-shares.js";
import { sumOf } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { expectedStatus, finishedRequests, REFUSAL_STATUSES } from "../stats/request-counts.js";
import { MINIMUM_WINDOW_MS } from "./bottleneck.js";
import { groupFindings, locate } from "./group-findings.js";
import { found, type Run, type StepRule } from "./found.js";
import { expectedStatuses } from "./requests.js";

/**
 * Part of the requests that may come over a new connection. With connections kept it is 3 % at the most (HAProxy, nginx and `balanced` at
 * 20 and 200 connections), with a pool of a fifth of the connections 23 %, and without any 99 %.
 */
const MOST_NEW = 0.2;

/** Requests from which on this is asked, and so many for each connection of a client, which may need a new one to a backend. */
const FEWEST_REQUESTS = 100;
const REQUESTS_PER_CLIENT = 10;

/** `BACKENDS_NOT_REUSED`: behind a balancer, over connections of clients that are kept. */
export const findNotReused: StepRule = ({ measurement }, { keepAlive }) => {
  if (measurement?.backends === undefined || keepAlive !== true) return [];
  const { requests = 0, connections } = connectionsOf(measurement) ?? {};
  const clients = Math.max(measurement.connections.opened ?? 0, measurement.connections.established ?? 0);
  if (connections === undefined || requests < Math.max(FEWEST_REQUESTS, clients * REQUESTS_PER_CLIENT)) return [];
  const { accepted } = connections;
  const share = accepted / requests;
  return share > MOST_NEW ? found("BACKENDS_NOT_REUSED", "warning", { accepted, requests, share }) : [];
};

/** Answers below which a count that came late may be the reason. */
const FEWEST_REFUSED = 10;

/** Part of the refusals by which the answers that no backend gave may exceed them: more are those of a cache, say. */
const BEYOND = 0.1;

/** By these a balancer says that it has not asked a backend, or not got an answer. */
const OWN_STATUSES: ReadonlySet<string> = new Set([...REFUSAL_STATUSES, "502", "504"]);

/**
 * `BALANCER_REFUSED` where more requests were answered than the backends were given, and that many answers refuse: the balancer made them.
 * What it sends more than once makes the count too small, never too large.
 */
export const findBalancerRefusals: StepRule = ({ measurement }, scenario) => {
  if (measurement?.backends === undefined) return [];
  const { backends, requests, statusCodes, fill } = measurement;
  const given = sumOf(Object.values(backends), receivedRequests);
  const { ok, non2xx, mismatched = 0, sent, inFlight = 0 } = requests;
  // What was under way when measuring began may have been passed on before.
  const carried = fill?.carried ?? 0;
  const madeItself = ok + non2xx + mismatched - given - carried;
  const refusals = refusalsOf(statusCodes, scenario);
  const refusing = sumOf(refusals, ([, answers]) => answers);
  const refused = Math.min(refusing, non2xx);
  const count = Math.min(madeItself, refused);
  if (count < FEWEST_REFUSED || madeItself > refused * (1 + BEYOND) + inFlight + carried) return [];
  const [status] = refusals[0] ?? [];
  const finished = finishedRequests(requests);
  return found("BALANCER_REFUSED", "warning", { count, sent, finished, share: count / finished, status });
};

/** Answers by a status that refuses and that no request expects, the most frequent first. */
function refusalsOf(statusCodes: Readonly<Record<string, number>>, scenario: ToldScenario) {
  const isExpected = expectedStatuses(scenario).map(expectedStatus);
  return Object.entries(statusCodes)
    .filter(([status]) => OWN_STATUSES.has(status) && !isExpected.some((accepts) => accepts(status)))
    .toSorted(([, a], [, b]) => b - a);
}

/** Part of its cores that a balancer may use beyond them: threads beside its workers collect garbage and read files. */
const MORE_CORES = 0.25;

/** `CORES_DIFFER` of a balancer that has other workers than each other program, and of one that used more cores than it has workers. */
export function findUnequalCores({ scenario, steps }: Run): readonly Finding[] {
  const balancers = scenario.targets.flatMap((target) => {
    const workers = workersOf(target);
    return workers === undefined ? [] : [{ ...target, workers }];
  });
  if (new Set(balancers.map(({ server }) => server)).size < 2) return [];
  const isReference = ({ name }: Target): number => Number(name === scenario.reference);
  const referenceFirst = balancers.toSorted((a, b) => isReference(b) - isReference(a));
  const alone = balancers.filter((one) =>
    balancers.every((other) => other.server === one.server || other.workers !== one.workers),
  );
  // Of two programs that differ one is enough to say so.
  const others = alone.filter(({ server }) => server !== referenceFirst[0]?.server);
  const told = others.length > 0 ? others : alone;
  const differing = told.flatMap(({ name: target, server, workers }): readonly Finding[] => {
    const other = referenceFirst.find((one) => one.server !== server);
    const args = { target, other: other?.name, workers, otherWorkers: other?.workers };
    return other === undefined ? [] : found("CORES_DIFFER", "warning", args);
  });
  const byTarget = groupBy(steps, ({ target }) => target);
  const overused = balancers.flatMap((target) =>
    (byTarget.get(target.name) ?? []).flatMap((step) => findOveruse(step, target)),
  );
  return [...differing, ...groupFindings(overused)];
}

/** How many cores the workers of a balancer need at most; `undefined` of another target, and where that is not told. */
function workersOf({ server, options }: Target): number | undefined {
  if (backendGroups(options["backends"]).length === 0) return undefined;
  const { workers } = options;
  if (typeof workers === "number") return workers;
  // The balancer of lbbench is one process.
  return server === "balanced" ? 1 : undefined;
}

function findOveruse(step: StepResult, { workers, ...target }: Target & { readonly workers: number }) {
  const { state, usage } = step;
  if (state !== "completed" || usage?.balancer === undefined || usage.windowMs < MINIMUM_WINDOW_MS) return [];
  const own = usage.balancer.filter(({ name }) => isInFront(target, name));
  const cores = sumOf(own, ({ cpu }) => cpu);
  if (cores <= workers * (1 + MORE_CORES)) return [];
  return locate(step, found("CORES_DIFFER", "warning", { workers, cores }));
}
