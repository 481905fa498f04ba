import type { Finding } from "../model/finding.js";
import type { UnjudgedStep } from "./step-rule.js";

/**
 * Below one second a measurement is mostly start-up: connections are being made, code is being compiled, and a single
 * pause of the scheduler or the garbage collector moves every figure.
 */
export const MINIMUM_MS = 1000;

/** A run that was asked to last a second lasts some milliseconds less: its first request takes a moment to leave. */
const TOLERANCE = 0.05;

/** `TOO_SHORT` {elapsedMs, minimumMs} when a measurement is more than 5 % shorter than {@link MINIMUM_MS}. */
export function findTooShort({ measurement }: UnjudgedStep): readonly Finding[] {
  return measurement !== undefined && measurement.elapsedMs < MINIMUM_MS * (1 - TOLERANCE)
    ? [{ code: "TOO_SHORT", severity: "warning", args: { elapsedMs: measurement.elapsedMs, minimumMs: MINIMUM_MS } }]
    : [];
}
