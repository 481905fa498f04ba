import type { Finding } from "../model/finding.js";
import type { Measurement } from "../model/measurement.js";
import type { ToldScenario } from "../model/scenario.js";
import { sumOf } from "../stats/descriptive.js";
import { rampUsers } from "../stats/ramp-seconds.js";
import { failedRequests, finishedRequests } from "../stats/request-counts.js";
import { busyShare, mayHaveSaturatedGenerator, saturatedGenerators, usageOf } from "./bottleneck.js";
import { isLongEnough, isOpened } from "./over-time.js";
import { found, type StepRule, type UnjudgedStep } from "./found.js";

/**
 * `LEVEL_NOT_REACHED`: in a closed loop by its connections, or those shared by its users; in an open loop when requests could not leave, or
 * when the mean request, or connection, left later than the next was due.
 */
export const findLevelNotReached: StepRule = ({ state, level, measurement }) => {
  // An interrupted step may have had no time to open them all; of a ramp that was cut short not all users came.
  const isCutShort = state === "aborted" || (state === "failed" && level.users !== undefined);
  if (measurement === undefined || isCutShort) return [];
  if (measurement.schedule !== undefined) {
    const { rate, planned, unsent, lateness } = measurement.schedule;
    if (unsent > 0) return found("LEVEL_NOT_REACHED", "warning", { rate, planned, unsent });
    // Timers are good to about a millisecond, which is more than the gap of high rates.
    const { perConnection = 1 } = level;
    const isLate = lateness.mean > Math.max((1000 * perConnection) / rate, 1);
    return isLate ? found("LEVEL_NOT_REACHED", "warning", { rate, latenessMs: lateness.mean }) : [];
  }
  const { asked, opened = asked } = measurement.connections;
  return opened < asked ? found("LEVEL_NOT_REACHED", "warning", { asked, opened }) : [];
};

/**
 * Connections opened anew without a failure, per answer. Servers close now and then for good reasons (nginx after 1000
 * requests); from one in ten answers on, the cost of connecting shows in the figures.
 */
const RECONNECTS_PER_ANSWER = 0.1;

/** `KEEPALIVE_REFUSED` when the server closes connections that were to be kept. */
export const findKeepAliveRefused: StepRule = ({ measurement }, { keepAlive, requestsPerConnection = Infinity }) => {
  // A stream of events is left with its connection.
  if (measurement === undefined || measurement.events !== undefined || keepAlive !== true) return [];
  const { ok, non2xx, mismatched = 0, connectErrors = 0, resets = 0, dropped = 0, timedOut = 0 } = measurement.requests;
  const { asked, established, opened } = measurement.connections;
  if (established === undefined || opened === undefined) return [];
  // Where not all could be open at a time, some are opened when others have ended.
  if (opened < asked && connectErrors > 0) return [];
  const answers = ok + non2xx;
  const planned = answers / requestsPerConnection;
  const unexplained = established - opened - planned - (mismatched + resets + dropped + timedOut);
  return unexplained > 0 && unexplained >= answers * RECONNECTS_PER_ANSWER
    ? found("KEEPALIVE_REFUSED", "info", { established, opened, answers })
    : [];
};

/** Part of the users by which the law may be missed beyond everything that is allowed for. */
const TOLERANCE = 0.1;

/** Below this many requests per user, start and end of the run outweigh its middle, and no error is claimed. */
const REQUESTS_PER_USER = 10;

/** Above this share, users spend time on failing, backing off and reconnecting that no latency contains. */
const DISTURBED_SHARE = 0.01;

/** Users of a ramp come a moment before or after they are due; of a few users that is a large part. */
const RAMP_ALLOWANCE = 0.5;

/** A first SYN that a full backlog swallowed is repeated after one second. What is connecting in the end is in no latency. */
const CONNECT_ALLOWANCE_MS = 1000;

/** Part of the connections that a chance of a short run does not reach. */
const NOTABLE = 0.2;

/** Less than this of a connection is its generator's waiting for a core. */
const WHOLE = 0.9;

/**
 * `LITTLES_LAW` {asked, computed, kind} when a closed loop contradicts L = lambda W (Little, "A proof for the queuing formula", Operations
 * Research 9, 1961): the latencies of all requests over the elapsed time are the users that were waiting on average. More than there are is
 * impossible. Fewer are explained by connecting, by requests in flight at the end, and by the generator's own time; of a run of N requests,
 * whose users end one after the other, they are no error.
 *
 * `CONNECTIONS_STARVED` {asked, answered} when what is missing is no such error, but at least a fifth of the connections, or a tenth where
 * measuring began with all of them at work: a server leaves them in its backlog while it serves others. Where all get their turn, each
 * request that is cut off at the end has waited for the mean latency at the most. Also when measuring began before each had had an answer,
 * and when fewer requests ended than there are connections, in twice the time of the quickest.
 */
