import type { CompleteCounts, CompleteLatency, CompleteMeasurement, MixedShare } from "../model/measurement.js";
import type { Engine, EngineRun, EngineSupport, Load } from "../plugin.js";
import { sum } from "../stats/descriptive.js";
import { encodeHistogram } from "../stats/histogram.js";
import { summarizeCounts } from "../stats/latency-summary.js";
import { loadValue } from "../stats/load.js";
import { rampStartsUs } from "../stats/ramp-seconds.js";
import { defined } from "../stats/defined.js";

/** What is to be in a measurement; what is left out follows from the load. */
export interface FakeOutcome {
  /** How long the target takes for an answer when nothing else asks, in ms; 10 by default. */
  readonly latencyMs?: number;
  /** The most it can answer per second, whatever the connections; 5000 by default. */
  readonly capacity?: number;
  readonly elapsedMs?: number;
  /** Outcomes of requests; failures given without `ok` are taken from the requests of the load. */
  readonly requests?: Partial<Omit<CompleteCounts, "sent">>;
  /** By how much the slowest answer is slower still, in microseconds, so that no two runs agree in every digit; 0 by default. */
  readonly slowerUs?: number;
}

/** What a fake engine sees in a run; what is left out is that of a faultless target. */
export interface FakeRun extends FakeOutcome {
  readonly targetGone?: boolean;
}

/** How a fake engine behaves. */
export interface FakeEngineOptions {
  /** `fake` by default. */
  readonly name?: string;
  /** What a sweep, a ramp and a search ask for is supported by default; faults, policies, held connections and events are not. */
  readonly supports?: Partial<EngineSupport>;
  /**
   * What a run sees; throw to make the run fail. Runs are counted from 1, over all that the engine did, warm-ups
   * (`load.atEnd` is `drain`) included.
   */
  readonly see?: (load: Load, run: number) => FakeRun;
}

/** An engine that sends nothing, and what it was asked to do. */
export interface FakeEngine extends Engine {
  /** Every load it was given, in order. */
  readonly loads: () => readonly Load[];
}

/** Processor time per request of a generator, in seconds. */
const CPU_PER_REQUEST_S = 0.0001;
const GENERATOR = { pid: 4_194_305, name: "generator-1" };

/**
 * Creates an engine that sends nothing and knows no time: it computes what it "measured" from the load. It tells its
 * progress twice, half-way and at the end; a run whose signal is aborted by then ends with half of its requests.
 */
export function createFakeEngine(behaviour: FakeEngineOptions = {}): FakeEngine {
  const { name = "fake", supports, see = () => ({}) } = behaviour;
  const loads: Load[] = [];

  const run: Engine["run"] = async (load, { signal, onStart, onProgress }) => {
    loads.push(load);
    const seen: FakeRun = { slowerUs: loads.length, ...see(load, loads.length) };
    const whole = fakeMeasurement(load, seen);
    await onStart?.([GENERATOR]);
    const { elapsedMs, timeline } = whole;
    const { sent, ok, inFlight } = whole.requests;
    const done = sent - inFlight;
    const tell = (share: number): void => {
      const part = (count: number): number => Math.floor(count * share);
      const latest = timeline.slice(0, part(elapsedMs / 1000)).at(-1);
      const told = { sent: part(sent), done: part(done), failed: part(done - ok), elapsedMs: elapsedMs * share };
      onProgress?.(latest === undefined ? told : { ...told, latest });
    };
    tell(0.5);
    // News of a death takes a turn of the event loop to become an abort.
    await new Promise(setImmediate);
    if (signal.aborted) {
      const requests = { ...seen.requests, ok: Math.floor(done / 2) };
      return engineRun(fakeMeasurement(load, { ...seen, elapsedMs: elapsedMs / 2, requests }), seen);
    }
    tell(1);
    return engineRun(whole, seen);
  };
  return {
    name,
    supports: {
      protocols: ["http", "grpc", "websocket"],
      loads: ["connections", "rate", "connectionRate", "users"],
      keepAliveOff: true,
      requestsPerConnection: true,
      connecting: true,
      httpVersions: ["1.1", "2"],
      mixes: true,
      tlsVerification: true,
      serverTiming: true,
      ...supports,
    },
    run,
    loads: () => loads,
  };
}

function engineRun(measurement: CompleteMeasurement, { targetGone = false }: FakeRun): EngineRun {
  const cpu = Math.min(1, measurement.throughput * CPU_PER_REQUEST_S);
  return {
    measurement,
    generators: [{ ...GENERATOR, cpu, rssBytes: 80_000_000, eventLoopUtilization: cpu }],
    targetGone,
  };
}

const REQUEST_BYTES = 90;
const HEAD_BYTES = 150;
const BODY_BYTES = 12;

/**
 * Makes the measurement of a closed loop that never was: throughput grows with the connections up to the capacity of
 * the target, and the mean latency is connections over throughput (Little's law), spread by fixed factors. In a ramp this
 * holds of every second for the users that have come by its end. The entries of a mix differ in nothing but their weights.
 */
