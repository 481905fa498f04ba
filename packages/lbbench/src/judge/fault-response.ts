/** What the faults of a step did to its requests. */
import type { DoneFault } from "../model/fault.js";
import type { FailureClass, Slices } from "../model/measurement.js";
import type { StepResult } from "../model/result.js";
import { formatFault, harms } from "../stats/faults.js";
import { cellPercentileMs, cellStartMs, mergeCells } from "../stats/latency-cells.js";
import { defined } from "../stats/defined.js";
import { sumOf } from "../stats/descriptive.js";
import { found, type StepRule } from "./found.js";

/** What a target made of a fault. Times are in ms from when the fault had taken effect, to the slice. */
export interface FaultResponse {
  readonly fault: DoneFault;
  /** How long it was looked at: until the next fault that harms, or the end of the measurement. Above 0, but where it ended at once. */
  readonly lookedMs: number;
  /** Requests that failed in that time. */
  readonly lost: number;
  /** How they failed, the ways that occurred. */
  readonly failures: Readonly<Partial<Record<FailureClass, number>>>;
  /** ok answers that took over 100 ms longer than p99 did before the faults. */
  readonly slow: number;
  /**
   * Until answers came as before and none failed, for good; `null` where that never was, or where too little is left to tell. Absent where
   * the next fault that harms came within half a second, too early to tell.
   */
  readonly recoveryMs?: number | null;
  readonly firstLostMs: number | null;
  readonly lastLostMs: number | null;
  /** p99 of the ok answers until half a second after it had recovered, for a second at least, to 9 %; `null` without any. */
  readonly p99Ms: number | null;
  /** p99 before the first fault, to 9 %. */
  readonly p99BeforeMs: number | null;
  /** Share of the requests that the part still got until it was healed, 0 to 1; `null` where requests are not counted, and of a part that is no backend. */
  readonly shareDuring: number | null;
  /**
   * How long after it was started, resumed or restored the part had its share of requests again; `null` where it never had. Absent where it
   * was not healed, had no requests before, was looked at for less than half a second, or its requests are not counted.
   */
  readonly shareBackMs?: number | null;
  /** How long it was looked at after that, until the next fault of the part or the end; with `shareBackMs`. */
  readonly shareLookedMs?: number;
}

/** What is steady is seen in so long a time. */
const WINDOW_MS = 500;
/** Goodput has recovered within this part of what it was. */
const TOLERANCE = 0.05;
/** A request that falls on one side of a slice's border or on the other. */
const AT_A_BORDER = 1;
/** Of requests that end: fewer failures are no outage. */
const MOST_FAILED = 0.001;
/** Answers of an open loop that comes at random are fewer at times without any fault. */
const LEAST_SENT = 0.8;
const SLOWER_MS = 100;
const LEAST_P99_MS = 1000;
/** Part of its former share of requests from which on a backend is used again. */
const SHARE_BACK = 0.8;

type Counts = readonly number[];

/** What was measured in a step, and what was done to its target meanwhile. */
export type Measured = Pick<StepResult, "level" | "measurement" | "faults">;

/**
 * Tells what every fault that harms and took effect did, in order of time; none without slices. Of faults that took effect at the same
 * moment the last has the figures of all.
 */
