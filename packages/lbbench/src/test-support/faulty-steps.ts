import type { DoneFault } from "../model/fault.js";
import type { Slices } from "../model/measurement.js";
import { latencyCell } from "../stats/latency-cells.js";

const MS = 100;
const PER_SLICE = 50;
const LASTS = 100;

/** What a slice has beside the usual 50 answers of 2 ms. */
export interface Slice {
  readonly ok?: number;
  readonly sent?: number;
  readonly resets?: number;
  readonly timedOut?: number;
  readonly latencyMs?: number;
  /** Requests of backend-1 and backend-2. */
  readonly given?: readonly [number, number];
}

/** Ten seconds of 500 requests a second in which something goes on from one slice to another. */
export function slicesOf(events: readonly (readonly [from: number, to: number, what: Slice])[]): Slices {
  const all = Array.from({ length: LASTS }, (_, at): Required<Slice> => {
    const usual = { ok: PER_SLICE, sent: PER_SLICE, resets: 0, timedOut: 0, latencyMs: 2, given: [25, 25] as const };
    return Object.assign(
      usual,
      ...events.filter(([from, to]) => at >= from && at < to).map(([, , what]) => what),
    ) as Required<Slice>;
  });
  return {
    ms: MS,
    sent: all.map(({ sent }) => sent),
    ok: all.map(({ ok }) => ok),
    failures: { resets: all.map(({ resets }) => resets), timedOut: all.map(({ timedOut }) => timedOut) },
    latencies: all.map(({ ok, latencyMs }) => (ok === 0 ? [] : [[latencyCell(latencyMs * 1000), ok]])),
    backends: { "backend-1": all.map(({ given }) => given[0]), "backend-2": all.map(({ given }) => given[1]) },
  };
}

/** A fault that took effect when it was to, or that could not be done (`null`). */
export const doneFault = (kind: DoneFault["kind"], effectMs: number | null, part = "backend-2"): DoneFault => ({
  kind,
  part,
  atMs: effectMs ?? 0,
  effectMs,
});
