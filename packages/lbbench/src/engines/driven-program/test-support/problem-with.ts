import { ProgramError } from "../program-error.js";
import type { ProgramFigures } from "../program-figures.js";

/**
 * Says what is wrong with reading some output: an error that is not about it, or names no place, or counts that do not add up;
 * `undefined` when it was understood, or refused as it should be.
 */
export function problemWith(read: () => ProgramFigures): string | undefined {
  let figures: ProgramFigures;
  try {
    figures = read();
  } catch (error) {
    if (!(error instanceof ProgramError)) return `not about the output: ${String(error)}`;
    return /line|\b(?:ab|hey|wrk) /.test(error.message) ? undefined : `names no place: ${error.message}`;
  }
  const { sent, ...outcomes } = figures.requests;
  const counts = Object.values(outcomes);
  if (counts.some((count) => !Number.isInteger(count) || count < 0))
    return `no counts: ${JSON.stringify(figures.requests)}`;
  if (counts.reduce((sum, count) => sum + count, 0) !== sent) return `lost: ${JSON.stringify(figures.requests)}`;
  const { min, p50, p75, p90, p95, p99, max } = figures.latency ?? {};
  const order = [min, p50, p75, p90, p95, p99, max].filter((value) => value !== undefined);
  const isInOrder = order.every((value, index) => value >= (order[index - 1] ?? 0));
  return isInOrder ? undefined : `latency is out of order: ${order.join(", ")}`;
}
