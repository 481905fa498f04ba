import type { CompleteMeasurement, TimelineSecond } from "../model/measurement.js";
import type { Child, RemoteChild } from "../model/child.js";
import type { Engine, EngineContext, EngineRun, Load, LoadProgress } from "../plugin.js";
import { builtEntry, whileAlive } from "../system/fork.js";
import type { Generator, GeneratorEngine, GeneratorProgress, GeneratorReport } from "./generator.js";
import type { Fill } from "./load-run.js";
import { addEach, mergeHeld, mergeRecords, mergeSecond } from "./merge.js";
import { shareOut, type SharedLoad, type Sharing } from "./shares.js";
import { defined } from "../stats/defined.js";

/** The run of an engine that sees every request. */
export interface CompleteRun extends EngineRun {
  readonly measurement: CompleteMeasurement;
}

/** An engine that generates the load itself, and sees every request. */
export interface CompleteEngine extends Engine {
  readonly run: (load: Load, context: EngineContext) => Promise<CompleteRun>;
}

/** What is an engine's own whose load is sent by generator processes. */
interface OwnOfEngine extends Pick<Engine, "supports" | "options" | "check"> {
  readonly name: GeneratorEngine;
  /** Says how a load is shared out. Rejects with an `Error` for one that cannot be sent. */
  readonly share: (load: Load, context: Pick<EngineContext, "folder">) => Sharing | Promise<Sharing>;
}

/** Makes an engine that lets generator processes send its load. */
export function generatorEngine({ share, ...own }: OwnOfEngine): CompleteEngine {
  return {
    ...own,
    run: async (load, context) =>
      driveGenerators({ engine: own.name, ...shareOut(load, await share(load, context)) }, context),
  };
}

/** How a load is spread over processes. */
export interface Spread extends SharedLoad {
  readonly engine: GeneratorEngine;
}

/** So long before a schedule begins the generators are called, in ms, so that all of them are there for its first request. */
const LEAD_MS = 20;

type CalledGenerator = Child<Generator> | RemoteChild<Generator>;

/** The module of the processes that generate load. */
export const GENERATOR_ENTRY: string = builtEntry(import.meta.url, "./generator-process.js");
const PROGRESS_INTERVAL_MS = 250;

/** How long to wait until every connection has had an answer. Then measuring begins all the same. */
const FILL_LIMIT_MS = 10_000;
/** The least of that time that is left for a second answer to each, now that all connections ask at the same time. */
const SETTLE_LIMIT_MS = 1000;
/** Of connections that are held, how much longer each may take. */
const HOLD_LIMIT_MS = 5;
/** The time in which all generators are told when measuring begins. */
const TELL_MS = 5;
/** How many answers each connection should have, by the pace before: three, and a tenth more because the pace varies. */
const PLANNED_ANSWERS = 3.3;
/** The longest time to which a load is extended. */
const LONGEST_MS = 15_000;

/**
 * Returns how long to measure a closed loop that is at work: as long as is asked, or longer, up to 15 s, until each connection has had three
 * answers at the pace before.
 */
export function measuringMs(askedMs: number, fills: readonly Fill[]): number {
  const { users, pace } = addEach(fills.map((fill) => ({ users: fill.users, pace: fill.pace })));
  if (pace === 0) return askedMs;
  const neededMs = PLANNED_ANSWERS * (users / pace) * 1000;
  return Math.ceil(Math.max(askedMs, Math.min(neededMs, LONGEST_MS)));
}

/**
 * Lets generator processes send their shares at the same time, and makes one measurement of their records. All end at once when the signal
 * aborts; if nothing was measured by then, it rejects with the reason of the signal. Rejects if one dies or cannot do its share, after the
 * others have stopped.
 */
