import type { Level } from "../model/level.js";
import type { Arrival, Ramp, Scenario } from "../model/scenario.js";
import type { Search } from "../model/search.js";
import type { Threshold } from "../model/threshold.js";
import { ConfigError, listWords, suggest } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { resolveEngines } from "./engines.js";
import { LONGEST_EXPECTED, LONGEST_MS } from "./parse-values.js";
import { invertThreshold, parseThreshold } from "./parse-threshold.js";
import type { Plugins } from "./plugins.js";
import { resolveMix, resolveRequest } from "./requests.js";
import type { ParsedSweepInput } from "./sweep-input.js";
import { resolveTargets, targetPaths } from "./targets.js";

type Setting = keyof ParsedSweepInput;

/** Settings that a sweep has no use for; of a config file for others as well `lbbench sweep` leaves them out. */
export const NOT_IN_SWEEP = ["search", "ramp"] as const satisfies readonly Setting[];

/** Settings that a ramp has no use for; of a config file for others as well `lbbench ramp` leaves them out. */
export const NOT_IN_RAMP = [
  "connections",
  "rate",
  "arrival",
  "requests",
  "duration",
  "stopOn",
  "search",
] as const satisfies readonly Setting[];

/** Settings that a search has no use for; of a config file for others as well `lbbench max` leaves them out. */
export const NOT_IN_SEARCH = [
  "connections",
  "rate",
  "requests",
  "reference",
  "margin",
  "errorMargin",
  "stopOn",
  "order",
  "ramp",
] as const satisfies readonly Setting[];

/** What kind of run an input is read for: each has levels in its own way, and no use for some settings. */
interface RunKind {
  readonly name: string;
  readonly refused: readonly Setting[];
  /** Why those are refused. */
  readonly because: string;
  readonly plan: (input: ParsedSweepInput) => Plan;
}

/** What of a scenario a kind of run decides, the settings that it fills in before the others are, and its levels. */
interface Plan {
  readonly input: ParsedSweepInput;
  readonly levels: readonly Level[];
  readonly ramp?: Ramp;
  readonly search?: Search;
}

const KINDS = {
  sweep: {
    name: DEFAULTS.name,
    refused: NOT_IN_SWEEP,
    because: "A sweep has no use for it: searching and raising users have functions of their own.",
    plan: (input) => ({ input, levels: sweptLevels(input) }),
  },
  ramp: {
    name: DEFAULTS.ramp.name,
    refused: NOT_IN_RAMP,
    because: "A ramp has one level, its users (ramp.to), and lasts for ramp.over and ramp.hold together.",
    plan: (input) => ({ input, ...planRamp(input.ramp ?? {}) }),
  },
  search: {
    name: DEFAULTS.search.name,
    refused: NOT_IN_SEARCH,
    because: "A search chooses its levels itself, each for a duration, and compares no targets.",
    plan: planSearch,
  },
} as const satisfies Record<string, RunKind>;

/**
 * Makes the scenario of a sweep, a ramp or a search of an input whose plugins have been loaded and whose files have been read:
 * fills in every default and checks what only the whole can tell. The scenario is frozen. Throws a {@link ConfigError} that says
 * what was expected and what came.
 */
