import type { Level } from "../model/level.js";
import type { Arrival, Scenario, Target, Workers } from "../model/scenario.js";
import type { Threshold } from "../model/threshold.js";
import { insist, refuse } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { resolveEngines } from "./engines.js";
import { orderFaults, usualFaults } from "./faults.js";
import type { RunCommand } from "./field.js";
import { invertThreshold, LONGEST_EXPECTED, LONGEST_MS, parseThreshold } from "./parsers.js";
import type { Plugins } from "./plugins.js";
import { readRequestFiles, resolveMix, resolveRequest } from "./requests.js";
import { nameSetting, type ParsedSweepInput } from "./schema.js";
import { unusedIn } from "./settings.js";
import { spreadPolicies } from "./policies.js";
import { checkHttpVersion, checkReference, resolveTargets, targetPaths } from "./targets.js";
import { formatFault, isOfFaults } from "../stats/faults.js";
import { formatDuration, countOf } from "../stats/format-number.js";
import { frozenCopy } from "../stats/plain-data.js";
import { isSecure } from "../stats/url-address.js";
import { defined } from "../stats/defined.js";

/** What of a scenario a kind of run decides in its own way: its levels, and defaults of its own. */
type Plan = Pick<Scenario, "levels"> & Partial<Scenario>;

/** What is a run's own, by its command: why it has no use for settings of others, and its levels. */
const RUN_KINDS: Readonly<Record<RunCommand, RunKind>> = {
  sweep: {
    because:
      "A sweep has no use for it: searching, raising users, comparing policies and holding connections have functions of their own.",
    plan: planSweep,
  },
  faults: {
    because: "A run of faults sends at a rate for a time, and starts its targets again for every step.",
    plan: planSweep,
  },
  policies: {
    because: "A comparison of policies makes its targets and their faults of a scenario, and compares all of them.",
    plan: planSweep,
  },
  max: {
    because: "A search chooses its levels itself, each for a duration, and compares no targets.",
    plan: planSearch,
  },
  ramp: {
    because: "A ramp has one level, its users (ramp.to), and lasts for ramp.over and ramp.hold together.",
    plan: planRamp,
  },
  hold: {
    because:
      "Connections are held for a time (hold.for), by this machine alone, and each target is started again for every step.",
    plan: planHold,
  },
};

interface RunKind {
  readonly because: string;
  readonly plan: (input: ParsedSweepInput, canFill: boolean) => Plan;
}

const BECAUSE_OF_FAULTS = "Faults are for a sweep, which tells what one load was before and after them.";

/**
 * Makes the frozen scenario of a sweep, a run of faults, a comparison of policies, a ramp, held connections or a search: loads the plugins and reads the files that the input names, fills in every
 * default, and checks what only the whole can tell. Rejects with a {@link ConfigError} that says what was expected and what came.
 *
 * @param folder where the paths in the input begin.
 */