export async function driveGenerators({ engine, shares, asked }: Spread, context: EngineContext): Promise<CompleteRun> {
  const { children: pool, folder, onStart, onProgress, signal } = context;
  const children = pool.acquire<Generator>(GENERATOR_ENTRY, shares.length);
  const onEach = <T>(call: (child: CalledGenerator, index: number) => Promise<T>): readonly Promise<T>[] =>
    children.map((child, index) =>
      child.place === "local" ? whileAlive(child, call(child, index)) : call(child, index),
    );
  const prepare = ({ call }: CalledGenerator, index: number): Promise<void> =>
    call.prepare({ ...(shares[index] as Load), engine, folder, place: { index, of: shares.length } });
  await Promise.all(onEach(prepare));
  // Workers on other machines are no processes of this one.
  const local = children.flatMap((child, index) => (child.place === "local" ? [{ ...child, index }] : []));
  const cut = (): void => {
    for (const { call } of children) call.cut().catch(() => {});
  };
  /** Waits for all calls. If one fails, the others are ended, so that nothing goes on loading the target. */
  const all = <T>(calls: readonly Promise<T>[]): Promise<T[]> =>
    Promise.all(calls).catch(async (error: unknown) => {
      cut();
      await Promise.allSettled(calls);
      throw error;
    });
  const cutOnAbort = (): void => signal.addEventListener("abort", cut, { once: true });
  const letGo = (): void => signal.removeEventListener("abort", cut);
  const tellStart = async (): Promise<void> => onStart?.(local.map(({ pid, name }) => ({ pid, name })));
  const hold = shares[0]?.hold;
  /** Waits until the load is at work, and tells how long it is to be measured. */
  const fill = async (askedMs: number): Promise<number> => {
    const each = async (call: (child: CalledGenerator) => Promise<Fill>): Promise<readonly Fill[]> => {
      const fills = await all(onEach(call));
      signal.throwIfAborted();
      return fills;
    };
    signal.throwIfAborted();
    cutOnAbort();
    try {
      const limitMs = FILL_LIMIT_MS + (hold === undefined ? 0 : (asked.connections ?? 0) * HOLD_LIMIT_MS);
      const began = await each(({ call }) => call.fill(limitMs));
      const leftMs = FILL_LIMIT_MS - Math.max(...began.map(({ tookMs }) => tookMs));
      // Those that are held are not to ask all at the same time.
      const settle = ({ call }: CalledGenerator) => call.settle(Math.max(leftMs, SETTLE_LIMIT_MS));
      const lastsMs = hold === undefined ? measuringMs(askedMs, await each(settle)) : askedMs;
      await tellStart();
      signal.throwIfAborted();
      return lastsMs;
    } catch (error) {
      letGo();
      cut();
      throw error;
    }
  };
  const isFilled = shares[0]?.atStart === "fill";
  const askedMs = shares[0]?.level.durationMs;
  const lastsMs = isFilled ? await fill(askedMs ?? 0) : askedMs;
  if (!isFilled) await tellStart();
  const leadMs = asked.rate === undefined ? 0 : LEAD_MS;
  const waitMs = isFilled && shares.length > 1 ? TELL_MS : leadMs;
  const startedAt = new Date(Date.now() + waitMs);
  const startNs = process.hrtime.bigint() + BigInt(waitMs * 1e6);
  const elapsedMs = (): number => Number(process.hrtime.bigint() - startNs) / 1e6;
  const ask = (second: number): Promise<readonly GeneratorProgress[]> =>
    Promise.all(children.map(({ call }) => call.progress(second)));
  const progressNow = followProgress(ask, elapsedMs, asked.users !== undefined);
  let isOver = false;
  const tell = async (): Promise<void> => {
    const progress = await progressNow();
    if (!isOver) onProgress?.({ ...progress, ...defined({ lastsMs }) });
  };
  // A generator that has died is noticed by the run itself.
  const timer = onProgress && setInterval(() => void tell().catch(() => {}), PROGRESS_INTERVAL_MS);
  cutOnAbort();
  try {
    const running = onEach(({ call }) => (isFilled ? call.run(startNs, lastsMs) : call.run(startNs)));
    if (signal.aborted) cut();
    const reports = await all(running);
    const records = reports.map(({ record }) => record);
    const workers = reports.flatMap(({ worker }) => worker ?? []);
    const bursts = reports.flatMap(({ burst }) => burst ?? []);
    const measurement = mergeRecords(records, asked, startedAt, shares[0]?.mix);
    return {
      measurement: { ...measurement, ...defined({ hold: hold && mergeHeld(records, bursts, hold, shares) }) },
      generators: local.map(({ pid, name, index }) => ({ pid, name, ...(reports[index] as GeneratorReport).usage })),
      ...defined({ workers: workers.length === 0 ? undefined : workers }),
      // The target is gone only if no generator got answers any more.
      targetGone: reports.some(({ gone, record }) => gone && records.every(({ endUs }) => endUs <= record.endUs)),
    };
  } finally {
    isOver = true;
    clearInterval(timer);
    letGo();
  }
}

/**
 * Returns a function that asks all generators how far they have come, and adds that up. It tells each second once it is over for all of
 * them, in order and without a gap; `areUsersTold`: with the number of users, as in a ramp.
 */
export function followProgress(
  ask: (second: number) => Promise<readonly GeneratorProgress[]>,
  elapsedMs: () => number,
  areUsersTold: boolean,
): () => Promise<LoadProgress> {
  let latest: TimelineSecond | undefined;
  return async () => {
    const wanted = (latest?.second ?? -1) + 1;
    const answers = await ask(wanted);
    const parts = answers.map(({ second }) => second);
    const recorded = parts.flatMap((part) => part ?? []);
    // Another call may have been answered in the meantime.
    if (!parts.includes(undefined) && recorded.length > 0 && wanted > (latest?.second ?? -1)) {
      latest = mergeSecond(wanted, recorded, areUsersTold);
    }
    const counts = addEach(answers.map(({ sent, done, failed }) => ({ sent, done, failed })));
    return { ...counts, elapsedMs: elapsedMs(), ...defined({ latest }) };
  };
}
