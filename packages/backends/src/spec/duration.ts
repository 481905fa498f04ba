import ms from "ms";
import { ExpectationError } from "./expectation-error.js";

const MAX_MS = ms("1d");

/** A duration in ms, from text with a unit (`10ms`, `1.5s`, `2m`); precise to a microsecond, at most a day. */
export function parseDuration(text: string | undefined): number {
  if (text === undefined || !/^\d+(\.\d+)?(ms|s|m)$/.test(text)) {
    const missingUnit = text !== undefined && /^\d+(\.\d+)?$/.test(text);
    const hint = missingUnit ? ` (without a unit it is not clear: write ${text}ms or ${text}s)` : "";
    throw new ExpectationError(`a duration with a unit, like 10ms, 1.5s or 2m${hint}`, text);
  }
  const value = Math.round(ms(text as ms.StringValue) * 1000) / 1000;
  if (value > MAX_MS) throw new ExpectationError("a duration of at most a day", text);
  return value;
}

/** The canonical text of a duration, always in ms. */
export function formatDuration(durationMs: number): string {
  return `${durationMs}ms`;
}