export async function resolveScenario(
  kind: RunCommand,
  asked: ParsedSweepInput,
  plugins: Plugins,
  folder = ".",
): Promise<Scenario> {
  const { because, plan } = RUN_KINDS[kind];
  const unused = unusedIn(kind).find((setting) => asked[setting] !== undefined);
  refuse(unused && `${unused}: ${unused === "faults" ? BECAUSE_OF_FAULTS : because} Remove "${unused}".`);

  refuse(
    (kind === "policies" || kind === "hold") &&
      asked.workers !== undefined &&
      `workers (--workers): expected a sweep, a search or a ramp, got ${kind}. Its load comes from this machine alone. Leave them out.`,
  );

  const comparison = kind === "policies" ? await spreadPolicies(asked, plugins.servers) : undefined;
  const policies = comparison?.told;
  const read = await readRequestFiles(comparison?.input ?? asked, folder);
  const isOfFaults = kind === "faults";
  const ownTargets = isOfFaults ? DEFAULTS.faults.targets : DEFAULTS.targets;
  const given = await resolveTargets(read.targets ?? ownTargets, plugins.servers);
  const { usualDurationMs } = DEFAULTS.faults;
  const input: ParsedSweepInput =
    isOfFaults && !hasFaults(read)
      ? { ...read, duration: read.duration ?? usualDurationMs, faults: [...usualFaults(given, plugins.servers)] }
      : read;
  // An engine that is chosen later can. A plugin is found later.
  const canFill = given
    .map(({ engine: own }) => own?.name ?? input.engine ?? DEFAULTS.engine)
    .every((one) => one === DEFAULTS.engine || plugins.engines.get(one)?.supports.fills === true);
  const planned: Plan = plan(input, canFill);
  refuseMetrics(input, { faults: planned.faults !== undefined, deadline: policies !== undefined });
  const load = {
    request: resolveRequest(input.request ?? {}),
    mix: input.mix === undefined ? null : resolveMix(input.mix, input.request, targetPaths(given)),
    httpVersion: input.httpVersion ?? DEFAULTS.httpVersion,
    ...defined({
      insecure: (input.insecure ?? DEFAULTS.insecure) ? (true as const) : undefined,
      serverTiming: (input.serverTiming ?? DEFAULTS.serverTiming) ? (true as const) : undefined,
    }),
    levels: planned.levels,
    ...resolveConnections(input, given),
    ...defined({ faults: planned.faults, policies, hold: planned.hold }),
  };
  checkHttpVersion(given, load.httpVersion, plugins.servers);
  const arrival = resolveArrival(input, planned.levels);
  const workers = resolveWorkers(input, planned, arrival);
  const generators = workers?.count ?? input.generators ?? DEFAULTS.generators;
  const { engine, targets } = await resolveEngines(input, given, { ...load, generators, workers }, plugins);
  const names = targets.map((target) => target.name);
  if (input.reference !== undefined) {
    checkReference(input.reference, names, "reference (--reference): expected the name of a target");
  }
  const margins = resolveMargins(input, names.length);
  const trials = resolveTrials(input, kind, names.length);
  refuseSteps(names.length, planned.levels.length, planned.trials ?? trials.trials);
  return frozenCopy({
    name: input.name ?? kind,
    targets,
    reference: input.reference ?? (names.length > 1 && policies === undefined ? (names[0] ?? null) : null),
    ...load,
    warmupMs: input.warmup ?? (input.requests === undefined ? DEFAULTS.warmup : DEFAULTS.warmupOfRequestsMs),
    timeoutMs: input.timeout ?? DEFAULTS.timeoutMs,
    restart: input.restart ?? DEFAULTS.restart,
    arrival,
    ramp: null,
    engine,
    thresholds: input.thresholds ?? [],
    ...margins,
    ...trials,
    stopOn: resolveStopRules(input),
    order: input.order ?? DEFAULTS.order,
    seed: input.seed ?? DEFAULTS.seed,
    search: null,
    ...planned,
  });
}

/** How many trials are made: of a sweep several, with a margin as many as decide. */
function resolveTrials(
  { trials, margin, requests, faults = [] }: ParsedSweepInput,
  kind: RunCommand,
  targets: number,
): Pick<Scenario, "trials" | "sequential"> {
  const isSweep = kind === "sweep" && faults.length === 0;
  const several = margin === undefined ? DEFAULTS.trials : "auto";
  const isShort = isSweep && (requests === undefined || margin !== undefined);
  const asked = trials ?? (isShort ? several : DEFAULTS.trialsOfOthers);
  if (asked !== "auto") return { trials: asked };
  refuse(
    !(isSweep && targets > 1) &&
      `trials (--trials): expected "auto" only in a sweep of several targets without faults, where comparisons decide; got it in ${isSweep ? "a sweep of one" : `a run of ${kind}`}. Use a number.`,
  );
  const { looks, limitMs } = DEFAULTS.sequential;
  return { trials: looks.at(-1) as number, sequential: { looks: [...looks], limitMs } };
}

/** All of them are planned before the first. */
const MOST_STEPS = 100_000;

function refuseSteps(targets: number, levels: number, trials: number): void {
  refuse(
    targets * levels * trials > MOST_STEPS &&
      `Expected at most ${MOST_STEPS} steps, got ${countOf(targets, "target")} at ${countOf(levels, "level")} in ${countOf(trials, "trial")} (--trials). ` +
        "Use fewer of one.",
  );
}

