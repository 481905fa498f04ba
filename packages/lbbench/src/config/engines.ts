import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { EngineChoice, Scenario, Target, TargetEngine, Workers } from "../model/scenario.js";
import type { Engine, EngineSupport, LoadAmount, LoadKind, Protocol } from "../plugin.js";
import { ConfigError, listWords } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { flagInBrackets } from "./settings.js";
import type { PluginMap, Plugins } from "./plugins.js";
import { protocolOf } from "./targets.js";
import { nameSetting, type ParsedSweepInput } from "./schema.js";
import { validate, type NamePlace } from "./validate.js";
import { defined } from "../stats/defined.js";

type Load = Pick<
  Scenario,
  | "levels"
  | "keepAlive"
  | "requestsPerConnection"
  | "connectTo"
  | "tls"
  | "httpVersion"
  | "serverTiming"
  | "mix"
  | "request"
  | "faults"
  | "policies"
  | "hold"
> &
  Pick<EngineChoice, "generators"> & { readonly workers?: Workers | undefined };

/**
 * Chooses an engine for each target: its own, else the one asked for, else the first that can do what is asked. Resolves with the
 * scenario's engine, and with the targets, which have one of their own where it is another or has other options. Rejects with a
 * {@link ConfigError} for an engine that is unknown, that cannot do what is asked, or whose options are wrong or used by no target.
 */
export async function resolveEngines(
  { engine: asked = DEFAULTS.engine, engines: given = {} }: Pick<ParsedSweepInput, "engine" | "engines">,
  targets: readonly Target[],
  load: Load,
  { servers, engines }: Pick<Plugins, "servers" | "engines">,
): Promise<Pick<Scenario, "engine" | "targets">> {
  const used: TargetEngine[] = [];
  const spoken = new Set<Protocol>();
  for (const target of targets) {
    const protocol = protocolOf(target, servers);
    spoken.add(protocol);
    const demands = demandsOn(target, protocol, { ...load, events: given["wire"]?.["events"] !== undefined });
    const name = target.engine?.name ?? asked;
    const place = target.engine === undefined ? "engine (--engine)" : `${target.name}: engine`;
    const engine = await engines.find(name === DEFAULTS.engine ? engineFor(protocol, demands, engines) : name, place);
    checkEngine(engine, protocol, demands, engines);
    const common = Object.hasOwn(given, engine.name) ? given[engine.name] : {};
    const nameOption: NamePlace = (path) => nameSetting(["engines", engine.name, ...path]);
    const options = { ...common, ...target.engine?.options };
    used.push({ name: engine.name, options: validate(engine.options ?? NO_OPTIONS, options, nameOption) });
  }
  for (const [name, options] of Object.entries(given)) {
    if (used.some((engine) => engine.name === name)) continue;
    const { supports } = await engines.find(name, "engines");
    const flags = Object.keys(options).map((option) => flagInBrackets(["engines", name, option]));
    const remedy = supports.protocols.some((protocol) => spoken.has(protocol))
      ? `Leave them out, or choose it with --engine ${name}.`
      : `It speaks ${listWords(supports.protocols)}, and no target does: leave them out.`;
    throw new ConfigError(
      `engines.${name}${flags.join("")}: expected options of an engine that loads a target, got those of "${name}", which loads none ` +
        `here. ${remedy}`,
    );
  }
  const ofScenario = used.find(({ name }) => name === asked) ?? used[0] ?? { name: DEFAULTS.engine, options: {} };
  return {
    engine: { ...ofScenario, generators: load.generators, ...defined({ workers: load.workers }) },
    targets: targets.map((target, index) =>
      defined({ ...target, engine: isDeepStrictEqual(used[index], ofScenario) ? undefined : used[index] }),
    ),
  };
}

const NO_OPTIONS = z.strictObject(
  {},
  {
    error: ({ input }) =>
      `expected no options, as this engine has none, got ${Object.keys(input as object).join(", ")}. Leave them out`,
  },
);

/** What an engine says of itself with yes or no. */
type Feature = {
  [Key in keyof EngineSupport]-?: EngineSupport[Key] extends boolean | undefined ? Key : never;
}[keyof EngineSupport];

/**
 * Something that an engine is to be able to do, after "cannot": `open a connection for each request (--no-keepalive)`; and what to do where
 * none can, if not to leave it out.
 */
type Demand = readonly [
  isAsked: boolean,
  what: string,
  need: Feature | ((can: EngineSupport) => boolean),
  remedy?: string | undefined,
];

function canDo(can: EngineSupport, [, , need]: Demand): boolean {
  if (typeof need === "function") return need(can);
  // Without a word an engine can do these two, and nothing else.
  return can[need] ?? (need === "expectations" || need === "generators");
}

