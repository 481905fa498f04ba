/** What `lbbench policies` compares: what backends do meanwhile, and a target for each balancer and each policy that it can do. */
import type { Fault } from "../model/fault.js";
import type { Scenario } from "../model/scenario.js";
import { formatDuration } from "../stats/format-number.js";
import { defined } from "../stats/defined.js";
import { trialsNeeded } from "../stats/trials.js";
import { insist, listWords, refuse, suggest } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { parseFault } from "./faults.js";
import type { parseSlow } from "./parsers.js";
import { POLICY_SCENARIOS, type PolicyScenario } from "./policy-scenarios.js";
import type { PluginMap } from "./plugins.js";
import type { GivenTarget, ParsedSweepInput } from "./schema.js";
import { expandGrid, targetOfWord } from "./targets.js";
import type { Server } from "../plugin.js";

/** What a scenario says of the policies that are compared in it. */
type ToldPolicies = NonNullable<Scenario["policies"]>;

/** Policies that are compared only when they are named. */
const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  ["weighted-round-robin", "it is round-robin as long as all weights are equal"],
  ["ip-hash", "all requests come from one address, and would go to one backend"],
  ["consistent-hash", "it goes by a key of each request, and not by what backends do"],
]);

/**
 * Makes the input of a sweep of what a comparison of policies is asked to do: a target for each balancer and policy, the backends and the faults
 * of the scenario, its rate and as many trials as a test needs. What the input says itself stays. Rejects with a `ConfigError` for a
 * target that balances nothing, and a policy or a backend that there is not.
 */
export async function spreadPolicies(
  input: ParsedSweepInput,
  servers: PluginMap<Server>,
): Promise<{ readonly input: ParsedSweepInput; readonly told: ToldPolicies }> {
  const { policies: asked = {} } = input;
  const { scenario = DEFAULTS.policies.scenario, slow } = asked;
  const row: PolicyScenario = POLICY_SCENARIOS[scenario];
  const loads = { "connections (-c)": input.connections, "rate (-r)": input.rate, "requests (-n)": input.requests };
  const [many] = Object.entries(loads).filter(([, values]) => values !== undefined && values.length !== 1);
  refuse(
    many &&
      `${many[0]}: expected one number, as policies are compared at one load, got ${many[1]?.join(", ")}. Make a run of each.`,
  );
  const handlers = handlersOf(scenario, row, asked);
  const faults = faultsOf(scenario, row, handlers.length, slow, input.duration);
  const spread = await targetsOf(input.targets ?? DEFAULTS.policies.targets, asked.only, handlers, servers);
  const compared = spread.map(({ told }) => told);
  // Those of the same balancer are tested.
  const pairs = compared.flatMap(({ balancer }, at) =>
    compared.slice(at + 1).filter((one) => one.balancer === balancer),
  );
  const isClosed = input.connections !== undefined;
  const durationMs = Math.max(DEFAULTS.policies.durationMs, slow === undefined ? 0 : slow.toMs + SETTLE_MS);
  return {
    input: {
      ...input,
      policies: { ...asked, scenario },
      targets: spread.map(({ target }) => target),
      faults: [...faults],
      ...defined({
        rate: isClosed ? undefined : (input.rate ?? [row.rate]),
        arrival: isClosed ? undefined : { spacing: DEFAULTS.policies.spacing, ...input.arrival },
        duration: input.requests === undefined ? (input.duration ?? durationMs) : undefined,
      }),
      trials: input.trials ?? trialsNeeded(Math.max(1, pairs.length)),
      warmup: input.warmup ?? DEFAULTS.policies.warmupMs,
      restart: "step",
    },
    told: { scenario, withinMs: asked.within ?? row.withinMs, default: DEFAULTS.policy, compared },
  };
}

/** How long a step goes on after the end of a fault that a user has timed. */
const SETTLE_MS = 2000;

/** The handler of each backend. */
function handlersOf(
  scenario: string,
  row: PolicyScenario,
  { backends, handler }: NonNullable<ParsedSweepInput["policies"]>,
): readonly string[] {
  const isList = typeof backends === "object";
  refuse(
    isList &&
      handler !== undefined &&
      `policies.handler (--handler): expected none beside a list of handlers (policies.backends), got "${handler}". Leave one out.`,
  );
  if (isList) return backends;
  const isOwn = row.handlers !== undefined && (backends !== undefined || handler !== undefined);
  refuse(
    isOwn &&
      `policies.backends (--backends, --handler): expected none with the scenario "${scenario}", whose backends differ from one another. ` +
        "Leave it out, or list a handler for each backend in a config file.",
  );
  const { backends: usual, handler: usualHandler } = DEFAULTS.policies;
  return row.handlers ?? Array.from({ length: backends ?? usual }, () => handler ?? usualHandler);
}

