import type { CompleteMeasurement, TimelineSecond } from "../model/measurement.js";
import type { Child } from "../model/child.js";
import type { Engine, EngineContext, EngineRun, Load, LoadProgress } from "../plugin.js";
import { builtEntry, whileAlive } from "../system/fork.js";
import type { Generator, GeneratorEngine, GeneratorProgress, GeneratorReport } from "./generator.js";
import { mergeRecords, mergeSecond, type Asked } from "./merge.js";

/** What came of a load of which everything was seen. */
export interface CompleteRun extends EngineRun {
  readonly measurement: CompleteMeasurement;
}

/** An engine that generates the load itself, and tells all of it. */
export interface CompleteEngine extends Engine {
  readonly run: (load: Load, context: EngineContext) => Promise<CompleteRun>;
}

/** How an engine spreads a load over processes. */
export interface Spread {
  readonly engine: GeneratorEngine;
  /** What each process sends; one or more. */
  readonly shares: readonly Load[];
  /** Connections that all of them together are to open, or the rate at which they are to send. */
  readonly asked: Asked;
  /** How long before the common start they are called; not at all by default. */
  readonly leadMs?: number;
}

const ENTRY = builtEntry(import.meta.url, "./generator-process.js");
const PROGRESS_INTERVAL_MS = 250;
const NS_PER_MS = 1_000_000n;

/**
 * Lets generator processes send their shares at the same time and makes one measurement of what they recorded. Tells
 * progress, and ends all of them at once when the signal aborts. Rejects when one of them dies or cannot do its share; the
 * others have stopped by then.
 */
export async function driveGenerators(spread: Spread, context: EngineContext): Promise<CompleteRun> {
  const { shares, engine, leadMs = 0 } = spread;
  const { children: pool, folder, onStart, signal } = context;
  const children = pool.acquire<Generator>(ENTRY, shares.length);
  const mergeable = children.length > 1;
  await Promise.all(
    children.map((child, index) => {
      const share = shares[index];
      if (share === undefined) throw new Error("There are more generators than shares of the load");
      const place = { index, of: shares.length };
      return whileAlive(child, child.call.prepare({ ...share, engine, mergeable, folder, place }));
    }),
  );
  await onStart?.(children.map(({ pid, name }) => ({ pid, name })));

  const cutAll = (): void => {
    for (const child of children) child.call.cut().catch(() => {});
  };
  const startedAt = new Date(Date.now() + leadMs);
  const startNs = process.hrtime.bigint() + BigInt(leadMs) * NS_PER_MS;
  const stopProgress = tellProgress(children, spread, context, () => Number(process.hrtime.bigint() - startNs) / 1e6);
  signal.addEventListener("abort", cutAll, { once: true });
  try {
    const running = children.map((child) => whileAlive(child, child.call.run(startNs)));
    if (signal.aborted) cutAll();
    return toEngineRun(await allOrCut(running, cutAll), children, spread, startedAt);
  } finally {
    stopProgress();
    signal.removeEventListener("abort", cutAll);
  }
}

/** When one generator fails the others must not go on loading the target behind the caller's back. */
async function allOrCut<T>(running: readonly Promise<T>[], cutAll: () => void): Promise<T[]> {
  try {
    return await Promise.all(running);
  } catch (error) {
    cutAll();
    await Promise.allSettled(running);
    throw error;
  }
}

function toEngineRun(
  reports: readonly GeneratorReport[],
  children: readonly Child<Generator>[],
  { asked, shares }: Spread,
  startedAt: Date,
): CompleteRun {
  const records = reports.map(({ record }) => record);
  return {
    measurement: mergeRecords(records, asked, startedAt, shares[0]?.mix),
    generators: reports.map(({ usage }, index) => ({
      pid: children[index]?.pid ?? -1,
      name: children[index]?.name ?? "",
      ...usage,
    })),
    targetGone: reports.some((report) => report.gone && reports.every((other) => endUs(other) <= endUs(report))),
  };
}

/** A generator that gave up while another still got answers does not mean that the target is gone. */
function endUs({ record }: GeneratorReport): number {
  return record.stoppedUs ?? record.lastDoneUs;
}

/** Tells the progress from time to time, where somebody listens; returns what ends that. */
function tellProgress(
  children: readonly Child<Generator>[],
  { asked }: Spread,
  { onProgress }: EngineContext,
  elapsedMs: () => number,
): () => void {
  if (onProgress === undefined) return () => {};
  const ask = (second?: number): Promise<readonly GeneratorProgress[]> =>
    Promise.all(children.map((child) => child.call.progress(second)));
  const progressNow = followProgress({ ask, elapsedMs, areUsersTold: asked.users !== undefined });
  let isOver = false;
  const tell = async (): Promise<void> => {
    try {
      const progress = await progressNow();
      if (!isOver) onProgress(progress);
    } catch {
      // A generator that has died is noticed by the run itself.
    }
  };
  const timer = setInterval(() => void tell(), PROGRESS_INTERVAL_MS);
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}

/** What is asked of generators to follow them. */
export interface Followed {
  /** Asks every generator how far it has come, and what it recorded in `second`, which is over, where it is given. */
  readonly ask: (second?: number) => Promise<readonly GeneratorProgress[]>;
  /** Milliseconds since the common start. */
  readonly elapsedMs: () => number;
  /** Whether the seconds tell users, as those of a ramp do. */
  readonly areUsersTold: boolean;
}

/**
 * Puts together how far all generators of a load have come. Each call asks them; a second is asked for once, when it is over, and
 * told until the next one is. Seconds are told in their order without a gap, also where calls come late.
 */
export function followProgress({ ask, elapsedMs, areUsersTold }: Followed): () => Promise<LoadProgress> {
  let latest: TimelineSecond | undefined;
  return async () => {
    const wanted = (latest?.second ?? -1) + 1;
    const isOver = elapsedMs() >= (wanted + 1) * 1000;
    const answers = isOver ? await ask(wanted) : await ask();
    const parts = answers.map(({ second }) => second);
    // While one of them can still count something in it, it does not stand.
    if (isOver && !parts.includes(undefined) && parts.some((part) => part !== null)) {
      const recorded = parts.flatMap((part) => part ?? []);
      if (wanted > (latest?.second ?? -1)) latest = mergeSecond(wanted, recorded, areUsersTold);
    }
    const total = (value: (answer: GeneratorProgress) => number): number =>
      answers.reduce((sum, answer) => sum + value(answer), 0);
    return {
      sent: total(({ sent }) => sent),
      done: total(({ done }) => done),
      failed: total(({ failed }) => failed),
      elapsedMs: elapsedMs(),
      ...(latest === undefined ? {} : { latest }),
    };
  };
}