function hasFaults({ faults = [] }: ParsedSweepInput): boolean {
  return faults.length > 0;
}

/** Refuses conditions on what only faults have, or requests with a deadline, where there are none. */
export function refuseMetrics(
  { thresholds = [], stopOn = [] }: Pick<ParsedSweepInput, "thresholds" | "stopOn">,
  has: { faults: boolean; deadline: boolean },
) {
  const rules = [
    ...thresholds.map((rule) => ({ place: "thresholds (--threshold)", ...rule })),
    ...stopOn.flatMap((rule) => (rule === "thresholds" ? [] : { place: "stopOn (--stop-on)", ...rule })),
  ];
  const ofFaults = has.faults ? undefined : rules.find(({ metric }) => isOfFaults(metric));
  const within = has.deadline ? undefined : rules.find(({ metric }) => metric === "within");
  refuse(
    ofFaults &&
      `${ofFaults.place}: expected faults beside "${ofFaults.source}", got none. Add one to a sweep (--fault 'kill backend-2 at 3s'), or leave "${ofFaults.source}" out.`,
    within &&
      `${within.place}: expected "${within.source}" in a comparison of policies alone (lbbench policies), where requests have a deadline. Leave it out.`,
  );
}

function planSweep(input: ParsedSweepInput, canFill: boolean): Plan {
  return hasFaults(input) ? planWithFaults(input, canFill) : planLevels(input, canFill);
}

/** What a closed loop does is seen in so long a time; of an open one the rate is known. */
const BEFORE_FAULTS_MS = 500;

/**
 * An open loop by default, and a time that goes on after the last fault.
 *
 * @param flag what says how long a step lasts.
 */
function planWithFaults(input: ParsedSweepInput, canFill: boolean, flag = "-d"): Plan {
  const { faults = [], connections, rate, requests, workers, restart, policies } = input;
  const ofPolicies = policies?.slow ? "policies.slow (--slow)" : `the scenario "${policies?.scenario}"`;
  const origin = policies === undefined ? "faults (--fault)" : ofPolicies;
  refuse(
    restart === "trial" &&
      'restart (--restart): expected "step" with faults (--fault), got "trial". A fault changes a target, so that each step starts it again. ' +
        "Leave it out.",
    requests !== undefined &&
      `Expected a duration (-d) with ${origin}, got requests (-n). The end of a step of requests is not known before. Use -d.`,
    workers !== undefined &&
      "Expected faults (--fault) or workers (--workers), got both. Faults are timed by the clock of this machine, and the load of workers " +
        "by theirs. Leave one out.",
  );
  const isOpen = rate !== undefined || connections === undefined;
  const { afterMs } = DEFAULTS.faults;
  const { duration = Math.max(...faults.map(({ atMs }) => atMs)) + afterMs } = input;
  const load = isOpen ? { rate: rate ?? [DEFAULTS.faults.rate] } : {};
  const ordered = orderFaults(faults, duration, flag);
  const early = ordered.find(({ atMs }) => atMs < BEFORE_FAULTS_MS);
  refuse(
    !isOpen &&
      early &&
      `${origin}: expected a first fault at ${BEFORE_FAULTS_MS}ms or later with connections (-c), got "${formatFault(early)}". ` +
        "Recovery is judged by the answers before it. Do it later, or send at a rate (-r).",
  );
  return { ...planLevels({ ...input, duration, ...load }, canFill), faults: ordered, restart: "step" };
}

