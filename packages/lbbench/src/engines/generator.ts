import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { WorkerShare } from "../model/usage.js";
import type { Load } from "../plugin.js";
import { LoadRun, type Fill } from "./load-run.js";
import { Recorder, type LoadRecord, type RecordOptions, type SecondRecord } from "./recorder.js";
import type { GeneratorPlace } from "./shares.js";
import { defined } from "../stats/defined.js";

/** The engines whose load is sent by generator processes. */
export type GeneratorEngine = "autocannon" | "wire" | "grpc" | "websocket";

/** The share of a load that one generator process takes. */
export interface GeneratorLoad extends Load {
  readonly engine: GeneratorEngine;
  /** Folder in which relative paths of the options begin. */
  readonly folder: string;
  readonly place: GeneratorPlace;
}

/** The progress of a generator process. */
export interface GeneratorProgress extends ReturnType<Recorder["progress"]> {
  /** The second that was asked for; `null` if the record ended before it, `undefined` if it is not over, or the load not yet measured. */
  readonly second: SecondRecord | null | undefined;
}

/** What the engine can ask a generator process to do; one load at a time. */
export type Generator = ReturnType<typeof createGenerator>;

/** What a generator process recorded and used; `gone`: it gave up because nothing answered any more. */
export interface GeneratorReport extends Awaited<ReturnType<typeof sendLoad>> {
  readonly record: LoadRecord;
  /** Only of a worker on another machine. */
  readonly worker?: WorkerShare;
}

/** The clients of a run, which speak to the target. */
export interface Clients {
  /** Called when the run has ended: records the rest, and closes all connections. */
  readonly stop: () => Promise<void>;
  /** Resolves when what was due while connections were opened has been sent; absent where nothing is due then. */
  readonly caughtUp?: () => Promise<void>;
  /** Busy connections for a while beside the held ones; absent without any. */
  readonly burst?: Burst;
}

/** A short load beside another one. */
export interface Burst {
  /** The other one begins to be measured, for so long. */
  readonly plan: (lastsMs: number) => void;
  /** Ends it, and resolves with its record; `undefined` where its time had not come. */
  readonly end: () => Promise<LoadRecord | undefined>;
}

/** Builds the clients of a load, and enters its users in the run, which starts them. */
export type PrepareClients = (load: GeneratorLoad, run: LoadRun) => Promise<Clients> | Clients;

/**
 * Creates the functions of a generator process.
 *
 * @param sendFirst is called with each load before its clients are built.
 */
export function createGenerator(prepareClients: PrepareClients, sendFirst?: (load: GeneratorLoad) => Promise<unknown>) {
  let taken: Awaited<ReturnType<typeof takeLoad>> | undefined;
  const takenTo = (act: string) => {
    if (taken === undefined) throw new Error(`A generator was asked to ${act} before it was given a load`);
    return taken;
  };
  return {
    /** Takes the load that `run` is to send, in place of one that was never sent. */
    prepare: async (load: GeneratorLoad): Promise<void> => {
      taken?.run.cut();
      await taken?.discard();
      await sendFirst?.(load);
      taken = await takeLoad(load, prepareClients);
    },
    /**
     * Starts the users of the prepared load, a closed loop, and resolves when each of them had an outcome, at the latest after so many ms.
     * Until then each sends one request, or one in three seconds. The record has none of them.
     */
    fill: async (limitMs: number): Promise<Fill> => takenTo("begin").settle(limitMs, true),
    /** Lets all users of a load that `fill` has begun go on, and resolves when each has had another outcome, at the latest after so many ms. */
    settle: async (limitMs: number): Promise<Fill> => takenTo("go on").settle(limitMs, false),
    /**
     * Sends the prepared load, or measures from then on the one that `fill` has begun, and reports. Times count from `startNs`, a reading of
     * `process.hrtime.bigint()`. `durationMs`: how long it lasts, in place of what the level says.
     */
    run: async (startNs: bigint, durationMs?: number): Promise<GeneratorReport> => {
      const load = takenTo("run");
      load.discard = async () => {};
      return load.send(startNs, durationMs);
    },
    /** The progress, and the record of one second. */
    progress: (second: number): GeneratorProgress => ({
      ...(taken?.run.recorder.progress() ?? { sent: 0, done: 0, failed: 0 }),
      second: taken?.run.isMeasured === true ? taken.run.recorder.readSecond(second, taken.run.nowUs()) : undefined,
    }),
    /** Ends a load that is under way at once. */
    cut: (): void => {
      taken?.run.cut();
      // A load that was not measured has no report.
      void taken?.discard();
    },
  };
}

