import type { Scenario } from "../model/scenario.js";
import { ConfigError } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { LONGEST_EXPECTED, LONGEST_MS } from "./parse-duration.js";
import { refuseSettings } from "./refuse-settings.js";
import type { Plugins } from "./resolve-engines.js";
import { resolveScenario, type PlannedLoad } from "./resolve-scenario.js";
import type { ParsedSweepInput } from "./sweep-input.js";

/** Settings that a ramp has no use for; of a config file for others as well `lbbench ramp` leaves them out. */
export const NOT_IN_RAMP = ["connections", "rate", "arrival", "requests", "duration", "stopOn", "search"] as const;

/**
 * Fills in every default of a ramp, as `resolveScenario` does for a sweep; the scenario is frozen, and its only level is the
 * users there are in the end. Throws a {@link ConfigError} that says what was expected and what came.
 */
export function resolveRamp(input: ParsedSweepInput, plugins: Plugins): Scenario {
  refuseSettings(
    input,
    NOT_IN_RAMP,
    "in a ramp, which has one level, its users (ramp.to), and lasts for ramp.over and ramp.hold together. Leave it out, or sweep.",
  );
  return resolveScenario(input, plugins, planRamp(input.ramp ?? {}));
}

function planRamp(given: NonNullable<ParsedSweepInput["ramp"]>): PlannedLoad {
  const { from = DEFAULTS.ramp.from, to = DEFAULTS.ramp.to, over: riseMs = DEFAULTS.ramp.riseMs, steps = null } = given;
  if (to < from) {
    throw new ConfigError(
      `ramp.to (--to): expected at least as many users as there are from the start (ramp.from, --from), ${from}, got ${to}. ` +
        "Users only come: raise it, or begin with fewer.",
    );
  }
  if (steps !== null) checkSteps(steps, from, to);
  // A step is as long as the others also when it is the last.
  const holdMs = given.hold ?? (steps === null ? DEFAULTS.ramp.holdMs : Math.ceil(riseMs / steps));
  const durationMs = riseMs + holdMs;
  if (durationMs > LONGEST_MS) {
    throw new ConfigError(
      `ramp.over (--over) and ramp.hold (--hold): ${LONGEST_EXPECTED} for both together, got ${durationMs}ms`,
    );
  }
  return { levels: [{ users: to, durationMs }], ramp: { from, riseMs, steps } };
}

function checkSteps(steps: number, from: number, to: number): void {
  if (from === to) {
    throw new ConfigError(
      `ramp.steps (--steps): expected none where nobody comes, as there are ${from} users from the start (--from) to the end ` +
        `(--to), got ${steps}. Raise ramp.to, or leave the steps out: --steps none.`,
    );
  }
  if (steps <= to - from) return;
  throw new ConfigError(
    `ramp.steps (--steps): expected at most ${to - from}, one for each user that comes between ${from} (--from) and ${to} ` +
      `(--to), got ${steps}. Leave it out, or say "none", for one user after the other.`,
  );
}