/** @param canFill whether the engine makes a step longer where its connections need that for several answers each. */
function planLevels(input: ParsedSweepInput, canFill: boolean): Plan {
  const { requests, duration, connections, rate, workers, arrival, requestsPerConnection = 1 } = input;
  refuse(
    requests !== undefined &&
      duration !== undefined &&
      "Expected requests (-n) or duration (-d), got both. A step ends after a number of requests, or after a time. Leave one out.",
    rate !== undefined &&
      connections !== undefined &&
      "Expected levels of connections (-c) or of a rate (-r), got both. A closed loop keeps connections busy, an open loop sends on a schedule. Leave one out.",
  );
  const loads: readonly Level[] =
    rate?.map((perSecond) =>
      arrival?.by === "connections"
        ? { rate: perSecond * requestsPerConnection, perConnection: requestsPerConnection }
        : { rate: perSecond },
    ) ?? (connections ?? levelsFor(workers?.count ?? 1)).map((count) => ({ connections: count }));
  if (requests === undefined) {
    const otherwise = rate === undefined && canFill ? DEFAULTS.durationMs : DEFAULTS.rateDurationMs;
    return { levels: loads.map((load) => ({ ...load, durationMs: duration ?? otherwise })) };
  }
  const most = Math.max(...loads.map((load) => load.connections ?? 0));
  const fewest = Math.min(...requests);
  const isUneven = (count: number): boolean => count % requestsPerConnection !== 0;
  const uneven = arrival?.by === "connections" ? requests.find(isUneven) : undefined;
  refuse(
    most > fewest &&
      `Expected at least as many requests as connections, got ${countOf(fewest, "request")} (-n) for ${countOf(most, "connection")} (-c): ` +
        `${countOf(most - fewest, "connection")} would never send one. Use -n ${most} or more, or at most ${countOf(fewest, "connection")}.`,
    uneven !== undefined &&
      `requests (-n): expected a multiple of ${requestsPerConnection}, the requests of each connection (--requests-per-connection), got ${uneven}. ` +
        "Use one, or a duration (-d).",
  );
  return { levels: requests.flatMap((count) => loads.map((load) => ({ ...load, requests: count }))) };
}

/** The default levels of which so many workers each get a connection. */
export function levelsFor(workers: number): readonly number[] {
  const levels = DEFAULTS.connections.filter((count) => count >= workers);
  return levels.length > 0 ? levels : [workers];
}

function planRamp({ ramp = {} }: ParsedSweepInput): Plan {
  const { from = DEFAULTS.ramp.from, to = DEFAULTS.ramp.to, over: riseMs = DEFAULTS.ramp.riseMs, steps = null } = ramp;
  refuse(
    to < from &&
      `ramp.to (--to): expected at least as many users as there are from the start (ramp.from, --from), ${from}, got ${to}. ` +
        "Raise it, or begin with fewer.",
    steps !== null &&
      steps > to - from &&
      `ramp.steps (--steps): expected at most ${to - from}, one for each user that comes between ${from} (--from) and ${to} ` +
        `(--to), got ${steps}. Leave it out, or say "none", for one user after the other.`,
  );
  // A step is as long as the others also when it is the last.
  const holdMs = ramp.hold ?? (steps === null ? DEFAULTS.ramp.holdMs : Math.ceil(riseMs / steps));
  const durationMs = riseMs + holdMs;
  refuse(
    durationMs > LONGEST_MS &&
      `ramp.over (--over) and ramp.hold (--hold): ${LONGEST_EXPECTED} for both together, got ${durationMs}ms`,
  );
  return { levels: [{ users: to, durationMs }], ramp: { from, riseMs, steps } };
}

/** Levels of connections that idle but for a request now and then. A target that has held some has memory left that is not given back. */
function planHold(input: ParsedSweepInput, canFill: boolean): Plan {
  const D = DEFAULTS.hold;
  const { hold = {}, faults = [], connections = [...D.connections], keepAlive, httpVersion, connectTo } = input;
  refuse(
    connectTo !== undefined &&
      `connectTo: expected none where connections are held (lbbench hold), got "${connectTo}". Leave it out.`,
    keepAlive === false &&
      "keepAlive: expected true where connections are held (lbbench hold), got false. Leave it out.",
    httpVersion === "2" &&
      'httpVersion: expected "1.1" where connections are held (lbbench hold), got "2". Leave it out.',
  );
  const leastMs = Math.max(D.durationMs, ...faults.map(({ atMs }) => atMs + DEFAULTS.faults.afterMs));
  const { for: duration = leastMs, burst } = hold;
  const { every: everyMs = Math.min(D.everyMs, duration) } = hold;
  refuse(
    everyMs > duration &&
      `hold.every (--every): expected at most ${formatDuration(duration)}, for which connections are held (hold.for, --for), got ` +
        `${formatDuration(everyMs)}: none would be asked again. Hold them for longer, or ask more often.`,
  );
  const asked = { ...input, connections, duration };
  const plan = hasFaults(input) ? planWithFaults(asked, canFill, "--for") : planLevels(asked, canFill);
  return { ...plan, reference: null, restart: "step", hold: { everyMs, ...defined({ burst }) } };
}

