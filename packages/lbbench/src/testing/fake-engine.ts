import type { CompleteMeasurement } from "../model/measurement.js";
import type { Engine, EngineRun, EngineSupport, Load, LoadProgress } from "../plugin.js";
import { fakeMeasurement, type FakeOutcome } from "./fake-measurement.js";

/** What a fake engine sees in a run; what is left out is that of a faultless target. */
export interface FakeRun extends FakeOutcome {
  /** Processor time of the generator over wall time. Default: a tenth of a core for 1000 requests per second, at most 1. */
  readonly cpu?: number;
  readonly targetGone?: boolean;
}

/** How a fake engine behaves. */
export interface FakeEngineOptions {
  /** `fake` by default. */
  readonly name?: string;
  /** Everything is supported by default. */
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
const GENERATOR_RSS_BYTES = 80_000_000;

/**
 * Creates an engine that sends nothing and knows no time: it computes what it "measured" from the load. It tells its
 * progress twice, half-way and at the end; a run whose signal is aborted by then ends with half of its requests.
 */
export function createFakeEngine(behaviour: FakeEngineOptions = {}): FakeEngine {
  const { name = "fake", supports, see = () => ({}) } = behaviour;
  const loads: Load[] = [];

  const run: Engine["run"] = async (load, { signal, onStart, onProgress }) => {
    loads.push(load);
    const seen = { slowerUs: loads.length, ...see(load, loads.length) };
    const whole = fakeMeasurement(load, seen);
    await onStart?.([{ pid: GENERATOR.pid, name: GENERATOR.name }]);
    const { sent, ok, inFlight } = whole.requests;
    const done = sent - inFlight;
    const { elapsedMs } = whole;
    onProgress?.({
      sent: Math.floor(sent / 2),
      done: Math.floor(done / 2),
      failed: Math.floor((done - ok) / 2),
      elapsedMs: elapsedMs / 2,
      ...lastSecond(whole, elapsedMs / 2),
    });
    // News of a death takes a turn of the event loop to become an abort.
    await new Promise(setImmediate);
    if (signal.aborted) return engineRun(fakeMeasurement(load, halfOf(seen, done, elapsedMs)), seen);
    onProgress?.({ sent, done, failed: done - ok, elapsedMs, ...lastSecond(whole, elapsedMs) });
    return engineRun(whole, seen);
  };
  return {
    name,
    supports: {
      protocols: ["http", "grpc"],
      loads: ["connections", "rate", "users"],
      keepAliveOff: true,
      httpVersions: ["1.1", "2"],
      mixes: true,
      tlsVerification: true,
      ...supports,
    },
    run,
    loads: () => loads,
  };
}

const GENERATOR = { pid: 4_194_305, name: "generator-1" };

/** The last second that is over after so much time, where there is one. */
function lastSecond({ timeline }: CompleteMeasurement, elapsedMs: number): Pick<LoadProgress, "latest"> {
  const latest = timeline[Math.floor(elapsedMs / 1000) - 1];
  return latest === undefined ? {} : { latest };
}

function halfOf(seen: FakeRun, done: number, elapsedMs: number): FakeRun {
  return { ...seen, elapsedMs: elapsedMs / 2, requests: { ...seen.requests, ok: Math.floor(done / 2) } };
}

function engineRun(measurement: EngineRun["measurement"], { cpu, targetGone = false }: FakeRun): EngineRun {
  const used = cpu ?? Math.min(1, measurement.throughput * CPU_PER_REQUEST_S);
  return {
    measurement,
    generators: [{ ...GENERATOR, cpu: used, rssBytes: GENERATOR_RSS_BYTES, eventLoopUtilization: used }],
    targetGone,
  };
}