function demandsOn(target: Target, protocol: Protocol, load: Load & { readonly events: boolean }): readonly Demand[] {
  const { levels, keepAlive, httpVersion, serverTiming, mix, request, generators, workers, faults, policies } = load;
  const { requestsPerConnection: each, connectTo, tls, hold } = load;
  const isAnswerExpected = (mix?.map((entry) => entry.request) ?? [request]).some(
    ({ expectBody, expectStatus }) => expectBody !== null || expectStatus !== DEFAULTS.request.expectStatus,
  );
  const hasLevel = (key: keyof Scenario["levels"][number]): boolean => levels.some((level) => level[key] !== undefined);
  const loads = (kind: LoadKind) => (can: EngineSupport) => can.loads.includes(kind);
  const amounts = (amount: LoadAmount) => (can: EngineSupport) => can.amounts?.includes(amount) ?? true;
  const withFaults = faults === undefined ? "" : ", as with faults unless connections are chosen";
  const instead = faults === undefined ? undefined : "choose connections (lbbench sweep -c 10)";
  const demands: readonly Demand[] = [
    [true, `load the target "${target.name}", which speaks ${protocol}`, (can) => can.protocols.includes(protocol)],
    [hasLevel("connections"), "keep connections busy (-c)", loads("connections")],
    [hasLevel("rate"), `send at a rate (-r)${withFaults}`, loads("rate"), instead],
    [faults !== undefined, "tell tenths of a second apart, which faults need (--fault)", "slices"],
    [policies !== undefined, "tell tenths of a second apart, as lbbench policies does", "slices"],
    [hold !== undefined, "hold connections (lbbench hold)", "holds"],
    [hasLevel("users"), "raise users over time (lbbench ramp)", loads("users")],
    [hasLevel("requests"), "send a number of requests (-n)", amounts("requests")],
    [hasLevel("durationMs"), "send for a time (-d)", amounts("duration")],
    [hasLevel("perConnection"), "open connections at a rate (--by connections)", loads("connectionRate")],
    [
      each !== undefined,
      `close a connection after ${each} requests (--requests-per-connection)`,
      "requestsPerConnection",
    ],
    [connectTo !== undefined, "connect elsewhere (--connect-to)", "connecting"],
    [tls !== undefined, "be told how TLS is spoken (--tls-resume, --tls-version, --sni, --cert)", "connecting"],
    [!keepAlive, "open a connection for each request (--no-keepalive, keepAlive: false)", "keepAliveOff"],
    [
      httpVersion !== DEFAULTS.httpVersion && protocol !== "grpc",
      `speak HTTP/${httpVersion}`,
      (can) => can.httpVersions?.includes(httpVersion) ?? false,
    ],
    [serverTiming === true, "read the header Server-Timing (--server-timing)", "serverTiming"],
    [load.events && protocol === "http", "read answers as streams of events (--events)", "events"],
    [mix !== null, "send a mix of requests (--mix)", "mixes"],
    [isAnswerExpected, "be told what to expect of an answer (--expect-status, --expect-body)", "expectations"],
    [workers !== undefined, "send from several machines (--workers)", "generators"],
    [generators !== "auto" && generators > 1, "split the load over several processes (--generators)", "generators"],
  ];
  return demands.filter(([isAsked]) => isAsked);
}

/** The first engine that can do what is asked, else the first that has the protocol; never one that is to be asked for by name. */
function engineFor(protocol: Protocol, demands: readonly Demand[], engines: PluginMap<Engine>): string {
  const automatic = [...engines.values()].filter(({ supports }) => supports.automatic !== false);
  const speaking = automatic.filter(({ supports }) => supports.protocols.includes(protocol));
  const able = speaking.find(({ supports }) => demands.every((demand) => canDo(supports, demand)));
  return (able ?? speaking[0] ?? automatic[0])?.name ?? DEFAULTS.engine;
}

/** Throws where an engine cannot do what is asked. It names the engines that can do all of it or, where none can, what this one cannot do. */
function checkEngine(
  { name, supports }: Engine,
  protocol: Protocol,
  demands: readonly Demand[],
  engines: PluginMap<Engine>,
): void {
  const missing = demands.find((demand) => !canDo(supports, demand));
  if (missing === undefined) return;
  const speaking = [...engines.values()].filter((engine) => engine.supports.protocols.includes(protocol));
  const meeting = (asked: readonly Demand[]): readonly Engine[] =>
    speaking.filter((engine) => asked.every((demand) => canDo(engine.supports, demand)));
  const able = [meeting(demands), meeting([missing])].find((found) => found.length > 0) ?? [];
  const spoken = supports.protocols.includes(protocol) ? "" : ` (it speaks ${listWords(supports.protocols)})`;
  const remedy =
    able.length === 0
      ? `No engine of this version can: ${missing[3] ?? "leave it out"}.`
      : `Use one that can, with --engine: ${listWords(able.map((engine) => engine.name))}.`;
  throw new ConfigError(`The engine "${name}" cannot ${missing[1]}${spoken}. ${remedy}`);
}
