import type { Level } from "../model/level.js";
import type { Arrival, Scenario } from "../model/scenario.js";
import type { Threshold } from "../model/threshold.js";
import { ConfigError } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { deepFreeze } from "./deep-freeze.js";
import { invertThreshold } from "./invert-threshold.js";
import { resolveEngines, type Plugins } from "./resolve-engines.js";
import { resolveMix } from "./resolve-mix.js";
import { resolveRequest } from "./resolve-request.js";
import { resolveTargets } from "./resolve-targets.js";
import { listWords, suggest } from "./suggest.js";
import type { ParsedSweepInput } from "./sweep-input.js";
import { targetPaths } from "./target-paths.js";

/** Levels that the input does not list, and how their users come. */
export type PlannedLoad = Pick<Scenario, "levels" | "ramp">;

/**
 * Fills in every default and checks what only the whole can tell; the scenario is frozen. Throws a {@link ConfigError}
 * that says what was expected and what came.
 *
 * @param planned levels in place of those of the input.
 */
export function resolveScenario(input: ParsedSweepInput, plugins: Plugins, planned?: PlannedLoad): Scenario {
  const levels = planned?.levels ?? resolveLevels(input);
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
  return deepFreeze({
    name: input.name ?? DEFAULTS.name,
    targets,
    reference: resolveReference(
      input.reference,
      targets.map(({ name }) => name),
    ),
    ...load,
    trials: input.trials ?? DEFAULTS.trials,
    warmupMs: input.warmup ?? (input.requests === undefined ? DEFAULTS.warmup : DEFAULTS.warmupOfRequestsMs),
    timeoutMs: input.timeout ?? DEFAULTS.timeoutMs,
    restart: input.restart ?? DEFAULTS.restart,
    arrival: resolveArrival(input),
    ramp: planned?.ramp ?? null,
    engine,
    thresholds: input.thresholds ?? [],
    margin: resolveMargin(input.margin, targets.length),
    errorMargin: resolveErrorMargin(input),
    stopOn: resolveStopRules(input),
    order: input.order ?? DEFAULTS.order,
    seed: input.seed ?? DEFAULTS.seed,
    search: null,
  });
}

function resolveLevels(input: ParsedSweepInput): readonly Level[] {
  const { requests, duration } = input;
  if (requests !== undefined && duration !== undefined) {
    throw new ConfigError(
      "Expected requests (-n) or duration (-d), got both: a step ends after so many requests, or after a time. Leave one of them out.",
    );
  }
  const loads = resolveLoads(input);
  if (requests === undefined) return loads.map((load) => ({ ...load, durationMs: duration ?? DEFAULTS.durationMs }));
  const most = Math.max(...loads.map(({ connections = 0 }) => connections));
  const fewest = Math.min(...requests);
  if (most > fewest) {
    throw new ConfigError(
      `Expected at least as many requests as connections, got ${fewest} requests (-n) for ${most} connections (-c): ` +
        `${most - fewest} connections would never send one. Use -n ${most} or more, or at most ${fewest} connections.`,
    );
  }
  return requests.flatMap((count) => loads.map((load) => ({ ...load, requests: count })));
}

function resolveLoads({ connections, rate }: ParsedSweepInput): readonly Pick<Level, "connections" | "rate">[] {
  if (rate === undefined) return (connections ?? DEFAULTS.connections).map((count) => ({ connections: count }));
  if (connections !== undefined) {
    throw new ConfigError(
      "Expected levels of connections (-c) or of a rate (-r), got both: a closed loop keeps connections busy, an open loop sends on a schedule. Leave one of them out.",
    );
  }
  return rate.map((perSecond) => ({ rate: perSecond }));
}

function resolveArrival({ rate, arrival, seed = DEFAULTS.seed }: ParsedSweepInput): Arrival | null {
  if (rate !== undefined) return { ...DEFAULTS.arrival, seed, ...withoutMissing(arrival ?? {}) };
  if (arrival === undefined) return null;
  throw new ConfigError("arrival: expected only with levels of a rate (-r, rate), got it without. Leave it out.");
}

function withoutMissing(given: NonNullable<ParsedSweepInput["arrival"]>): Partial<Arrival> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
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
  if (!names.includes(reference)) {
    throw new ConfigError(
      `reference (--reference): expected the name of a target, ${listWords(names)}, got "${reference}".${suggest(reference, names)}`,
    );
  }
  return reference;
}

function resolveErrorMargin({ margin, errorMargin }: ParsedSweepInput): number {
  if (errorMargin === undefined || margin !== undefined) return errorMargin ?? DEFAULTS.errorMargin;
  throw new ConfigError(
    `errorMargin: expected margin (--margin) beside it, without which targets are compared and not judged, got ${errorMargin} alone. ` +
      "Add a margin, or leave it out.",
  );
}

function resolveMargin(margin: number | undefined, targets: number): number | null {
  if (margin === undefined) return null;
  if (targets > 1) return margin;
  throw new ConfigError(
    "margin (--margin): expected two targets or more, as it says how much worse than the reference the others may be, got one. Add a target (-t), or compare with an earlier run: lbbench compare A B --margin 5%.",
  );
}
