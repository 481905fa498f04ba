import type { FailureClass, TimelineSecond } from "../../model/measurement.js";
import type { StepResult } from "../../model/result.js";
import { known } from "./known-figures.js";
import type { Column } from "./column.js";
import { PLACE_COLUMNS } from "./place-columns.js";

/** One second of the measurement of a step. */
export interface StepSecond {
  readonly step: StepResult;
  readonly second: TimelineSecond;
}

const FAILURES: readonly (readonly [name: string, failure: FailureClass])[] = [
  ["non2xx", "non2xx"],
  ["mismatched", "mismatched"],
  ["connect_errors", "connectErrors"],
  ["resets", "resets"],
  ["dropped", "dropped"],
  ["timed_out", "timedOut"],
];

/** The columns of `seconds.csv`, as docs/formats.md describes them. */
export const SECOND_COLUMNS: readonly Column<StepSecond>[] = [
  ...PLACE_COLUMNS.map(({ name, of }) => ({ name, of: ({ step }: StepSecond) => of(step) })),
  ...known<StepSecond>([
    { name: "second", of: ({ second }) => second.second },
    { name: "sent", of: ({ second }) => second.sent },
    { name: "ok", of: ({ second }) => second.ok },
    { name: "failed", of: ({ second }) => second.failed },
    ...FAILURES.map(([name, failure]) => ({ name, of: ({ second }: StepSecond) => countFailures(second, failure) })),
    { name: "latency_p50_ms", of: ({ second }) => second.p50 },
    { name: "latency_p90_ms", of: ({ second }) => second.p90 },
    { name: "latency_p99_ms", of: ({ second }) => second.p99 },
    { name: "latency_max_ms", of: ({ second }) => second.max },
    { name: "users", of: ({ second }) => second.users },
  ]),
];

/** Returns every second of every step, in order. */
export function listSeconds(steps: readonly StepResult[]): readonly StepSecond[] {
  return steps.flatMap((step) => (step.measurement?.timeline ?? []).map((second) => ({ step, second })));
}

/** Only the ways that occurred are listed; without a list nothing is known of them, unless nothing failed. */
function countFailures({ failures, failed }: TimelineSecond, failure: FailureClass): number | null {
  return failures === undefined && failed > 0 ? null : (failures?.[failure] ?? 0);
}
