import type { Level } from "../model/level.js";
import type { Ramp } from "../model/scenario.js";
import { loadValue } from "../stats/load.js";
import { formatCount, formatDuration } from "./format-number.js";
import { countOf } from "../stats/count-of.js";

/** Up to this, seconds alone are easier to find in a table by second. */
const LONGEST_IN_SECONDS_MS = 600_000;

/** Says how users come: `1 to 100 users over 99 s, then 1 s with all of them`. */
export function describeRamp(level: Level, { from, riseMs, steps }: Ramp): string {
  const users = loadValue(level);
  const restMs = (level.durationMs ?? riseMs) - riseMs;
  const inSteps = steps === null ? "" : ` in ${countOf(steps, "step")}`;
  const rise = `${formatCount(from)} to ${countOf(users, "user")} over ${describeTime(riseMs)}${inSteps}`;
  return restMs > 0 ? `${rise}, then ${describeTime(restMs)} with all of them` : rise;
}

function describeTime(ms: number): string {
  return ms >= 1000 && ms <= LONGEST_IN_SECONDS_MS ? `${Number((ms / 1000).toFixed(1))} s` : formatDuration(ms);
}
