/** Load before a measurement that is not counted: how long it lasts, and over how many processes it takes. */
import { DEFAULTS } from "../config/defaults.js";
import { attributeBottleneck } from "../judge/bottleneck.js";
import { holdMs, portSupply } from "../judge/port-need.js";
import type { Environment, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { EngineRun, Load, LoadProgress } from "../plugin.js";
import { mean, standardDeviation } from "../stats/descriptive.js";
import { finishedRequests } from "../stats/request-counts.js";
import { connectedTo, isLoopback } from "../stats/url-address.js";
import { machineShares, readMachineTimes, type MachineShares } from "../system/proc.js";

/** How much of a warm-up is compared, at most: sixteen slices of a quarter of a second; fewer where runs have slices that do not count. */
const MOST_COMPARED = 16;
const COMPARED_MS = 4000;
/** By how much the later half of them may differ from the earlier beside its noise. */
const TOLERANCE = 0.05;
/** How much of the standard error of that difference is its noise: with more a rise is taken for steady too soon. */
const ERROR_SHARE = 0.75;

/**
 * Whether the throughput of equally long slices of a load, in order, is steady in the end. The last of them, an even number of at
 * most sixteen, are cut into two halves: their means differ by no more than 5 %, and three quarters of the standard error of that
 * difference (by the spread of the slices within the halves; of two slices there is none). Not steady are fewer than two, and nothing at all.
 *
 * @param mayFall whether a fall is as good as none: what warms up gets faster, and a neighbour may come at any time.
 */
export function isSteady(slices: readonly number[], mayFall: boolean = false): boolean {
  const half = Math.floor(Math.min(slices.length, MOST_COMPARED) / 2);
  if (half === 0) return false;
  const later = slices.slice(-half);
  const earlier = slices.slice(-2 * half, -half);
  const before = mean(earlier);
  if (before <= 0) return false;
  const standardError = Math.hypot(standardDeviation(earlier), standardDeviation(later)) / Math.sqrt(half);
  const rise = mean(later) - before;
  return (mayFall ? rise : Math.abs(rise)) <= TOLERANCE * before + ERROR_SHARE * standardError;
}

const MOST_GENERATORS = 8;
/** Of a core, so much has to be idle for another process that loads the target. */
const FREE_CORE = 0.9;

/** Whether to split the load over one more process: the generators are at their limit, and a core is free. */
export function needsGenerator(
  generators: EngineRun["generators"],
  { machine, steal = 0 }: MachineShares,
  { windowMs, cores }: { readonly windowMs: number; readonly cores: number },
): boolean {
  const isLimit = attributeBottleneck({ generator: generators, machine, steal, windowMs }) === "generator";
  return isLimit && generators.length < MOST_GENERATORS && cores * (1 - steal) * (1 - machine) >= FREE_CORE;
}

/** A run is at least so long; of many connections longer, as opening them takes time. */
const RUN_MS = 500;
const MS_PER_CONNECTION = 0.2;
const LEAST_MS = 1000;
const MOST_MS = 15_000;
/** From then on only what still gets faster is waited for. */
const RISE_ALONE_MS = 3000;
/** Engines tell their progress about four times a second. */
const LOOK_MS = 250;
/** Of the connections, so many at least have to wait for answers for a slice of a drain to count. */
const FEW = 0.1;
/** Of the ports for connections to the target, as many at most are left resting. */
const MOST_PORTS = 0.5;
/** What rests no longer is free again before it is missed. */
const SHORT_REST_MS = 1000;

/** What a target is warmed up with. */
export interface WarmUpInput {
  /** What is to be measured afterwards. */
  readonly load: Load;
  readonly scenario: Pick<Scenario, "warmupMs" | "keepAlive" | "requestsPerConnection">;
  readonly environment: Environment;
  /** Whether the engine may split the load over as many processes as it takes; otherwise over those of the load. */
  readonly mayAddGenerators: boolean;
  /** Whether the target was not loaded before. One that is warm gets one short run, and more only to choose the generators. */
  readonly isFresh: boolean;
  /** Of the step before with this target, in requests per second: how long open requests may take to be answered; 0 where there is none. */
  readonly throughput: number;
  readonly signal: AbortSignal;
  readonly run: (load: Load, onProgress: (progress: LoadProgress) => void) => Promise<EngineRun>;
  readonly readMachine?: typeof readMachineTimes;
}

/**
 * Loads a target as it is to be loaded, without counting: for the time that the scenario says or, where that is `auto`, in runs until
 * {@link isSteady} holds of their slices, for one second to fifteen; from three on a fall is as good as none. Ends early where nothing
 * answers, where the ports run out, and where the signal aborts. Where two runs in a row (a given time is cut into runs for that) are
 * limited by the generators these become one more, and what is steady is asked anew. A target that is warm gets half a second, or less
 * where the scenario says so, and more only while the generators are limited. Resolves with the number of processes to split the load over,
 * and with nothing else where there is no warm-up.
 */
export async function warmUp(
  input: WarmUpInput,
): Promise<Pick<StepResult, "warmup"> & { readonly generators: number }> {
  const { load, scenario, environment, mayAddGenerators, isFresh, throughput, signal } = input;
  const { readMachine = readMachineTimes } = input;
  let { generators } = load;
  if (scenario.warmupMs === 0) return { generators };
  const isAuto = scenario.warmupMs === "auto" && isFresh;
  const wholeMs = scenario.warmupMs === "auto" ? RUN_MS : scenario.warmupMs;
  const givenMs = isFresh ? wholeMs : Math.min(wholeMs, RUN_MS);
  const part = warmUpLoad(load);
  const { connections = part.level.users ?? 0 } = part.level;
  const openingMs = connections * MS_PER_CONNECTION;
  const shortestMs = Math.max(RUN_MS, openingMs);
  const givenParts = isAuto || !mayAddGenerators ? 1 : Math.max(1, Math.floor(givenMs / shortestMs));
  const runMs = isAuto ? shortestMs : givenMs / givenParts;
  // A second of slices, so that what is steady is seen to be; where many connections take time to be opened, the last ones drain.
  const blindMs = openingMs < LOOK_MS / 10 ? 0 : openingMs + LOOK_MS;
  const drainMs = blindMs > 0 && throughput > 0 ? (connections / throughput) * 1000 : 0;
  const firstMs = isAuto ? Math.max(runMs, LEAST_MS + blindMs - drainMs) : runMs;
  // The measurement cannot use ports that still rest.
  const { host = "localhost" } = connectedTo(load.url, load.connectTo) ?? {};
  const restMs = holdMs(environment.network, isLoopback(host));
  const mostPorts = restMs <= SHORT_REST_MS ? Infinity : (portSupply(environment) ?? Infinity) * MOST_PORTS;
  let [spentMs, portsTaken, count, limited] = [0, 0, 0, 0];
  let slices: readonly { readonly pace: number; readonly atMs: number }[] = [];
  let steady = false;
  let [mayGoOn, mayAdd] = [true, mayAddGenerators];
  while (mayGoOn && !steady) {
    const durationMs = count === 0 ? firstMs : runMs;
    const before = readMachine();
    const told: LoadProgress[] = [];
    const onProgress = (progress: LoadProgress): void => void told.push(progress);
    const run = await input.run({ ...part, level: { ...part.level, durationMs }, generators }, onProgress);
    const tookMs = Math.max(durationMs, run.measurement.elapsedMs);
    const isKept = scenario.keepAlive && scenario.requestsPerConnection === undefined;
    const took = isKept ? connections : (run.measurement.connections.established ?? run.measurement.requests.sent);
    const pace = paceOf(run, part);
    count += 1;
    spentMs += tookMs;
    portsTaken += took;
    const shares = machineShares(before, readMachine());
    // One connection, say, cannot be split over two.
    if (mayAdd && run.generators.length < generators) [mayAdd, generators] = [false, generators - 1];
    const isLimited = mayAdd && needsGenerator(run.generators, shares, { windowMs: tookMs, cores: environment.cores });
    limited = isLimited ? limited + 1 : 0;
    const paces = part.level.rate === undefined ? slicesOf(run, told, { durationMs, connections }) : [pace];
    // What was slow at first is forgotten in time, also where runs have few slices; of long ones two are kept.
    const sinceMs = spentMs - Math.max(COMPARED_MS, 2 * tookMs);
    slices = [...slices, ...paces.map((one) => ({ pace: one, atMs: spentMs }))].filter(({ atMs }) => atMs > sinceMs);
    const added = limited === 2;
    if (added) {
      generators += 1;
      slices = [];
      limited = 0;
    }
    const seen = slices.map((one) => one.pace);
    steady = isAuto && limited === 0 && spentMs >= LEAST_MS && isSteady(seen, spentMs >= RISE_ALONE_MS);
    // Of a warm target it may still be open whether one more generator is needed.
    const isOpen = !isFresh && (limited === 1 || added);
    const hasTime = isAuto ? spentMs + tookMs <= MOST_MS : count < givenParts || isOpen;
    mayGoOn = hasTime && pace > 0 && !run.targetGone && !signal.aborted && portsTaken + took <= mostPorts;
  }
  return { warmup: { durationMs: Math.round(spentMs), steady: isAuto ? steady : null }, generators };
}

/**
 * The throughput of the slices of a run, per second: what it told of its progress, from when its connections were open to when those
 * that drain at its end were few. All of a run that tells none is one slice.
 */
function slicesOf(
  { measurement: { requests, elapsedMs } }: EngineRun,
  told: readonly LoadProgress[],
  { durationMs, connections }: { readonly durationMs: number; readonly connections: number },
): readonly number[] {
  const whole = { done: finishedRequests(requests), elapsedMs };
  const tells = told.some(({ done }) => done > 0);
  const ends = !tells || elapsedMs < durationMs + LOOK_MS / 2 ? [whole] : [];
  const openingMs = connections * MS_PER_CONNECTION;
  const paces: number[] = [];
  let last = { done: 0, elapsedMs: 0 };
  // What drains at the end is as fast as the rest while most connections still wait; late ones say nothing.
  const isFull = ({ sent, done, elapsedMs: atMs }: LoadProgress): boolean =>
    atMs <= durationMs || sent - done >= connections * FEW;
  for (const point of [...(tells ? told.filter(isFull) : []), ...ends]) {
    const lengthMs = point.elapsedMs - last.elapsedMs;
    if (lengthMs < LOOK_MS / 2) continue;
    // Of many connections a server may answer none before it has taken them all.
    const isOpen = !tells || openingMs < LOOK_MS / 10 || (last.done > 0 && last.elapsedMs >= openingMs);
    if (isOpen) paces.push(((point.done - last.done) / lengthMs) * 1000);
    last = point;
  }
  return paces;
}

/**
 * The load of a warm-up lasts for a time and drains at its end. For a ramp, its first users are enough, since more users are what it
 * measures. For held connections, a few busy ones are.
 */
function warmUpLoad({ level: { requests: _requests, ...level }, ramp, hold, atStart: _atStart, ...load }: Load): Load {
  if (hold !== undefined) {
    const connections = Math.min(level.connections ?? Infinity, DEFAULTS.hold.warmupConnections);
    return { ...load, level: { ...level, connections }, atEnd: "drain" };
  }
  if (ramp === undefined) return { ...load, level, atEnd: "drain" };
  const first = { from: ramp.from, riseMs: 0, steps: null };
  return { ...load, level: { ...level, users: ramp.from }, ramp: first, atEnd: "drain" };
}

/** Answers per second; in an open loop, where these are as many as are asked for, the inverse of the time that they take. */
function paceOf({ measurement }: EngineRun, { level }: Load): number {
  const { requests, elapsedMs, latency } = measurement;
  if (level.rate !== undefined) return latency?.mean === undefined || latency.mean <= 0 ? 0 : 1000 / latency.mean;
  const { connectErrors = 0, resets = 0, dropped = 0, timedOut = 0 } = requests;
  const answers = finishedRequests(requests) - connectErrors - resets - dropped - timedOut;
  return elapsedMs > 0 ? (answers / elapsedMs) * 1000 : 0;
}
