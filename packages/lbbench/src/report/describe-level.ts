import type { Level } from "../model/level.js";
import type { Ramp } from "../model/scenario.js";
import { LOAD_WORDS, loadOf, loadValue, type LoadWords } from "../stats/load.js";
import { formatCount, formatDuration, countOf } from "../stats/format-number.js";

/** Names how much a level asks for: `1,000 requests`, `1 request`, `3 s`. */
export function describeAmount({ requests, durationMs }: Level): string {
  if (requests !== undefined) return countOf(requests, "request");
  return durationMs === undefined ? "" : formatDuration(durationMs);
}

/** The words for what some levels are values of; they are all of one kind. */
export function loadWords(levels: readonly Level[]): LoadWords {
  const [first] = levels;
  return LOAD_WORDS[first === undefined ? "connections" : loadOf(first).kind];
}

/** The value of a level: `1,000`; `–` where imported output does not tell it. */
export function formatLoad(level: Level): string {
  return loadValue(level) === 0 ? "–" : formatCount(loadValue(level));
}

/** Returns what writes the load of a level in a table: `1,000`, with its amount where that differs among all levels: `1,000 (5 s)`. */
export function levelFormatter(all: readonly Level[]): (level: Level) => string {
  // Once: a table may have thousands of rows.
  const hasAmount = distinctAmounts(all).length > 1;
  return (level) => `${formatLoad(level)}${hasAmount ? ` (${describeAmount(level)})` : ""}`;
}

/** Names the load of a level: `1 connection`, `1,000 requests/s`. */
export function describeLoad(level: Level): string {
  return describeLoads([level]);
}

/** Names the loads of some levels: `1 / 50 / 100 connections`, of a ramp `up to 100 users`. */
export function describeLoads(levels: readonly Level[], separator = " / "): string {
  const { one, many } = loadWords(levels);
  const values = levels.map(loadValue);
  if (values.every((value) => value === 0)) return `an unknown number of ${many}`;
  const upTo = levels.some((level) => level.users !== undefined) ? "up to " : "";
  return `${upTo}${levels.map(formatLoad).join(separator)} ${values.length === 1 && values[0] === 1 ? one : many}`;
}

const MOST_NAMED = 4;

/** Names some levels of a run: as {@link describeLoads}, in a matrix `1 connection with 100 requests`, or `7 of 20 levels`. */
export function describePlaces(levels: readonly Level[], all: readonly Level[]): string {
  if (distinctAmounts(all).length < 2) return describeLoads(levels);
  if (levels.length > MOST_NAMED) return `${formatCount(levels.length)} of ${formatCount(all.length)} levels`;
  return levels.map((level) => `${describeLoad(level)} with ${describeAmount(level)}`).join(", ");
}

/** Returns the amounts that occur in some levels, each once; more than one in a matrix with requests. */
export function distinctAmounts(levels: readonly Level[]): readonly string[] {
  return [...new Set(levels.map(describeAmount))];
}

/** Says how users come: `1 to 100 users over 1 min 39 s, then 1 s with all of them`. */
export function describeRamp(level: Level, { from, riseMs, steps }: Ramp): string {
  const users = loadValue(level);
  const restMs = (level.durationMs ?? riseMs) - riseMs;
  const inSteps = steps === null ? "" : ` in ${countOf(steps, "step")}`;
  const rise = `${formatCount(from)} to ${countOf(users, "user")} over ${formatDuration(riseMs)}${inSteps}`;
  return restMs > 0 ? `${rise}, then ${formatDuration(restMs)} with all of them` : rise;
}
