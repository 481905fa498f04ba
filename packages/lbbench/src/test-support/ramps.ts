import type { FailureClass, Measurement, TimelineSecond } from "../model/measurement.js";
import type { StepResult } from "../model/result.js";
import type { Ramp, Scenario } from "../model/scenario.js";
import { rampUsers, type RampUsers } from "../stats/ramp-seconds.js";
import { aLatency, aMeasurement, aScenario, aStep } from "./fixtures.js";
import { defined } from "../stats/defined.js";

/** What a simulated target does in a second in which so many users are there on average. */
export interface RampMoment {
  /** Ok responses per second. */
  readonly ok: number;
  /** Failed requests per second, and how they fail; a 503 without it. */
  readonly failed?: number;
  readonly failure?: FailureClass;
  /** Median latency; by Little's law without it. */
  readonly p50?: number;
  /** How far the slowest one is above the median, as a factor; 9 without it. */
  readonly tail?: number;
}

/** What {@link aRampStep} varies: by default 1 to 100 users over 99 s, and one second more. */
export interface RampShape {
  readonly at: (users: number, second: number) => RampMoment;
  readonly users?: number;
  readonly ramp?: Ramp;
  readonly durationMs?: number;
  /** Returns a figure as a measurement might give it. */
  readonly noise?: (value: number, second: number) => number;
  readonly step?: Partial<StepResult>;
  readonly measurement?: Partial<Measurement>;
}

/** One more user every second, from 1 to 100. */
export const ONE_A_SECOND: Ramp = { from: 1, riseMs: 99_000, steps: null };

/** Builds the scenario of a ramp, by default of {@link ONE_A_SECOND} for 100 s. */
export function aRampScenario(overrides: Partial<Scenario> = {}): Scenario {
  return aScenario({ levels: [{ users: 100, durationMs: 100_000 }], ramp: ONE_A_SECOND, ...overrides });
}

/** Builds a completed ramp of a simulated target, second by second. */
export function aRampStep(shape: RampShape): StepResult {
  const { users = 100, ramp = ONE_A_SECOND, durationMs = 100_000 } = shape;
  const come = rampUsers(users, ramp);
  const timeline = Array.from({ length: Math.ceil(durationMs / 1000) }, (_, second) => aSecond(second, come, shape));
  const sum = (of: (one: TimelineSecond) => number): number => timeline.reduce((total, one) => total + of(one), 0);
  const [ok, failed] = [sum((one) => one.ok), sum((one) => one.failed)];
  const inMs = (of: (one: TimelineSecond) => number): number => Number((ok === 0 ? 0 : sum(of) / ok).toFixed(3));
  const weighed = (key: "p50" | "p90" | "p99", factor: number): number =>
    inMs((one) => one.ok * (one[key] ?? 0) * factor);
  const failures = Object.fromEntries(
    [...new Set(timeline.flatMap((one) => Object.keys(one.failures ?? {}) as FailureClass[]))].map((key) => [
      key,
      sum((one) => one.failures?.[key] ?? 0),
    ]),
  );
  // What of the users' time is left, so that Little's law holds.
  const okMs = sum((one) => one.ok * (one.p50 ?? 0));
  const failedMs = Math.max(0.4 * failed, come.mean(0, durationMs) * durationMs - okMs);
  const mean = Number((failedMs / Math.max(1, failed)).toFixed(3));
  const { latency: _, ...measurement } = aMeasurement({
    elapsedMs: durationMs,
    connections: { asked: users, opened: users, established: users },
    requests: { ok, ...failures },
    // What is answered with an unexpected status is refused.
    statusCodes: { "200": ok, ...defined({ "503": failures.non2xx }) },
    timeline,
    ...defined({ failedLatency: failed === 0 ? undefined : aLatency({ p50: mean, mean, max: mean * 3 }) }),
  });
  const max = Math.max(...timeline.map((one) => one.max ?? 0));
  const latency = aLatency({
    min: 0.4,
    mean: weighed("p50", 1),
    p50: weighed("p50", 0.9),
    p90: weighed("p90", 1),
    p99: weighed("p99", 1),
    max,
  });
  return aStep({
    level: { users, durationMs },
    measurement: { ...measurement, ...defined({ latency: ok === 0 ? undefined : latency }), ...shape.measurement },
    ...shape.step,
  });
}

function aSecond(second: number, come: RampUsers, shape: RampShape): TimelineSecond {
  const { at, noise = (value) => value } = shape;
  const present = come.mean(second * 1000, second * 1000 + 1000);
  const moment = at(present, second);
  const ok = Math.max(0, Math.round(noise(moment.ok, second)));
  const failed = Math.round(moment.failed ?? 0);
  const p50 = moment.p50 ?? (ok === 0 ? 0 : (present / ok) * 1000);
  const times = (factor: number): number | null => (ok === 0 ? null : Number((p50 * factor).toFixed(3)));
  const { tail = 9 } = moment;
  return {
    second,
    sent: ok + failed,
    ok,
    failed,
    ...defined({ failures: failed === 0 ? undefined : { [moment.failure ?? "non2xx"]: failed } }),
    p50: times(1),
    p90: times(1 + (tail - 1) / 10),
    p99: times(1 + (tail - 1) / 3),
    max: times(tail),
    users: come.at(second * 1000 + 1000),
  };
}