function planSearch(input: ParsedSweepInput): Plan {
  refuse(
    input.arrival?.by === "connections" &&
      'arrival.by: expected "requests" in a search, which looks for a rate of requests (lbbench max --by rate), got "connections". Leave it out.',
  );
  const D = DEFAULTS.search;
  const { search = {}, trials = D.trials, duration: durationMs = D.durationMs, thresholds = [] } = input;
  insist(trials !== "auto", 'trials (--trials): expected a number in a search, got "auto".');
  const { by = D.by, growth = D.growth, resolution = D.resolution, beyond = null } = search;
  const { most = D.most[by], needed = Math.floor(trials / 2) + 1 } = search;
  const fewest = by === "connections" ? (input.workers?.count ?? 1) : 1;
  const start = search.start ?? Math.min(Math.max(D.start[by], fewest), most);
  refuse(
    start > most && `search.start (--start): expected at most ${most}, which is search.most (--most), got ${start}`,
    needed > trials &&
      `search.needed (--needed): expected at most ${trials}, the number of trials (--trials), got ${needed}`,
  );
  const isAboutErrors = thresholds.some(({ metric }) => metric === "errors");
  return {
    // Every target has levels of its own, so there is nothing to compare.
    reference: null,
    levels: [{ [by]: start, durationMs }],
    trials,
    timeoutMs: input.timeout ?? D.timeoutMs,
    // Unless a threshold says how many, no request may fail.
    thresholds: [...(isAboutErrors ? [] : [parseThreshold(D.threshold)]), ...thresholds],
    search: { by, start, growth, most, resolution, needed, beyond },
  };
}

function resolveArrival({ arrival, seed = DEFAULTS.seed }: ParsedSweepInput, levels: readonly Level[]): Arrival | null {
  if (levels.some(({ rate }) => rate !== undefined)) {
    const { spacing = DEFAULTS.arrival.spacing, maxInFlight = DEFAULTS.arrival.maxInFlight } = arrival ?? {};
    return { spacing, maxInFlight, seed };
  }
  const place = ["arrival", ...Object.keys(arrival ?? {}).slice(0, 1)];
  refuse(
    arrival &&
      `${nameSetting(place)}: expected a rate beside it (-r, or lbbench max --by rate), got none. Add a rate, or leave it out.`,
  );
  return null;
}

/** Each worker has to get a part of every level: of connections, of users, or of the requests that may be in flight. */
function resolveWorkers(
  { workers, workersListen, workersCommand, retryLost, generators }: ParsedSweepInput,
  { levels, search = null }: Pick<Plan, "levels" | "search">,
  arrival: Arrival | null,
): Workers | undefined {
  if (workers === undefined) {
    const given = { workersListen, workersCommand, retryLost: retryLost || undefined };
    const [alone] = Object.keys(defined(given));
    refuse(alone && `${nameSetting([alone])}: expected workers (--workers) beside it, got none. Leave it out.`);
    return undefined;
  }
  refuse(
    generators !== undefined &&
      "Expected workers (--workers) or generators (--generators), got both. A worker has one generator: start more workers.",
    workersCommand !== undefined &&
      workers.from !== "ssh" &&
      "workersCommand (--workers-command): expected only with workers by ssh, got it with wait. Those workers are started by hand. Leave it out.",
  );
  const { count, waitMs = DEFAULTS.workers.waitMs } = workers;
  const flagOfConnections = search === null ? "-c" : "--start";
  for (const { connections, users } of levels) {
    const parts = {
      [`connections (${flagOfConnections})`]: connections,
      "users (--to)": users,
      "requests in flight (--max-in-flight)": arrival?.maxInFlight,
    };
    const [few] = Object.entries(parts).filter(([, most = count]) => most < count);
    refuse(
      few &&
        `Expected at least as many ${few[0]} as workers (--workers), got ${few[1]} for ${countOf(count, "worker")}. Use more, or fewer workers.`,
    );
  }
  const isTunnelled = workers.from === "ssh" && workersListen === undefined;
  const { host = DEFAULTS.workers.host, port = isTunnelled ? 0 : DEFAULTS.workers.port } = workersListen ?? {};
  const command = workersCommand === undefined ? {} : { command: workersCommand };
  return { ...workers, ...command, waitMs, listen: { host, port }, retryLost: retryLost ?? false };
}

