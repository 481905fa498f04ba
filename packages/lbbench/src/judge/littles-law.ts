import type { Finding } from "../model/finding.js";
import type { Measurement } from "../model/measurement.js";
import type { ToldScenario } from "../model/scenario.js";
import type { Usage } from "../model/usage.js";
import { MINIMUM_MS } from "./duration.js";
import { busyShare } from "./process-load.js";
import { mayHaveSaturatedGenerator } from "./ramp-generator.js";
import { saturatedGenerator } from "./saturation.js";
import type { UnjudgedStep } from "./step-rule.js";
import { rampUsers } from "../stats/ramp-users.js";
import { failedRequests, finishedRequests } from "../stats/request-counts.js";

/** Part of the users by which the law may be missed beyond everything that is allowed for. */
const TOLERANCE = 0.1;

/** Below this many requests per user, start and end of the run outweigh its middle. */
const REQUESTS_PER_USER = 10;

/** Above this share, users spend time on failing, backing off and reconnecting that no latency contains. */
const DISTURBED_SHARE = 0.01;

/** Users of a ramp come a moment before or after they are due; of a few users that is a large part. */
const RAMP_ALLOWANCE = 0.5;

/** A first SYN that a full backlog swallowed is repeated after one second; connecting is in no latency. */
const CONNECT_ALLOWANCE_MS = 1000;

/**
 * `LITTLES_LAW` {asked, computed, kind} when a closed loop contradicts L = lambda W (Little, "A proof for the queuing
 * formula", Operations Research 9, 1961): the latencies of all requests, added up and divided by the elapsed time, are
 * the users that were waiting for an answer on average. More than there are is impossible. Fewer are explained by
 * connecting, by requests in flight at the end, and by the generator's own time, all of which are allowed for; a run of
 * a fixed number of requests is not held to it, because a user that is done with its share then stays idle.
 *
 * The users are the connections of the level, `asked`. An engine may let several of them share a connection, so that the
 * connections that were opened say nothing here. Of a ramp (`kind` is `users`) they are those there were on average: each has
 * at most one request under way, so the law holds for the time that all of them together were there.
 */
export function findLittlesLawBroken(step: UnjudgedStep, { ramp }: ToldScenario): readonly Finding[] {
  const { measurement } = step;
  const asked = usersOf(step, ramp);
  // Whatever is open at a time in an open loop, the target decides it.
  if (asked === undefined || measurement === undefined || measurement.elapsedMs <= 0) {
    return [];
  }
  const kind = step.level.users === undefined ? "connections" : "users";
  const spare = kind === "users" ? RAMP_ALLOWANCE : 0;
  const broken = (computed: number): readonly Finding[] => [
    { code: "LITTLES_LAW", severity: "error", args: { asked, computed, kind } },
  ];
  const ok = okTimeMs(measurement) / measurement.elapsedMs;
  // Of failed requests not even a lower bound is certain: a timeout may end after the last answer.
  if (ok > asked * (1 + TOLERANCE) + spare) {
    return broken(ok);
  }
  const { usage } = step;
  if (usage === undefined || !isUndisturbedLoop(asked, step, measurement)) {
    return [];
  }
  if (kind === "users" ? mayHaveSaturatedGenerator(step) : saturatedGenerator(usage) !== undefined) {
    return [];
  }
  const computed = ok + failedTimeMs(measurement) / measurement.elapsedMs;
  const all = step.level.users ?? asked;
  return computed < asked * (1 - TOLERANCE) - spare - explainedDeficit(all, measurement, usage) ? broken(computed) : [];
}

function usersOf({ level, measurement }: UnjudgedStep, ramp: ToldScenario["ramp"]): number | undefined {
  if (level.users === undefined) return level.connections;
  const elapsedMs = measurement?.elapsedMs ?? 0;
  return ramp === null || elapsedMs <= 0 ? undefined : rampUsers(level.users, ramp).mean(0, elapsedMs);
}

/** Whether all users of a closed loop were there for a fixed time, long enough, and next to none was kept from asking by failures. */
export function isUndisturbedLoop(asked: number, { state, level }: UnjudgedStep, measurement: Measurement): boolean {
  const { elapsedMs, connections, requests, failedLatency } = measurement;
  const { connectErrors = 0, timedOut = 0, sent } = requests;
  const { asked: connectionsAsked, opened, established } = connections;
  return (
    (failedRequests(requests) === 0 || failedLatency !== undefined) &&
    state === "completed" &&
    level.durationMs !== undefined &&
    elapsedMs >= MINIMUM_MS &&
    opened !== undefined &&
    established !== undefined &&
    opened >= connectionsAsked &&
    finishedRequests(requests) >= asked * REQUESTS_PER_USER &&
    connectErrors + timedOut < sent * DISTURBED_SHARE &&
    established - opened < sent * DISTURBED_SHARE
  );
}

/** Users that may honestly have been without a finished request, on average over the run. */
function explainedDeficit(users: number, { elapsedMs, requests, latency }: Measurement, usage: Usage): number {
  const connecting = (users * CONNECT_ALLOWANCE_MS) / elapsedMs;
  const inFlight = ((requests.inFlight ?? 0) * (latency?.max ?? 0)) / elapsedMs;
  return connecting + inFlight + generatingUsers(usage);
}

/**
 * Returns how many users waited for their generator on average, at most: each is with it between an answer and the next request,
 * and each of its threads does one thing at a time.
 */
export function generatingUsers({ generator }: Usage): number {
  return generator.reduce((sum, process) => sum + Math.max(process.cpu, busyShare(process)), 0);
}

/** Returns the times of all ok requests together, in milliseconds. */
export function okTimeMs({ requests, latency }: Measurement): number {
  return requests.ok * (latency?.mean ?? 0);
}

/** Returns the times of all failed requests together, in milliseconds; 0 where they are not known. */
export function failedTimeMs(measurement: Measurement): number {
  return failedRequests(measurement.requests) * (measurement.failedLatency?.mean ?? 0);
}