export function faultResponses({ level, measurement, faults = [] }: Measured): readonly FaultResponse[] {
  const { slices } = measurement ?? {};
  const effective = faults.filter(hasEffect);
  const harmful = effective.filter(harms);
  const [first] = harmful;
  if (slices === undefined || first === undefined) return [];
  const { ms } = slices;
  const last = slices.sent.length;
  const before = [0, startOf(first, ms)] as const;
  const failed = failuresOf(slices);
  const [okIn, failedIn, sentIn] = [summed(slices.ok), summed(failed), summed(slices.sent)];
  const size = Math.ceil(WINDOW_MS / ms);
  // Of too little before it, an open loop tells what was asked for.
  const isTold = level.rate === undefined || before[1] >= size;
  const usualOk = isTold ? okIn(...before) / Math.max(1, before[1]) : (level.rate * ms) / 1000;
  const usualFailed = share(failedIn(...before), okIn(...before));
  const cellsIn = (from: number, to: number) => mergeCells(slices.latencies.slice(from, to));
  const p99BeforeMs = cellPercentileMs(cellsIn(...before), 99);

  const isSteady = (from: number, to: number): boolean => {
    const [ok, lost, sent] = [okIn(from, to), failedIn(from, to), sentIn(from, to)];
    const usual = usualOk * (to - from);
    // What is sent at random is answered at random; a closed loop that waits sends less, and so does an open loop whose senders are all busy.
    const expected = level.rate === undefined ? usual : Math.min(usual, Math.max(sent, LEAST_SENT * usual));
    return ok + AT_A_BORDER >= (1 - TOLERANCE) * expected && share(lost, ok) <= MOST_FAILED + usualFailed;
  };
  const recoveredAt = (from: number, to: number): number | null => {
    for (let at = from; at + size <= to; at += 1)
      if (isSteady(at, at + 1) && isSteady(at, at + size) && isSteady(at, to)) return at;
    return null;
  };

  return windowsOf(harmful, slices).map(({ fault, from, to }) => {
    const { effectMs, part } = fault;
    const sinceEffect = (slice: number): number => Math.max(0, slice * ms - effectMs);
    // The last slice may have been cut short.
    const recovered = recoveredAt(from, Math.min(to, last - 1));
    const lostIn = [...failed.keys()].filter((slice) => slice >= from && slice < to && failed[slice] !== 0);
    const [firstLost, lastLost] = [lostIn[0], lostIn.at(-1)];
    // What was held back ends when it has recovered.
    const p99Until = Math.min(to, Math.max((recovered ?? to) + WINDOW_MS / ms, from + LEAST_P99_MS / ms));
    const slowFromMs = (p99BeforeMs ?? 0) + SLOWER_MS;
    const failures = Object.entries(slices.failures)
      .map(([kind, counts]) => [kind, summed(counts ?? [])(from, to)] as const)
      .filter(([, count]) => count > 0);
    const lookedMs = Math.max(0, to * ms - effectMs);
    const isTooEarly = recovered === null && to < last && lookedMs < WINDOW_MS;
    const recoveryMs = recovered === null ? null : recovered === from ? 0 : sinceEffect(recovered);
    return {
      fault,
      lookedMs,
      lost: failedIn(from, to),
      failures: Object.fromEntries(failures),
      slow: cellsIn(from, to).reduce((all, [cell, count]) => all + (cellStartMs(cell) >= slowFromMs ? count : 0), 0),
      ...defined({ recoveryMs: isTooEarly ? undefined : recoveryMs }),
      firstLostMs: firstLost === undefined ? null : sinceEffect(firstLost),
      lastLostMs: lastLost === undefined ? null : sinceEffect(lastLost + 1),
      p99Ms: cellPercentileMs(cellsIn(from, p99Until), 99),
      p99BeforeMs,
      ...shareOf(part, fault, effective, slices, before),
    };
  });
}

/** `FAULT_NOT_APPLIED`; of the faults that harm `FAULT_SURVIVED`, `FAULT_LOST`, `NOT_RECOVERED` and `BACKEND_NOT_USED_AGAIN`. */
export const findFaults: StepRule = (step, { policies }) => {
  const { faults = [], measurement } = step;
  const undone = faults.filter(({ effectMs }) => effectMs === null);
  // A comparison of policies tells what its faults cost by the deadline.
  const responses = policies === undefined ? faultResponses(step) : [];
  return [
    ...undone.flatMap((fault) =>
      found("FAULT_NOT_APPLIED", "error", { fault: formatFault(fault), message: fault.error ?? "no reason is known" }),
    ),
    ...responses.flatMap(({ fault: done, lost, recoveryMs, lookedMs, shareBackMs, shareLookedMs = 0 }) => {
      const fault = formatFault(done);
      const { sent = 0 } = measurement?.requests ?? {};
      const recovery = { recoveryMs: recoveryMs ?? undefined };
      return [
        // Without a recovery requests may be left that wait for an answer.
        ...(lost === 0 && typeof recoveryMs === "number" && !wasIdle(done, measurement?.slices)
          ? found("FAULT_SURVIVED", "info", { fault })
          : []),
        ...(lost > 0 ? found("FAULT_LOST", "info", { fault, count: lost, sent, share: lost / sent, ...recovery }) : []),
        ...(recoveryMs === null ? found("NOT_RECOVERED", "warning", { fault, lookedMs }) : []),
        ...(shareBackMs === null
          ? found("BACKEND_NOT_USED_AGAIN", "warning", { fault, process: done.part, lookedMs: shareLookedMs })
          : []),
      ];
    }),
  ];
};