/** How connections are opened, how long they are kept and where they go. */
function resolveConnections(
  { keepAlive = DEFAULTS.keepAlive, requestsPerConnection, arrival, connectTo, tls }: ParsedSweepInput,
  targets: readonly Target[],
): Pick<Scenario, "keepAlive" | "requestsPerConnection" | "connectTo" | "tls"> {
  const each = requestsPerConnection ?? (arrival?.by === "connections" || !keepAlive ? 1 : undefined);
  const ofOurs = connectTo === undefined ? undefined : targets.find(({ server }) => server !== "url");
  refuse(
    !keepAlive &&
      each !== 1 &&
      `requestsPerConnection (--requests-per-connection): expected 1 beside keepAlive: false (--no-keepalive), got ${each}. Leave one of them out.`,
    ofOurs &&
      `connectTo (--connect-to): expected targets that are URLs, got "${ofOurs.name}", which is started at an address of its own. Leave it out.`,
  );
  const { resume = DEFAULTS.tlsResume, ...others } = tls ?? {};
  const pair = others.cert === undefined ? ["cert (--cert)", "key (--key)"] : ["key (--key)", "cert (--cert)"];
  refuse(
    (others.cert === undefined) !== (others.key === undefined) &&
      `tls.${pair[0]}: expected beside tls.${pair[1]}, got none. ` +
        "A client shows a certificate, and proves with the key that it is its own. Add it, or leave out both.",
  );
  const told = defined({ resume: resume ? (true as const) : undefined, ...others });
  const [first] = Object.keys(told);
  const maySecure = ({ server, options }: Target): boolean => server !== "url" || isSecure(String(options["url"]));
  refuse(
    first !== undefined &&
      !targets.some(maySecure) &&
      `${nameSetting(["tls", first])}: expected a target of https://, grpcs:// or wss://, got ${String(targets[0]?.options["url"])}, where no TLS is spoken. Leave it out.`,
  );
  return {
    keepAlive: each !== 1,
    ...defined({
      requestsPerConnection: each === 1 ? undefined : each,
      connectTo,
      tls: first === undefined ? undefined : told,
    }),
  };
}

function resolveStopRules({ stopOn = [], thresholds = [] }: ParsedSweepInput): readonly Threshold[] {
  refuse(
    stopOn.includes("thresholds") &&
      thresholds.length === 0 &&
      'stopOn (--stop-on): expected thresholds (--threshold) beside "thresholds", got none. Add one, or name a condition such as "errors>10%".',
  );
  return stopOn.flatMap((rule) => (rule === "thresholds" ? thresholds.map(invertThreshold) : rule));
}

function resolveMargins({ margin, errorMargin }: ParsedSweepInput, targets: number) {
  refuse(
    margin === undefined &&
      errorMargin !== undefined &&
      `errorMargin: expected margin (--margin) beside it, got ${errorMargin} alone. Without a margin targets are compared, not judged. ` +
        "Add one, or leave errorMargin out.",
    margin !== undefined &&
      targets === 1 &&
      "margin (--margin): expected two targets or more, got one. The margin says how much worse than the reference the others may be. " +
        "Add a target (-t), or compare with an earlier run: lbbench compare A B --margin 5%.",
  );
  return { margin: margin ?? null, errorMargin: errorMargin ?? DEFAULTS.errorMargin };
}