function faultsOf(
  scenario: string,
  { faults, everyMs, takesSlow }: PolicyScenario,
  backends: number,
  slow: ReturnType<typeof parseSlow> | undefined,
  duration: number | undefined,
): readonly Fault[] {
  if (slow !== undefined) {
    const names = Array.from({ length: backends }, (_, at) => `backend-${at + 1}`);
    refuse(
      takesSlow !== true &&
        `policies.slow (--slow): expected it with a scenario in which a backend is slow for a time, got "${scenario}". Leave it out.`,
      !names.includes(slow.part) &&
        `policies.slow (--slow): expected one of the backends, backend-1 to backend-${backends}, got "${slow.part}".${suggest(slow.part, names)}`,
      duration !== undefined &&
        slow.toMs >= duration &&
        `policies.slow (--slow): expected an end before that of the step, which lasts ${formatDuration(duration)} (-d), got ` +
          `${formatDuration(slow.toMs)}. Let it end earlier, or measure for longer.`,
    );
    const { part, byMs, fromMs, toMs } = slow;
    return [
      { kind: "slow", part, byMs, atMs: fromMs },
      { kind: "slow", part, byMs: 0, atMs: toMs },
    ];
  }
  const durationMs = duration ?? DEFAULTS.policies.durationMs;
  const once = faults.map(parseFault);
  const last = Math.max(0, ...once.map(({ atMs }) => atMs));
  refuse(
    last >= durationMs &&
      `duration (-d): expected more than ${formatDuration(last)}, when the scenario "${scenario}" is over, got ${formatDuration(durationMs)}.`,
  );
  const times = everyMs === undefined ? 1 : Math.ceil((durationMs - last) / everyMs);
  return Array.from({ length: times }, (_, time) =>
    once.map((fault) => ({ ...fault, atMs: fault.atMs + time * (everyMs ?? 0) })),
  ).flat();
}

interface Spread {
  readonly target: GivenTarget;
  readonly told: ToldPolicies["compared"][number];
}

async function targetsOf(
  given: readonly (string | GivenTarget)[],
  only: readonly string[] | undefined,
  handlers: readonly string[],
  servers: PluginMap<Server>,
): Promise<readonly Spread[]> {
  const named: GivenTarget[] = [];
  for (const [at, target] of given.entries()) {
    const place = `targets[${at}]`;
    named.push(...expandGrid(typeof target === "string" ? await targetOfWord(target, place, servers) : target, place));
  }
  const backends = handlers.map((handler) => ({ server: "single", options: { handler } }));
  const spread: Spread[] = [];
  for (const { name, server, options = {}, ...rest } of named) {
    const { policies, balances } = await servers.find(server, `${name}: server`);
    insist(
      balances === true && policies !== undefined,
      `targets (--target): expected balancers that tell which policies they can do, got "${name}" (server ${server}). ` +
        `Such are ${listWords([...servers].flatMap(([word, plugin]) => (plugin.policies === undefined ? [] : [word])))}.`,
    );
    const set = ["backends", "handler", "policy"].find((option) => options[option] !== undefined);
    refuse(
      set &&
        `${name}: options.${set}: expected none, because the comparison of policies sets it. Leave it out: see policies.`,
    );
    for (const policy of only ?? policies.filter((one) => !LEFT_OUT.has(one))) {
      const [word = ""] = policy.split(":");
      // One of a module is looked at where the options of the server are.
      refuse(
        !policies.includes(word) &&
          !/^[./@]/.test(policy) &&
          `policies.only (--policy): expected a policy that "${name}" can do, ${listWords(policies)}, got "${policy}".${suggest(word, policies)}`,
      );
      const target = named.length === 1 ? policy : `${name}: ${policy}`;
      spread.push({
        target: { ...rest, name: target, server, options: { ...options, policy, backends } },
        told: { target, balancer: name, policy },
      });
    }
  }
  return spread;
}