/** Whether a part of a fault had no request before it, while others had some. */
function wasIdle({ part, effectMs }: DoneFault, slices: Slices | undefined): boolean {
  const { ms = 1, backends = {} } = slices ?? {};
  const until = Math.ceil((effectMs ?? 0) / ms);
  const before = Object.entries(backends).map(([name, counts]) => ({ name, requests: summed(counts)(0, until) }));
  return before.some(({ requests }) => requests > 0) && before.some((one) => one.name === part && one.requests === 0);
}

/** Part of the requests of a step that failed before a fault was done that harms; `null` where none was, or there are no slices. */
export function shareFailedBefore({ measurement, faults = [] }: Omit<Measured, "level">): number | null {
  const { slices } = measurement ?? {};
  const first = faults.filter(hasEffect).find(harms);
  if (slices === undefined || first === undefined) return null;
  const until = startOf(first, slices.ms);
  return share(summed(failuresOf(slices))(0, until), summed(slices.ok)(0, until));
}

/** A fault that took effect. */
type Effective = DoneFault & { readonly effectMs: number };

function hasEffect(fault: DoneFault): fault is Effective {
  return fault.effectMs !== null;
}

/** The first slice that a fault may have changed: its effect is seen a moment after it came, and a stop takes until the last answer. */
function startOf({ beganMs, effectMs }: Effective, ms: number): number {
  const seen = Math.floor(effectMs / ms) - 1;
  return Math.max(0, Math.min(seen, Math.floor((beganMs ?? effectMs) / ms)));
}

/** The slices in which to look at each fault; those of faults at the same moment are the last one's. */
function windowsOf(harmful: readonly Effective[], { ms, sent }: Slices) {
  let earliest = Infinity;
  return harmful.flatMap((fault, index) => {
    const from = Math.min(earliest, startOf(fault, ms));
    const next = harmful[index + 1];
    const to = next === undefined ? sent.length : Math.max(from, startOf(next, ms));
    const isWithNext = next !== undefined && to * ms <= fault.effectMs;
    earliest = isWithNext ? from : Infinity;
    return isWithNext ? [] : [{ fault, from, to }];
  });
}

/** What became of a backend's share of the requests: from the fault until it was healed, and then. */
function shareOf(
  part: string,
  fault: Effective,
  all: readonly Effective[],
  { ms, backends = {} }: Slices,
  before: readonly [number, number],
): Pick<FaultResponse, "shareDuring" | "shareBackMs" | "shareLookedMs"> {
  const own = Object.hasOwn(backends, part) ? backends[part] : undefined;
  if (own === undefined) return { shareDuring: null };
  const [ofAll, ofPart] = [Object.values(backends).map(summed), summed(own)];
  const shareIn = (from: number, to: number): number => {
    const total = sumOf(ofAll, (of) => of(from, to));
    return total === 0 ? 0 : ofPart(from, to) / total;
  };
  const [after, next] = all.filter((other) => other.part === part && other.effectMs > fault.effectMs);
  // The slice in which it takes effect has requests from before.
  const from = Math.ceil(fault.effectMs / ms);
  const to = after === undefined ? own.length : Math.floor(after.effectMs / ms);
  const shareDuring = to > from ? shareIn(from, to) : null;
  // It was not healed.
  if (after === undefined || harms(after)) return { shareDuring };
  const usual = shareIn(...before);
  const until = next === undefined ? own.length : Math.floor(next.effectMs / ms);
  const size = Math.ceil(WINDOW_MS / ms);
  if (usual === 0 || until - to < size) return { shareDuring };
  const sinceHealed = (slice: number): number => Math.max(0, slice * ms - after.effectMs);
  const told = { shareDuring, shareLookedMs: sinceHealed(until) };
  for (let at = to; at + size <= until; at += 1)
    if (shareIn(at, at + size) >= SHARE_BACK * usual) return { ...told, shareBackMs: sinceHealed(at) };
  return { ...told, shareBackMs: null };
}

function failuresOf({ sent, failures }: Slices): Counts {
  const lists = Object.values(failures);
  return sent.map((_, slice) => sumOf(lists, (counts) => counts[slice] ?? 0));
}

/** Returns what tells the sum from one slice to before another: it reads the counts once. */
function summed(counts: Counts): (from: number, to: number) => number {
  const totals = [0];
  for (const count of counts) totals.push((totals.at(-1) ?? 0) + count);
  const until = (at: number): number => totals[Math.min(at, counts.length)] ?? 0;
  return (from, to) => until(to) - until(from);
}

/** Part of the requests that ended that failed. */
function share(failed: number, ok: number): number {
  return failed === 0 ? 0 : failed / (failed + ok);
}