export const findMissingUsers: StepRule = (step, { ramp }) => {
  const { measurement, level } = step;
  const usage = usageOf(step);
  const asked = usersOf(step, ramp);
  // In an open loop the target decides how many are open.
  if (asked === undefined || measurement === undefined || measurement.elapsedMs <= 0) return [];
  const { elapsedMs, requests, latency, failedLatency, fill } = measurement;
  const kind = level.users === undefined ? "connections" : "users";
  const spare = kind === "users" ? RAMP_ALLOWANCE : 0;
  const broken = (computed: number): readonly Finding[] => found("LITTLES_LAW", "error", { asked, computed, kind });
  const ok = (requests.ok * (latency?.mean ?? 0)) / elapsedMs;
  // Of failed requests not even a lower bound is certain: a timeout may end after the last answer.
  const before = (fill?.carriedMs ?? 0) / elapsedMs;
  if (ok > asked * (1 + TOLERANCE) + spare + before) return broken(ok);
  const starved = (answered: number): readonly Finding[] =>
    found("CONNECTIONS_STARVED", "warning", { asked, answered: Math.min(answered, fill?.answered ?? answered) });
  const unanswered = fill === undefined ? 0 : fill.users - fill.answered;
  if (unanswered > 0) return starved(Math.min(asked, ok));
  if (hasSilent(step)) return starved(Math.min(ok, finishedRequests(requests)));
  if (usage === undefined || !isUndisturbedLoop(step, measurement)) return [];
  if (kind === "users" ? mayHaveSaturatedGenerator(step) : saturatedGenerators(step).length > 0) return [];
  const answered = ok + (failedRequests(requests) * (failedLatency?.mean ?? 0)) / elapsedMs;
  // Each user is with its generator between an answer and the next request, and each of its threads does one thing at a time.
  const generating = sumOf(usage.generator, (process) => Math.max(process.cpu, busyShare(process)));
  const connecting = ((level.users ?? asked) * CONNECT_ALLOWANCE_MS) / elapsedMs;
  const inFlight = (requests.inFlight ?? 0) / elapsedMs;
  const explained = spare + connecting + inFlight * (latency?.max ?? 0) + generating;
  const isEnough = finishedRequests(requests) >= asked * REQUESTS_PER_USER;
  // Of a load that was at work the missing ones are known: they wait for an answer.
  if (fill === undefined && isEnough && answered < asked * (1 - TOLERANCE) - explained) return broken(answered);
  const missing = asked - answered - generating - inFlight * (latency?.mean ?? 0);
  const notable = fill === undefined ? asked * NOTABLE : Math.max(asked * TOLERANCE, WHOLE);
  const isStarved = kind === "connections" && missing >= notable;
  return isStarved ? starved(answered) : [];
};

/**
 * Whether some connections of a closed loop that lasted its time have had no outcome at all. Where the quickest answer took more than half
 * of it, all may have been served.
 */
function hasSilent(step: UnjudgedStep): boolean {
  const { state, level, measurement } = step;
  if (state !== "completed" || measurement === undefined || !isOpened(step)) return false;
  // Where nothing is ok there is no latency to doubt.
  const { requests, elapsedMs, latency: { min = Infinity } = {} } = measurement;
  return 2 * min <= elapsedMs && finishedRequests(requests) < (level.connections ?? 0);
}

function usersOf({ level, measurement }: UnjudgedStep, ramp: ToldScenario["ramp"]): number | undefined {
  if (level.users === undefined) return level.connections;
  const elapsedMs = measurement?.elapsedMs ?? 0;
  return ramp === null || elapsedMs <= 0 ? undefined : rampUsers(level.users, ramp).mean(0, elapsedMs);
}

/** Whether all users of a closed loop were there for a fixed time, long enough, and next to none was kept from asking by failures. */
function isUndisturbedLoop({ state, level }: UnjudgedStep, measurement: Measurement): boolean {
  const { connections, requests, failedLatency } = measurement;
  const { connectErrors = 0, timedOut = 0, sent } = requests;
  const { asked: connectionsAsked, opened, established } = connections;
  return (
    (failedRequests(requests) === 0 || failedLatency !== undefined) &&
    state === "completed" &&
    level.durationMs !== undefined &&
    isLongEnough(measurement) &&
    opened !== undefined &&
    established !== undefined &&
    opened >= connectionsAsked &&
    connectErrors + timedOut < sent * DISTURBED_SHARE &&
    established - opened < sent * DISTURBED_SHARE
  );
}