export function resolveScenario(kind: keyof typeof KINDS, asked: ParsedSweepInput, plugins: Plugins): Scenario {
  const { name, refused, because, plan }: RunKind = KINDS[kind];
  const unused = refused.find((setting) => asked[setting] !== undefined);
  if (unused !== undefined) throw new ConfigError(`${unused}: ${because} Remove "${unused}".`);

  const { input, levels, ramp = null, search = null } = plan(asked);
  const given = resolveTargets(input.targets ?? DEFAULTS.targets, plugins.servers);
  const load = {
    request: resolveRequest(input.request ?? {}),
    mix: input.mix === undefined ? null : resolveMix(input.mix, input.request, targetPaths(given)),
    httpVersion: input.httpVersion ?? DEFAULTS.httpVersion,
    levels,
    keepAlive: input.keepAlive ?? DEFAULTS.keepAlive,
  };
  const generators = input.generators ?? DEFAULTS.generators;
  const { engine, targets } = resolveEngines(input, given, { ...load, generators }, plugins);
  const names = targets.map((target) => target.name);
  return deepFreeze({
    name: input.name ?? name,
    targets,
    // In a search every target has levels of its own, so there is nothing to compare.
    reference: search === null ? resolveReference(input.reference, names) : null,
    ...load,
    trials: input.trials ?? DEFAULTS.trials,
    warmupMs: input.warmup ?? (input.requests === undefined ? DEFAULTS.warmup : DEFAULTS.warmupOfRequestsMs),
    timeoutMs: input.timeout ?? DEFAULTS.timeoutMs,
    restart: input.restart ?? DEFAULTS.restart,
    arrival: resolveArrival(input, levels),
    ramp,
    engine,
    thresholds: input.thresholds ?? [],
    ...resolveMargins(input, names.length),
    stopOn: resolveStopRules(input),
    order: input.order ?? DEFAULTS.order,
    seed: input.seed ?? DEFAULTS.seed,
    search,
  });
}

function sweptLevels(input: ParsedSweepInput): readonly Level[] {
  const { requests, duration, connections, rate } = input;
  if (requests !== undefined && duration !== undefined) {
    throw new ConfigError(
      "Expected requests (-n) or duration (-d), got both. A step ends after a number of requests, or after a time. Leave one out.",
    );
  }
  if (rate !== undefined && connections !== undefined) {
    throw new ConfigError(
      "Expected levels of connections (-c) or of a rate (-r), got both. A closed loop keeps connections busy, an open loop sends on a schedule. Leave one out.",
    );
  }
  const loads: readonly Level[] =
    rate?.map((perSecond) => ({ rate: perSecond })) ??
    (connections ?? DEFAULTS.connections).map((count) => ({ connections: count }));
  if (requests === undefined) return loads.map((load) => ({ ...load, durationMs: duration ?? DEFAULTS.durationMs }));
  const most = Math.max(...loads.map((load) => load.connections ?? 0));
  const fewest = Math.min(...requests);
  if (most > fewest) {
    throw new ConfigError(
      `Expected at least as many requests as connections, got ${fewest} requests (-n) for ${most} connections (-c): ` +
        `${most - fewest} connections would never send one. Use -n ${most} or more, or at most ${fewest} connections.`,
    );
  }
  return requests.flatMap((count) => loads.map((load) => ({ ...load, requests: count })));
}

