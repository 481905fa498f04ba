import type { Delay } from "../handler-spec.js";
import { formatDuration, parseDuration } from "./duration.js";
import { ExpectationError } from "./expectation-error.js";

/** A delay, from `10ms`, `uniform(5ms,20ms)`, `exponential(10ms)` or `normal(10ms,2ms)`. */
export function parseDelay(text: string | undefined): Delay {
  const call = /^([a-z]+)\((.*)\)$/.exec(text ?? "");
  if (call === null) return { kind: "fixed", ms: parseDuration(text) };
  const [, kind, list = ""] = call;
  const values = list.split(",").map((value) => value.trim());
  switch (kind) {
    case "uniform":
      return parseUniform(values, text);
    case "exponential":
      expectCount(values, 1, "exponential(MEAN)", text);
      return { kind, meanMs: parseDuration(values[0]) };
    case "normal":
      expectCount(values, 2, "normal(MEAN,STDDEV)", text);
      return { kind, meanMs: parseDuration(values[0]), stddevMs: parseDuration(values[1]) };
    default:
      throw new ExpectationError("uniform(MIN,MAX), exponential(MEAN) or normal(MEAN,STDDEV)", text);
  }
}

function parseUniform(values: readonly string[], text: string | undefined): Delay {
  expectCount(values, 2, "uniform(MIN,MAX)", text);
  const minMs = parseDuration(values[0]);
  const maxMs = parseDuration(values[1]);
  if (minMs > maxMs) throw new ExpectationError("uniform(MIN,MAX) with MIN not above MAX", text);
  return { kind: "uniform", minMs, maxMs };
}

function expectCount(values: readonly string[], count: number, form: string, text: string | undefined): void {
  if (values.length !== count) throw new ExpectationError(form, text);
}

/** The canonical text of a delay. */
export function formatDelay(delay: Delay): string {
  switch (delay.kind) {
    case "fixed":
      return formatDuration(delay.ms);
    case "uniform":
      return `uniform(${formatDuration(delay.minMs)},${formatDuration(delay.maxMs)})`;
    case "exponential":
      return `exponential(${formatDuration(delay.meanMs)})`;
    case "normal":
      return `normal(${formatDuration(delay.meanMs)},${formatDuration(delay.stddevMs)})`;
  }
}
