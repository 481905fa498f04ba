import { performance } from "node:perf_hooks";
import type { Load } from "../plugin.js";
import { createLoadRun, type LoadRun, type OwnedLoadRun } from "./load-run.js";
import { startProcessMeter, type OwnUsage } from "./process-meter.js";
import type { LoadRecord, SecondRecord } from "./record.js";
import { createRecorder, type Recorder } from "./recorder.js";

/** What a generator process recorded and used; `gone` when it gave up because nothing answered any more. */
export interface GeneratorReport {
  readonly record: LoadRecord;
  readonly usage: OwnUsage;
  readonly gone: boolean;
}

/** Which of the processes that share a load is meant, from 0, and how many there are. */
export interface GeneratorPlace {
  readonly index: number;
  readonly of: number;
}

/** The share of a load that one generator process takes. */
export interface GeneratorLoad extends Load {
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
  /** What was recorded in the second that was asked for, as it stays; `null` when it had ended before, absent where that second is not over. */
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

/** How often it is looked whether the target still answers. */
const LOOK_INTERVAL_MS = 20;
/** However short the timeout is, a target is not gone that has not been heard of for less. */
const SHORTEST_ABSENCE_MS = 250;

/**
 * Creates the functions of a generator process.
 *
 * @param prepareClients what an engine does of its own: reads what it needs for a load, before any of it is sent.
 */
export function createGenerator(
  prepareClients: (load: GeneratorLoad) => Promise<BuildClients> | BuildClients,
): Generator {
  let prepared: { readonly load: GeneratorLoad; readonly recorder: Recorder; readonly build: BuildClients } | undefined;
  let current: OwnedLoadRun | undefined;
  let recorder: Recorder | undefined;
  return {
    prepare: async (load) => {
      if (current !== undefined) throw new Error("A generator was given a load while it was still sending another");
      prepared = undefined;
      const build = await prepareClients(load);
      recorder = createRecorder(
        load.mergeable,
        load.mix?.length,
        load.atEnd === "cut" ? load.level.durationMs : undefined,
      );
      prepared = { load, recorder, build };
    },
    run: async (startNs) => {
      if (prepared === undefined) throw new Error("A generator was asked to run before it was given a load");
      const { load, build } = prepared;
      const offsetUs = Number(process.hrtime.bigint() - startNs) / 1000 - performance.now() * 1000;
      current = createLoadRun(prepared.recorder, load.level.requests, offsetUs);
      prepared = undefined;
      try {
        return await generate(load, current, build(current));
      } finally {
        current = undefined;
      }
    },
    progress: (wanted) => {
      const second = wanted === undefined ? undefined : recorder?.readSecond(wanted);
      return { sent: 0, done: 0, failed: 0, ...recorder?.counts(), ...(second === undefined ? {} : { second }) };
    },
    cut: () => current?.cut(),
  };
}

async function generate(load: GeneratorLoad, run: OwnedLoadRun, clients: Clients): Promise<GeneratorReport> {
  const meter = startProcessMeter();
  let gone = false;
  run.sawLife();
  run.startUsers();
  const stopTimer = endAfter(load.level.durationMs, run, load.atEnd === "cut" ? run.cut : run.drain);
  const watch = setInterval(() => {
    if (run.unreachableMs() < Math.max(load.timeoutMs, SHORTEST_ABSENCE_MS)) return;
    gone = true;
    run.cut();
  }, LOOK_INTERVAL_MS);
  const { inFlight, stoppedUs } = await run.ended;
  const usage = meter.stop();
  clearInterval(watch);
  stopTimer();
  await clients.stop();
  return { record: run.recorder.finish(inFlight, stoppedUs), usage, gone };
}

/** Calls `end` so long after the common start, wherever that is, and never before; returns what prevents it. */
function endAfter(durationMs: number | undefined, { nowUs }: OwnedLoadRun, end: () => void): () => void {
  if (durationMs === undefined) return () => {};
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const leftMs = durationMs - nowUs() / 1000;
    // A timer counts in whole ms, and may ring a little too early.
    if (leftMs > 0) timer = setTimeout(look, leftMs);
    else end();
  };
  look();
  return () => clearTimeout(timer);
}
