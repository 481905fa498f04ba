import type { Fault, FaultKind } from "../../model/fault.js";
import type { Result } from "../../model/result.js";
import { doneFault, type Slice, slicesOf } from "../../test-support/faulty-steps.js";
import { aMeasurement, aResult, aScenario, aStep } from "../../test-support/fixtures.js";
import { defined } from "../../stats/defined.js";

/** What {@link aFaultyResult} varies. */
interface FaultyShape {
  /** Requests that each target loses when a backend is killed; one more by trial where it loses any. */
  readonly lost?: Readonly<Record<string, number>>;
  readonly trials?: number;
  readonly faults?: readonly (readonly [kind: FaultKind, atMs: number, part?: string])[];
  /** In how many slices, from that in which the first fault is done, half of the answers of a target do not come. */
  readonly outages?: Readonly<Record<string, number>>;
  /** What else goes on, from a slice to another. */
  readonly events?: readonly (readonly [from: number, to: number, what: Slice])[];
  /** A target to which the first fault cannot be done. */
  readonly refuses?: string;
}

const LEVEL = { rate: 500, durationMs: 10_000 };
const PER_SLICE = 50;

/** Builds the result of ten seconds at 500 requests a second in which a backend is killed and started, unless asked otherwise. */
export function aFaultyResult(shape: FaultyShape = {}): Result {
  const { lost = { balanced: 0, haproxy: 3, nginx: 41 }, trials = 1, events = [], outages = {}, refuses } = shape;
  const { faults = [["kill", 3000] as const, ["start", 6000] as const] } = shape;
  const targets = Object.keys(lost);
  const steps = Object.entries(lost).flatMap(([target, count]) =>
    Array.from({ length: trials }, (_, trial) => {
      const resets = count === 0 ? 0 : count + trial;
      const slices = slicesOf([
        [30, 31, { resets, ok: Math.max(0, PER_SLICE - resets), given: [45, 5] }],
        [30, 30 + (outages[target] ?? 0), { ok: PER_SLICE / 2 }],
        ...events,
      ]);
      const sum = (counts: readonly number[] = []): number => counts.reduce((all, one) => all + one, 0);
      const ok = sum(slices.ok);
      const requests = { ok, resets: sum(slices.failures.resets), timedOut: sum(slices.failures.timedOut) };
      return aStep({
        target,
        trial: trial + 1,
        level: LEVEL,
        engine: "wire",
        measurement: aMeasurement({ elapsedMs: 10_000, requests, slices }),
        faults: faults.map(([kind, atMs, part], at) => {
          const isRefused = target === refuses && at === 0;
          const fault = doneFault(kind, isRefused ? null : atMs + 20, part);
          return { ...fault, atMs, ...defined({ error: isRefused ? "it has no such process" : undefined }) };
        }),
      });
    }),
  );
  const asked = faults.map(([kind, atMs, part = "backend-2"]): Fault => ({ kind, atMs, part }));
  const scenario = aScenario({
    name: "failover",
    targets: targets.map((name) => ({ name, server: "url", options: {} })),
    reference: targets.length > 1 ? (targets[0] ?? null) : null,
    levels: [LEVEL],
    trials,
    faults: asked,
  });
  return aResult({ scenario, steps });
}