function planRamp(given: NonNullable<ParsedSweepInput["ramp"]>): Pick<Plan, "levels" | "ramp"> {
  const { from = DEFAULTS.ramp.from, to = DEFAULTS.ramp.to, over: riseMs = DEFAULTS.ramp.riseMs, steps = null } = given;
  if (to < from) {
    throw new ConfigError(
      `ramp.to (--to): expected at least as many users as there are from the start (ramp.from, --from), ${from}, got ${to}. ` +
        "Raise it, or begin with fewer.",
    );
  }
  if (steps !== null && from === to) {
    throw new ConfigError(
      `ramp.steps (--steps): expected none where users do not rise, from ${from} (--from) to ${to} (--to), got ${steps}. ` +
        "Raise ramp.to, or leave the steps out: --steps none.",
    );
  }
  if (steps !== null && steps > to - from) {
    throw new ConfigError(
      `ramp.steps (--steps): expected at most ${to - from}, one for each user that comes between ${from} (--from) and ${to} ` +
        `(--to), got ${steps}. Leave it out, or say "none", for one user after the other.`,
    );
  }
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

/** Unless a threshold asks about errors, none is allowed. */
function planSearch(input: ParsedSweepInput): Plan {
  const given = input.search ?? {};
  const trials = input.trials ?? DEFAULTS.search.trials;
  const by = given.by ?? DEFAULTS.search.by;
  const most = given.most ?? DEFAULTS.search.most[by];
  const start = given.start ?? Math.min(DEFAULTS.search.start[by], most);
  const needed = given.needed ?? Math.floor(trials / 2) + 1;
  if (start > most) {
    throw new ConfigError(
      `search.start (--start): expected at most ${most}, which is search.most (--most), got ${start}`,
    );
  }
  if (needed > trials) {
    throw new ConfigError(
      `search.needed (--needed): expected at most ${trials}, the number of trials (--trials), got ${needed}`,
    );
  }
  const { growth = DEFAULTS.search.growth, resolution = DEFAULTS.search.resolution, beyond = null } = given;
  const durationMs = input.duration ?? DEFAULTS.durationMs;
  const thresholds = input.thresholds ?? [];
  const isAboutErrors = thresholds.some(({ metric }) => metric === "errors");
  return {
    input: {
      ...input,
      trials,
      // Longer than a step nothing can be waited for, so that what never gets an answer would never count.
      timeout: input.timeout ?? Math.min(DEFAULTS.timeoutMs, durationMs * DEFAULTS.search.timeoutShare),
      thresholds: [...(isAboutErrors ? [] : [parseThreshold(DEFAULTS.search.threshold)]), ...thresholds],
    },
    levels: [{ [by]: start, durationMs }],
    search: { by, start, growth, most, resolution, needed, beyond },
  };
}

function resolveArrival({ arrival, seed = DEFAULTS.seed }: ParsedSweepInput, levels: readonly Level[]): Arrival | null {
  if (levels.some(({ rate }) => rate !== undefined)) {
    const { spacing = DEFAULTS.arrival.spacing, maxInFlight = DEFAULTS.arrival.maxInFlight } = arrival ?? {};
    return { spacing, maxInFlight, seed };
  }
  if (arrival === undefined) return null;
  throw new ConfigError("arrival: expected only with levels of a rate (-r, rate), got it without. Leave it out.");
}

function resolveStopRules({ stopOn = [], thresholds = [] }: ParsedSweepInput): readonly Threshold[] {
  if (stopOn.includes("thresholds") && thresholds.length === 0) {
    throw new ConfigError(
      'stopOn (--stop-on): expected thresholds (--threshold) beside "thresholds", got none. Add one, or name a condition such as "errors>10%".',
    );
  }
  return stopOn.flatMap((rule) => (rule === "thresholds" ? thresholds.map(invertThreshold) : rule));
}

function resolveReference(reference: string | undefined, names: readonly string[]): string | null {
  if (reference === undefined) return names.length > 1 ? (names[0] ?? null) : null;
  if (names.includes(reference)) return reference;
  throw new ConfigError(
    `reference (--reference): expected the name of a target, ${listWords(names)}, got "${reference}".${suggest(reference, names)}`,
  );
}

function resolveMargins(
  { margin, errorMargin }: ParsedSweepInput,
  targets: number,
): Pick<Scenario, "margin" | "errorMargin"> {
  if (margin === undefined && errorMargin !== undefined) {
    throw new ConfigError(
      `errorMargin: expected margin (--margin) beside it, got ${errorMargin} alone. Without a margin targets are compared, not judged. ` +
        "Add one, or leave errorMargin out.",
    );
  }
  if (margin !== undefined && targets === 1) {
    throw new ConfigError(
      "margin (--margin): expected two targets or more, got one. The margin says how much worse than the reference the others may be. " +
        "Add a target (-t), or compare with an earlier run: lbbench compare A B --margin 5%.",
    );
  }
  return { margin: margin ?? null, errorMargin: errorMargin ?? DEFAULTS.errorMargin };
}

/** Freezes a value of plain data and everything in it, and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