/** Builds what sends a load, which takes time that is not measured. */
async function takeLoad(load: GeneratorLoad, prepareClients: PrepareClients) {
  const { place, mix, atEnd, level, sliceMs, serverTiming } = load;
  const record = (durationMs = level.durationMs, begins: Pick<RecordOptions, "originUs"> = {}): Recorder => {
    const lastsMs = atEnd === "cut" ? durationMs : undefined;
    return new Recorder({ mergeable: place.of > 1, entries: mix?.length, lastsMs, sliceMs, serverTiming, ...begins });
  };
  const run = new LoadRun(record(), level.requests);
  const clients = await prepareClients(load, run);
  let filled: Fill | undefined;
  const settle = async (limitMs: number, begin: boolean): Promise<Fill> => {
    const now = await (begin ? run.fill(limitMs) : run.settle(limitMs));
    await clients.caughtUp?.();
    filled = { ...now, tookMs: now.tookMs + (filled?.tookMs ?? 0) };
    return now;
  };
  const send = async (startNs: bigint, durationMs?: number): Promise<GeneratorReport> => {
    if (filled === undefined) {
      const offsetUs = (): number => Number(process.hrtime.bigint() - startNs) / 1000 - performance.now() * 1000;
      return sendLoad(load, run, clients, () => run.start(offsetUs()), durationMs);
    }
    const { tookMs, users, answered } = filled;
    let carried = { carried: 0, carriedMs: 0 };
    const begin = (): void => void (carried = run.measure((originUs) => record(durationMs, { originUs })));
    await sleep(Math.max(0, Number(startNs - process.hrtime.bigint()) / 1e6));
    const report = await sendLoad(load, run, clients, begin, durationMs);
    return { ...report, record: { ...report.record, fill: { tookMs, users, answered, ...carried } } };
  };
  return { run, settle, send, discard: clients.stop };
}

/** How often to look whether the target still answers, and how much memory this process has. */
const LOOK_INTERVAL_MS = 20;
/** How much longer than the timeout the requests that are open at the end of a load are waited for. */
const DRAIN_GRACE_MS = 1000;
/** A target is gone after this time without an answer, at the earliest, however short the timeout is. */
const SHORTEST_ABSENCE_MS = 250;

/** Records a load, and reports when it has ended. */
async function sendLoad(
  { level, atEnd, timeoutMs, sliceMs, hold }: GeneratorLoad,
  run: LoadRun,
  clients: Clients,
  begin: () => void,
  durationMs = level.durationMs ?? Infinity,
) {
  const cpuBefore = process.cpuUsage();
  const loopBefore = performance.eventLoopUtilization();
  const startMs = performance.now();
  let gone = false;
  let rssBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  // A timer counts in whole ms and may fire a little early: a load is never cut before its time.
  const look = (): void => {
    const leftMs = durationMs - run.measuredMs();
    rssBytes = Math.max(rssBytes, residentBytes());
    // A load with slices goes on, because the target may come back.
    gone = sliceMs === undefined && run.unreachableMs() >= Math.max(timeoutMs, SHORTEST_ABSENCE_MS);
    if (gone || (leftMs <= 0 && atEnd === "cut")) run.cut();
    else if (leftMs <= 0) {
      run.drain();
      // A stream of events is no request that times out while they come.
      timer = setTimeout(() => run.cut(), timeoutMs + DRAIN_GRACE_MS);
    } else timer = setTimeout(look, Math.min(leftMs, LOOK_INTERVAL_MS));
  };
  begin();
  clients.burst?.plan(durationMs);
  look();
  const { inFlight, stoppedUs } = await run.ended;
  clearTimeout(timer);
  const burst = await clients.burst?.end();
  const { user, system } = process.cpuUsage(cpuBefore);
  const usage = {
    cpu: (user + system) / 1000 / (performance.now() - startMs),
    // Its connections are still open.
    rssBytes: Math.max(rssBytes, residentBytes()),
    eventLoopUtilization: performance.eventLoopUtilization(loopBefore).utilization,
  };
  await clients.stop();
  const record = { ...run.recorder.finish(inFlight, stoppedUs), ...defined({ held: hold && run.held }) };
  return { record, usage, gone, ...defined({ burst }) };
}

function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    // Reading the memory in use takes a descriptor, and there may be none left. The peak takes none.
    return process.resourceUsage().maxRSS * 1024;
  }
}
