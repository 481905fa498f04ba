import { type Child, whileAlive } from "../system/fork.js";
import type { EngineContext, Load } from "../plugin.js";
import type { CompleteRun } from "./complete-engine.js";
import { followProgress } from "./follow-progress.js";
import type { Generator, GeneratorReport } from "./generator.js";
import { mergeRecords, type Asked } from "./merge-records.js";

/** How an engine spreads a load over processes. */
export interface Spread {
  /** The built module of a generator process. */
  readonly entry: string;
  /** What each process sends; one or more. */
  readonly shares: readonly Load[];
  /** Connections that all of them together are to open, or the rate at which they are to send. */
  readonly asked: Asked;
  /** How long before the common start they are called; not at all by default. */
  readonly leadMs?: number;
}

const PROGRESS_INTERVAL_MS = 250;
const NS_PER_MS = 1_000_000n;

/**
 * Lets generator processes send their shares at the same time and makes one measurement of what they recorded. Tells
 * progress, and ends all of them at once when the signal aborts. Rejects when one of them dies or cannot do its share; the
 * others have stopped by then.
 */
export async function driveGenerators(spread: Spread, context: EngineContext): Promise<CompleteRun> {
  const { shares, entry } = spread;
  const children = context.children.acquire<Generator>(entry, shares.length);
  const mergeable = children.length > 1;
  await Promise.all(
    children.map((child, index) => {
      const share = shares[index];
      if (share === undefined) throw new Error("There are more generators than shares of the load");
      return whileAlive(
        child,
        child.call.prepare({ ...share, mergeable, folder: context.folder, place: { index, of: shares.length } }),
      );
    }),
  );
  await context.onStart?.(children.map(({ pid, name }) => ({ pid, name })));

  const cutAll = (): void => {
    for (const child of children) child.call.cut().catch(() => {});
  };
  const { leadMs = 0 } = spread;
  const startedAt = new Date(Date.now() + leadMs);
  const startNs = process.hrtime.bigint() + BigInt(leadMs) * NS_PER_MS;
  const stopProgress = reportProgress(children, spread, context, () => Number(process.hrtime.bigint() - startNs) / 1e6);
  context.signal.addEventListener("abort", cutAll, { once: true });
  try {
    const running = children.map((child) => whileAlive(child, child.call.run(startNs)));
    if (context.signal.aborted) cutAll();
    return toEngineRun(await allOrCut(running, cutAll), children, spread, startedAt);
  } finally {
    stopProgress();
    context.signal.removeEventListener("abort", cutAll);
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
  return {
    measurement: mergeRecords(
      reports.map(({ record }) => record),
      asked,
      startedAt,
      shares[0]?.mix,
    ),
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
function reportProgress(
  children: readonly Child<Generator>[],
  { asked }: Spread,
  { onProgress }: EngineContext,
  elapsedMs: () => number,
): () => void {
  if (onProgress === undefined) return () => {};
  const progressNow = followProgress({
    ask: (second) => Promise.all(children.map((child) => child.call.progress(second))),
    elapsedMs,
    areUsersTold: asked.users !== undefined,
  });
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
