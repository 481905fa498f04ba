import type { Level } from "../model/level.js";
import type { HeaderLine, RequestSpec, Scenario } from "../model/scenario.js";
import { ConfigError } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { deepFreeze } from "./deep-freeze.js";
import { resolveEngines, type Plugins } from "./resolve-engines.js";
import { resolveTargets } from "./resolve-targets.js";
import { listWords, suggest } from "./suggest.js";
import type { ParsedSweepInput } from "./sweep-input.js";

/**
 * Fills in every default and checks what only the whole can tell; the scenario is frozen. Throws a {@link ConfigError}
 * that says what was expected and what came.
 */
export function resolveScenario(input: ParsedSweepInput, plugins: Plugins): Scenario {
  const levels = resolveLevels(input);
  const given = resolveTargets(input.targets ?? DEFAULTS.targets, plugins.servers);
  const { engine, targets } = resolveEngines(input, given, plugins);
  return deepFreeze({
    name: input.name ?? DEFAULTS.name,
    targets,
    reference: resolveReference(
      input.reference,
      targets.map(({ name }) => name),
    ),
    request: resolveRequest(input.request ?? {}),
    levels,
    trials: input.trials ?? DEFAULTS.trials,
    warmupMs: input.warmup ?? (input.requests === undefined ? DEFAULTS.warmupMs : DEFAULTS.warmupOfRequestsMs),
    timeoutMs: input.timeout ?? DEFAULTS.timeoutMs,
    keepAlive: input.keepAlive ?? DEFAULTS.keepAlive,
    engine,
    thresholds: input.thresholds ?? [],
  });
}

function resolveLevels({ connections = DEFAULTS.connections, requests, duration }: ParsedSweepInput): readonly Level[] {
  if (requests === undefined) {
    return connections.map((count) => ({ connections: count, durationMs: duration ?? DEFAULTS.durationMs }));
  }
  if (duration !== undefined) {
    throw new ConfigError(
      "Expected requests (-n) or duration (-d), got both: a step ends after so many requests, or after a time. Leave one of them out.",
    );
  }
  const most = Math.max(...connections);
  const fewest = Math.min(...requests);
  if (most > fewest) {
    throw new ConfigError(
      `Expected at least as many requests as connections, got ${fewest} requests (-n) for ${most} connections (-c): ` +
        `${most - fewest} connections would never send one. Use -n ${most} or more, or at most ${fewest} connections.`,
    );
  }
  return requests.flatMap((count) => connections.map((open) => ({ connections: open, requests: count })));
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

function resolveRequest(given: NonNullable<ParsedSweepInput["request"]>): RequestSpec {
  const headers = Object.entries(given.headers ?? {}).flatMap(([name, values]): readonly HeaderLine[] =>
    typeof values === "string" ? [[name, values]] : values.map((value) => [name, value]),
  );
  return {
    method: given.method ?? DEFAULTS.request.method,
    path: given.path ?? DEFAULTS.request.path,
    headers,
    body: given.body ?? null,
    bodyEncoding: given.bodyEncoding ?? "utf8",
    expectStatus: given.expectStatus ?? DEFAULTS.request.expectStatus,
    expectBody: given.expectBody ?? null,
  };
}
