import { performance } from "node:perf_hooks";
import type { GeneratorUsage, Load } from "../plugin.js";
import { LoadRun } from "./load-run.js";
import { Recorder, type LoadRecord, type SecondRecord } from "./recorder.js";
import type { GeneratorPlace } from "./shares.js";

/** What this process used of the machine while it sent a load. */
export type OwnUsage = Required<Pick<GeneratorUsage, "cpu" | "rssBytes" | "eventLoopUtilization">>;

/** What a generator process recorded and used; `gone` when it gave up because nothing answered any more. */
export interface GeneratorReport {
  readonly record: LoadRecord;
  readonly usage: OwnUsage;
  readonly gone: boolean;
}

/** The engines whose load is sent by generator processes. */
export type GeneratorEngine = "autocannon" | "undici" | "grpc";

/** The share of a load that one generator process takes. */
export interface GeneratorLoad extends Load {
  readonly engine: GeneratorEngine;
  /** Whether its record has to be merged with those of others. */
  readonly mergeable: boolean;
  /** Folder in which relative paths of the options begin. */
  readonly folder: string;
  /** Which of the generators it is. */
  readonly place: GeneratorPlace;
}

/** How far a generator process has come. */
export interface GeneratorProgress {
  readonly sent: number;
  /** Requests whose outcome is known. */
  readonly done: number;
  /** Those of them that failed. */
  readonly failed: number;
  /** The second that was asked for, as it stays; `null` when the record had ended before, absent where it is not over. */
  readonly second?: SecondRecord | null;
}

/** What the engine can ask a generator process to do; one load at a time. */
export interface Generator {
  /** Takes the load that `run` is to send. */
  readonly prepare: (load: GeneratorLoad) => Promise<void>;
  /** Sends the prepared load and reports; times count from `startNs`, a reading of `process.hrtime.bigint()`. */
  readonly run: (startNs: bigint) => Promise<GeneratorReport>;
  /** How far it has come. `second`: one that is over by the clock, and wanted with it. */
  readonly progress: (second?: number) => GeneratorProgress;
  /** Ends a run that is under way at once. */
  readonly cut: () => void;
}

/** What speaks to the target during a run. */
export interface Clients {
  /** Called when the run has ended: enters what is left to record, and closes what is open. */
  readonly stop: () => Promise<void>;
}

/** Builds the clients of a run and enters their users in it; nothing leaves before the users are started. */
export type BuildClients = (run: LoadRun) => Clients;

/** What an engine does of its own: reads what it needs for a load, before any of it is sent. */
export type PrepareClients = (load: GeneratorLoad) => Promise<BuildClients> | BuildClients;

/** Creates the functions of a generator process. */
export function createGenerator(prepareClients: PrepareClients): Generator {
  let prepared: PreparedLoad | undefined;
  let sending: PreparedLoad | undefined;
  let recorder: Recorder | undefined;
  /** A load that was never sent, because another generator could not prepare its own. */
  const discard = async (): Promise<void> => {
    const left = prepared;
    prepared = undefined;
    left?.run.cut();
    await left?.clients.stop();
  };
  return {
    prepare: async (load) => {
      if (sending !== undefined) throw new Error("A generator was given a load while it was still sending another");
      await discard();
      const build = await prepareClients(load);
      const { mergeable, mix, atEnd, level } = load;
      const lastsMs = atEnd === "cut" ? level.durationMs : undefined;
      recorder = new Recorder({ mergeable, entries: mix?.length, lastsMs });
      const run = new LoadRun(recorder, level.requests);
      prepared = { load, run, clients: build(run) };
    },
    run: async (startNs) => {
      if (prepared === undefined) throw new Error("A generator was asked to run before it was given a load");
      sending = prepared;
      prepared = undefined;
      try {
        return await send(sending, startNs);
      } finally {
        sending = undefined;
      }
    },
    progress: (wanted) => {
      const second = wanted === undefined ? undefined : recorder?.readSecond(wanted);
      return { sent: 0, done: 0, failed: 0, ...recorder?.counts(), ...(second === undefined ? {} : { second }) };
    },
    cut: () => sending?.run.cut(),
  };
}

/** A load whose clients are built: that takes time which is not to be measured. */
interface PreparedLoad {
  readonly load: GeneratorLoad;
  readonly run: LoadRun;
  readonly clients: Clients;
}

/** How often it is looked whether the target still answers. */
const LOOK_INTERVAL_MS = 20;
/** However short the timeout is, a target is not gone that has not been heard of for less. */
const SHORTEST_ABSENCE_MS = 250;

async function send({ load, run, clients }: PreparedLoad, startNs: bigint): Promise<GeneratorReport> {
  const stopMeter = startMeter();
  let gone = false;
  run.start(Number(process.hrtime.bigint() - startNs) / 1000 - performance.now() * 1000);
  const stopTimer = endAfter(load.level.durationMs, run, () => (load.atEnd === "cut" ? run.cut() : run.drain()));
  const watch = setInterval(() => {
    if (run.unreachableMs() < Math.max(load.timeoutMs, SHORTEST_ABSENCE_MS)) return;
    gone = true;
    run.cut();
  }, LOOK_INTERVAL_MS);
  const { inFlight, stoppedUs } = await run.ended;
  const usage = stopMeter();
  clearInterval(watch);
  stopTimer();
  await clients.stop();
  return { record: run.recorder.finish(inFlight, stoppedUs), usage, gone };
}

/** Calls `end` so long after the common start, wherever that is, and never before; returns what prevents it. */
function endAfter(durationMs: number | undefined, run: LoadRun, end: () => void): () => void {
  if (durationMs === undefined) return () => {};
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const leftMs = durationMs - run.nowUs() / 1000;
    // A timer counts in whole ms, and may ring a little too early.
    if (leftMs > 0) timer = setTimeout(look, leftMs);
    else end();
  };
  look();
  return () => clearTimeout(timer);
}

const MEMORY_INTERVAL_MS = 250;

/** Watches what this process uses; returns what ends that, and tells. */
function startMeter(): () => OwnUsage {
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  const loopBefore = performance.eventLoopUtilization();
  let rssBytes = 0;
  const look = (): void => {
    try {
      rssBytes = Math.max(rssBytes, process.memoryUsage.rss());
    } catch {
      // Reading it takes a descriptor, and there may be none left.
    }
  };
  look();
  const timer = setInterval(look, MEMORY_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    look();
    const { user, system } = process.cpuUsage(cpuBefore);
    return {
      cpu: (user + system) / 1000 / (performance.now() - startMs),
      rssBytes,
      eventLoopUtilization: performance.eventLoopUtilization(loopBefore).utilization,
    };
  };
}
