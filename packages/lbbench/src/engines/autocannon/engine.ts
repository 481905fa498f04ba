import { builtEntry } from "../../child/built-entry.js";
import { whileAlive, type Child } from "../../child/fork.js";
import type { Engine, EngineContext, EngineRun, Load } from "../../plugin.js";
import { mergeRecords } from "../merge-records.js";
import { splitLevel } from "../split-level.js";
import type { Generator, GeneratorReport } from "./generator.js";

const ENTRY = builtEntry(import.meta.url, "./generator-process.js");
const PROGRESS_INTERVAL_MS = 250;

/**
 * Closed loop over keep-alive connections, by the clients of autocannon in child processes of their own, with an
 * accounting, a clock and histograms of ours.
 */
export const autocannonEngine: Engine = {
  name: "autocannon",
  supports: { protocols: ["http"], keepAliveOff: false, tlsVerification: false },
  run: generate,
};

async function generate(load: Load, context: EngineContext): Promise<EngineRun> {
  const shares = splitLevel(load.level, load.generators);
  const children = context.children.acquire<Generator>(ENTRY, shares.length);
  const mergeable = children.length > 1;
  await onEach(children, (child, index) =>
    child.call.prepare({ ...load, level: shares[index] ?? load.level, mergeable }),
  );
  await context.onStart?.(children.map(({ pid, name }) => ({ pid, name })));

  const cutAll = (): void => {
    for (const child of children) child.call.cut().catch(() => {});
  };
  const startedAt = new Date();
  const startNs = process.hrtime.bigint();
  const progress = setInterval(() => void reportProgress(children, context, startNs), PROGRESS_INTERVAL_MS);
  context.signal.addEventListener("abort", cutAll, { once: true });
  try {
    const running = children.map((child) => whileAlive(child, child.call.run(startNs)));
    if (context.signal.aborted) cutAll();
    return toEngineRun(await allOrCut(running, cutAll), children, load, startedAt);
  } finally {
    clearInterval(progress);
    context.signal.removeEventListener("abort", cutAll);
  }
}

function onEach<T>(
  children: readonly Child<Generator>[],
  call: (child: Child<Generator>, index: number) => Promise<T>,
): Promise<T[]> {
  return Promise.all(children.map((child, index) => whileAlive(child, call(child, index))));
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
  load: Load,
  startedAt: Date,
): EngineRun {
  return {
    measurement: mergeRecords(
      reports.map(({ record }) => record),
      load.level.connections,
      startedAt,
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

async function reportProgress(
  children: readonly Child<Generator>[],
  context: EngineContext,
  startNs: bigint,
): Promise<void> {
  if (context.onProgress === undefined) return;
  try {
    const counts = await Promise.all(children.map((child) => child.call.progress()));
    context.onProgress({
      sent: counts.reduce((sum, count) => sum + count.sent, 0),
      done: counts.reduce((sum, count) => sum + count.done, 0),
      elapsedMs: Number(process.hrtime.bigint() - startNs) / 1e6,
    });
  } catch {
    // A generator that has died is noticed by the run itself.
  }
}
