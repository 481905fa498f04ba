import type { Measurement } from "../../model/measurement.js";
import type { StepResult } from "../../model/result.js";
import type { Family } from "./family.js";

/** A figure with the labels that tell it from others of the same step; there is none where the value is not told. */
export type Figure = readonly [labels: Readonly<Record<string, string>>, value: number | null | undefined];

/** Figures of steps of one name, and the labels that they have beside those of the step. */
export interface StepFamily extends Pick<Family, "name" | "type" | "help"> {
  readonly labels?: readonly string[];
  readonly of: (step: StepResult) => readonly Figure[];
}

/** Takes figures from the measurement of a step; none where it has none. */
export function measured(of: (measurement: Measurement) => readonly Figure[]): StepFamily["of"] {
  return ({ measurement }) => (measurement === undefined ? [] : of(measurement));
}

/** Milliseconds as seconds. */
export function inSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}