export function fakeMeasurement(load: Pick<Load, "level" | "ramp" | "mix">, outcome: FakeOutcome): CompleteMeasurement {
  const { latencyMs = 10, capacity = 5000, slowerUs = 0 } = outcome;
  const { level, ramp, mix } = load;
  const { requests: budget, durationMs } = level;
  const all = loadValue(level);
  const rateOf = (users: number): number => Math.min(users / (latencyMs / 1000), capacity);
  const meanUsOf = (users: number): number => (users / rateOf(users)) * 1_000_000;
  const elapsedMs = outcome.elapsedMs ?? durationMs ?? ((budget ?? 0) / rateOf(all)) * 1000;

  // The users of each second, and the answers that there is time for in it.
  const starts = ramp && level.users !== undefined ? rampStartsUs(level.users, ramp) : undefined;
  const usersOf = Array.from(
    { length: Math.ceil(elapsedMs / 1000) },
    (_, second) => starts?.filter((start) => start < (second + 1) * 1_000_000).length ?? all,
  );
  const weights = usersOf.map((users, second) => (rateOf(users) * Math.min(1000, elapsedMs - second * 1000)) / 1000);

  const failures = { non2xx: 0, mismatched: 0, connectErrors: 0, resets: 0, dropped: 0, timedOut: 0 };
  const inFlight = durationMs === undefined ? 0 : all;
  const { ok: givenOk, ...notOk } = { ...failures, inFlight, ...outcome.requests };
  const planned = budget ?? Math.round(sum(weights)) + all;
  const ok = givenOk ?? Math.max(0, planned - sum(Object.values(notOk)));
  const requests: CompleteCounts = { ...notOk, ok, sent: ok + sum(Object.values(notOk)) };
  const { inFlight: _inFlight, ...ended } = requests;
  const { sent, non2xx, mismatched, connectErrors } = requests;

  const bySecond = Object.entries(ended).map(([kind, count]) => [kind, shareOut(count, weights)] as const);
  const timeline = usersOf.map((users, second) => {
    const counts = Object.fromEntries(bySecond.map(([kind, shares]) => [kind, shares[second] ?? 0]));
    const { sent: left = 0, ok: good = 0, ...failed } = counts;
    const { latency } = fakeLatencies([{ count: good, meanUs: meanUsOf(users) }]);
    const { p50 = null, p90 = null, p99 = null, max = null } = latency ?? {};
    const row = { second, sent: left, ok: good, failed: sum(Object.values(failed)), failures: withoutZeros(failed) };
    return { ...row, p50, p90, p99, max, ...defined({ users: level.users === undefined ? undefined : users }) };
  });
  const groups = timeline.map(({ ok: count }, second) => ({ count, meanUs: meanUsOf(usersOf[second] ?? all) }));
  const whole = { count: ok, meanUs: meanUsOf(all) };
  const { histogram, latency: even } = fakeLatencies(level.users === undefined ? [whole] : groups);
  const slowerMs = slowerUs / 1000;
  const latency = even && { ...even, mean: even.mean + slowerMs / ok, max: even.max + slowerMs };
  const answers = ok + non2xx + mismatched;
  return {
    startedAt: "2026-01-01T00:00:00.000Z",
    elapsedMs,
    connections: { asked: all, opened: all, established: all },
    requests,
    statusCodes: withoutZeros({ "200": ok + mismatched, "503": non2xx }),
    errorCodes: {},
    throughput: elapsedMs > 0 ? (ok / elapsedMs) * 1000 : 0,
    bytes: {
      received: answers * (HEAD_BYTES + BODY_BYTES),
      body: answers * BODY_BYTES,
      sent: (sent - connectErrors) * REQUEST_BYTES,
    },
    ...defined({ latency }),
    histogram: encodeHistogram(histogram),
    timeline,
    ...defined({ mix: mix === undefined ? undefined : fakeMix(mix, requests, latency) }),
  };
}

/** Shares the requests of a measurement out to the entries of its mix by their weights; each takes as long as all others. */
function fakeMix(
  mix: NonNullable<Load["mix"]>,
  { sent, ok, inFlight }: CompleteCounts,
  latency: CompleteLatency | undefined,
): readonly MixedShare[] {
  const weights = mix.map(({ weight }) => weight);
  const [oks, failures, open] = [ok, sent - ok - inFlight, inFlight].map((count) => shareOut(count, weights));
  return mix.map(({ name }, index) => {
    const [good = 0, failed = 0, left = 0] = [oks?.[index], failures?.[index], open?.[index]];
    const counts = { name, sent: good + failed + left, ok: good, failed };
    return good > 0 && latency !== undefined ? { ...counts, latency } : counts;
  });
}

/** How many of `count` belong to each part, in proportion to its weight; the sum is exact. */
function shareOut(count: number, weights: readonly number[]): readonly number[] {
  const all = sum(weights);
  let passed = 0;
  let shared = 0;
  return weights.map((weight, index) => {
    passed += weight;
    const share = (index === weights.length - 1 ? count : Math.floor((count * passed) / all)) - shared;
    shared += share;
    return share;
  });
}

/** Skewed to the right as latencies are, with a mean of 1. */
const SPREAD = [0.55, 0.65, 0.75, 0.8, 0.85, 0.9, 0.95, 1.05, 1.3, 2.2];
const EVENLY = SPREAD.map(() => 1);

/** Spreads so many latencies of a mean, of each group, around it by fixed factors. */
function fakeLatencies(
  groups: readonly { readonly count: number; readonly meanUs: number }[],
): ReturnType<typeof summarizeCounts> {
  const counts = groups.flatMap(({ count, meanUs }) => {
    const times = shareOut(count, EVENLY);
    return SPREAD.map((factor, index) => [Math.max(1, Math.round(factor * meanUs)), times[index] ?? 0] as const);
  });
  return summarizeCounts(counts.filter(([, times]) => times > 0));
}

function withoutZeros(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
