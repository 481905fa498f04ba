import type { Fault, FaultKind } from "../model/fault.js";
import type { ThresholdMetric } from "../model/threshold.js";
import { formatDuration } from "./format-number.js";

/** Length of the slices in which a measurement with faults is told: times until something was well again are known to it. */
export const SLICE_MS = 100;

/** Rounds a time until something was well again to its precision; `Infinity`, where it never was, stays. */
export function roundRecovery(ms: number): number {
  return Math.round(ms / SLICE_MS) * SLICE_MS;
}

/** `at once`, `400 ms`, `2.1 s`, `never` */
export function formatRecovery(ms: number): string {
  const known = roundRecovery(ms);
  if (known === 0) return "at once";
  return known === Infinity ? "never" : formatDuration(known);
}

/** `at once`, `in 2.1 s`, `in 200 ms to 2.1 s`, `in up to 2.1 s`, of what did recover, several times in up to so many ms */
export function formatRecoveredIn(ms: number, slowestMs = ms): string {
  const [first, last] = [ms, slowestMs].map(formatRecovery);
  if (first === last) return roundRecovery(ms) === 0 ? formatRecovery(ms) : `in ${first}`;
  return roundRecovery(ms) === 0 ? `in up to ${last}` : `in ${first} to ${last}`;
}

/** In what time there was no recovery: `in 2.9 s`, `before the end` of a fault that took effect as the measurement ended. */
export function formatLookedFor(ms: number): string {
  return Math.round(ms) === 0 ? "before the end" : `in ${formatDuration(ms)}`;
}

/** Kinds that undo others, and which. */
export const UNDOES: ReadonlyMap<FaultKind, readonly FaultKind[]> = new Map([
  ["start", ["kill", "stop"]],
  ["resume", ["pause"]],
  ["restore", ["drain"]],
]);

/** Whether a fault is one to be survived; the others end one. */
export function harms({ kind, byMs, share }: Pick<Fault, "kind" | "byMs" | "share">): boolean {
  return !UNDOES.has(kind) && (byMs ?? share ?? 1) > 0;
}

/** Whether faults of the scenario may be why requests of any of some steps failed. */
export function areHarmed(steps: readonly { readonly faults?: readonly Fault[] }[]): boolean {
  return steps.some(({ faults = [] }) => faults.some(harms));
}

/** What only faults have of a step: requests lost, and the time until it had recovered. */
export function isOfFaults(metric: ThresholdMetric): metric is "lost" | "recovery" {
  return metric === "lost" || metric === "recovery";
}

/** A fault as it is written: `kill backend-2 at 3s`, `slow backend-2 by 200ms at 1.5s`, `errors backend-2 50% at 3s`. */
export function formatFault(fault: Fault): string {
  return `${formatDeed(fault)} at ${formatMs(fault.atMs)}`;
}

type Deed = Omit<Fault, "part" | "atMs"> & { readonly part?: string };

/** The same without its time: `kill backend-2`; without a part what is done alone: `start`. */
export function formatDeed({ kind, part, byMs, share }: Deed): string {
  const by = byMs === undefined ? [] : ["by", formatMs(byMs)];
  // 0.07 * 100 is 7.000000000000001.
  const percent = share === undefined ? [] : [`${Number((share * 100).toPrecision(12))}%`];
  return [kind, ...(part === undefined ? [] : [part]), ...by, ...percent].join(" ");
}

function formatMs(ms: number): string {
  if (ms === 0) return "0";
  return ms < 1000 ? `${ms}ms` : `${ms / 1000}s`;
}
