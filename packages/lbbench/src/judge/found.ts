import type { Finding, FindingArgs, FindingCode, Severity } from "../model/finding.js";
import type { Environment, StepResult } from "../model/result.js";
import type { ToldScenario } from "../model/scenario.js";
import { LOAD_KINDS } from "../stats/load.js";

/** Args of a finding by their names, each with a value of its kind: a text, a number, or a flag, which is stored as 1 or is missing. */
type Kinds<Names extends string, Kind> = Readonly<Record<Names, Kind>>;
const kindsOf = <Names extends string, Kind>(names: readonly Names[], kind: Kind): Kinds<Names, Kind> =>
  Object.fromEntries(names.map((name) => [name, kind])) as Kinds<Names, Kind>;
const words = <Names extends string>(...names: readonly Names[]): Kinds<Names, string> => kindsOf(names, "");
const numbers = <Names extends string>(...names: readonly Names[]): Kinds<Names, number> => kindsOf(names, 0);
const flags = <Names extends string>(...names: readonly Names[]): Kinds<Names, 1> => kindsOf(names, 1);

const FAILED = numbers("count", "sent", "share");
/** What a conclusion is about: levels as a list of numbers (`50, 100`), of a matrix with their numbers of requests, and how many there are. */
const WHERE = { ...words("kind", "levels", "amounts"), ...numbers("from", "told", "among"), ...flags("every") };
const COMPARED = words("reference", "metric");
const CLAIM = {
  ...COMPARED,
  ...WHERE,
  ...numbers("change", "low", "high", "least", "most", "p", "trials", "together"),
  ...flags("bound"),
};
/** Where goodput falls, or requests begin to fail; of a ramp also when. */
const FALL = { ...words("kind"), ...numbers("lastGood", "firstBad", "second") };
const GOODPUT_FALL = { ...FALL, ...numbers("remaining", "failsFrom", "failsFromSecond") };
const THRESHOLD = { ...words("threshold", "metric"), ...numbers("actual") };
const MESSAGE = words("message");

/** The args of each finding. What does not apply is missing, and in a file of another version anything may be. */
const ARGS = {
  ADDED_TIME: { ...words("reference"), ...WHERE, ...numbers("least", "most", "p") },
  ALIKE: { ...COMPARED, ...WHERE, ...numbers("low", "high") },
  ALL_FAILED: numbers("sent", "inFlight"),
  BACKEND_DIFFERS: { ...words("process", "policy"), ...numbers("ms", "othersMs", "share", "due") },
  BACKEND_NOT_USED_AGAIN: { ...words("fault", "process"), ...numbers("lookedMs") },
  BACKENDS_NOT_REUSED: numbers("accepted", "requests", "share"),
  BALANCER_REFUSED: { ...FAILED, ...words("status") },
  BODY_MISMATCH: FAILED,
  BREAKS: {
    ...FALL,
    ...words("ways", "lastWays"),
    ...numbers("share", "last", "lastShare"),
    ...flags("broken", "refuses"),
  },
  BYTES_DIFFER: {
    ...words("other", "reason", "engine", "otherEngine"),
    ...numbers("received", "body", "otherReceived", "otherBody"),
  },
  CLIFF: GOODPUT_FALL,
  COMPARISON_INCONCLUSIVE: {
    ...words("reference", "because"),
    ...numbers("margin", "trials", "of", "trialsNeeded", "planned"),
  },
  CONNECTIONS_HELD: numbers("opened", "alive", "lost", "balancerBytes", "backendBytes"),
  CONNECTIONS_LOST: numbers("lost", "closed", "reset", "givenUp", "established", "everyMs"),
  CONNECTIONS_RESET: FAILED,
  CONNECTIONS_STARVED: numbers("asked", "answered"),
  CONNECT_ERRORS: { ...FAILED, ...words("code") },
  CORES_DIFFER: { ...words("other"), ...numbers("workers", "otherWorkers", "cores") },
  COST_AT_ONE: { ...words("reference"), ...numbers("ms", "change") },
  DEGRADES: GOODPUT_FALL,
  DRIFT: numbers("change"),
  FAILS_LESS: CLAIM,
  FAILS_MORE: CLAIM,
  FAST_FAILURES: numbers(
    "count",
    "answers",
    "share",
    "p50",
    "failedP50",
    "mixedP50",
    "mean",
    "mixedMean",
    "lighter",
    "lighterP50",
  ),
  FASTER: CLAIM,
  FAULTS_COMPARED: {
    ...words("undone", "lostIs", "recoveryIs"),
    ...numbers("lost", "sent", "recoveryMs", "trials", "trialsNeeded"),
  },
  FAULT_LOST: { ...FAILED, ...words("fault"), ...numbers("recoveryMs") },
  FAULT_NOT_APPLIED: { ...MESSAGE, ...words("fault") },
  FAULT_SURVIVED: words("fault"),
  FD_LIMIT: { ...words("process", "role", "code"), ...numbers("used", "needed", "count", "fdLimit") },
  FIGURE_DOUBTFUL: words("program", "figure", "because"),
  FIGURE_NOT_TOLD: { ...words("program", "figure"), ...numbers("ok", "sent") },
  GENERATOR_SATURATED: {
    ...words("process", "worker", "host", "fasterEngine"),
    ...numbers("cpu", "busiestThread", "eventLoopUtilization", "machineCpu"),
  },
  HOST_BUSY: numbers("steal"),
  IDENTICAL_FIGURES: { ...words("other"), ...numbers("copied", "figures") },
  INTERRUPTED: {},
  KEEPALIVE_REFUSED: numbers("established", "opened", "answers"),
  KNEE: {
    ...words("kind", "then", "bottleneck", "busyAt", "fasterEngine"),
    ...numbers("knee", "below", "above", "throughput", "reached", "second"),
  },
  LEVEL_NOT_REACHED: numbers("asked", "opened", "planned", "unsent", "latenessMs"),
  LIMIT_DOUBTFUL: words("kind", "because", "doubt"),
  LIMIT_FOUND: { ...words("kind", "because"), ...numbers("held", "broken", "beyond", "beyondHeld", "trials") },
  LIMIT_NOT_FOUND: { ...words("kind", "because", "reason"), ...numbers("held", "last") },
  LITTLES_LAW: { ...words("kind"), ...numbers("asked", "computed") },
  MACHINE_SATURATED: { ...words("process"), ...numbers("machine", "ofTarget", "headroom", "cpu") },
  MEMORY_GROWS: { ...words("process"), ...numbers("requestBytes", "fromBytes", "toBytes", "requests", "lives", "of") },
  NON_2XX: { ...FAILED, ...words("expected", "status") },
  NOTHING_HELD: { ...words("kind", "because"), ...numbers("broken") },
  NOT_RECOVERED: { ...words("fault"), ...numbers("lookedMs") },
  NOT_WARM: numbers("warmupMs"),
  NO_WARMUP: {},
  PEAK: {
    ...words("kind", "bottleneck"),
    ...numbers("requests", "throughput", "p50", "p99", "best", "second", "atUsers"),
  },
  POLICIES_COMPARED: {
    ...words("balancer", "scenario", "withinIs", "because"),
    ...numbers("deadlineMs", "within", "trials", "p", "trialsNeeded", "trialsLikely"),
    ...flags("isDefault"),
  },
  PORTS_EXHAUSTED: {
    ...words("process", "destination"),
    ...numbers("count", "taken", "needed", "ports", "first", "last"),
  },
  REQUESTS_DROPPED: FAILED,
  REQUESTS_FAILED: { ...FAILED, ...words("program") },
  REQUESTS_LOST: numbers("sent", "accounted", "completed", "counted"),
  SHEDS: { ...FALL, ...numbers("failsFrom", "failsFromSecond") },
  SINGLE_TRIAL: {},
  SLOWER: CLAIM,
  STALLS: numbers("seconds", "of", "worstMs", "usualMs", "least", "usual"),
  START_REPEATED: MESSAGE,
  STEP_FAILED: { ...MESSAGE, ...words("code") },
  STEP_REPEATED: MESSAGE,
  STOPPED_EARLY: { ...words("rule", "metric"), ...numbers("actual", "skipped") },
  TARGET_DIED: { ...MESSAGE, ...numbers("atUsers", "second") },
  THRESHOLD_FAILED: THRESHOLD,
  THRESHOLD_INCONCLUSIVE: { ...THRESHOLD, ...words("because") },
  TIMEOUTS: { ...FAILED, ...numbers("timeoutMs") },
  TLS_NOT_VERIFIED: {},
  TOO_SHORT: numbers("elapsedMs", "minimumMs"),
  TRIALS_DISAGREE: numbers("trials", "low", "high", "spread", "deviation"),
  UNTESTED: {
    ...COMPARED,
    ...WHERE,
    ...words("because"),
    ...numbers("trials", "of", "trialsNeeded", "least", "most"),
    ...flags("canResume", "alike"),
  },
  WITHIN_NOISE: {
    ...COMPARED,
    ...words("kind", "higher", "higherRequests", "lower", "lowerRequests"),
    ...numbers("trials", "highest", "lowest"),
  },
  WORKERS_DIFFER: MESSAGE,
  WORKER_LOST: MESSAGE,
  WORSE_THAN_REFERENCE: {
    ...COMPARED,
    ...numbers("change", "low", "high", "margin", "together", "died", "trials"),
    ...flags("bound"),
  },
} satisfies Readonly<Record<FindingCode, object>>;

/** Where a finding was made, and of how many steps it is; `all...` are the counts of all of these. */
const PLACE = {
  ...words("target", "levels", "ofRequests", "worstRequests", "allStatus", "allCode"),
  ...numbers("steps", "trial", "share"),
  ...flags("alike"),
  ...kindsOf(LOAD_KINDS, 0),
  ...numbers("allCount", "allSent", "allShare", "allInFlight"),
};

/** The args of a finding, of which any may be missing. */
export type Seen<Code extends FindingCode = FindingCode> = Readonly<Partial<Every<(typeof ARGS)[Code]> & typeof PLACE>>;

/** Of a union of objects, one that has all of their properties. */
type Every<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** What is told of a finding: what is `undefined` or `false` is left out. */
export type Told<Code extends FindingCode> = {
  readonly [Name in keyof Seen<Code>]:
    | Seen<Code>[Name]
    | undefined
    | (Seen<Code>[Name] extends 1 | undefined ? boolean : never);
};

/** Returns one finding, with the args that its code has. */
export function found<Code extends FindingCode>(code: Code, severity: Severity, args: Told<Code>): readonly Finding[] {
  return [{ code, severity, args: keepTold(args) }];
}

/** The args without those that are `undefined` or `false`. */
export function keepTold(args: object): FindingArgs {
  const told = Object.entries(args).filter(([, value]) => value !== undefined && value !== false);
  return Object.fromEntries(told.map(([name, value]) => [name, value === true ? 1 : value]));
}

/** The names of args that are texts. */
const TEXTS: ReadonlySet<string> = new Set(
  [...Object.values(ARGS), PLACE].flatMap((args) =>
    Object.entries(args).flatMap(([name, kind]) => (typeof kind === "string" ? [name] : [])),
  ),
);

/** Returns the figures of a finding; what is no number where it should be, as in a file that was changed, is missing. */
export function readFigures(args: FindingArgs): Seen {
  const told = Object.entries(args).filter(([name, value]) => TEXTS.has(name) || typeof value === "number");
  return Object.fromEntries(told.map(([name, value]) => [name, TEXTS.has(name) ? String(value) : value]));
}

/** A step before it is judged. */
export type UnjudgedStep = Omit<StepResult, "findings">;

/** Looks at a step for one thing; returns what it found, mostly nothing. Pure. */
export type StepRule = (
  step: UnjudgedStep,
  scenario: ToldScenario,
  environment: Environment | null,
) => readonly Finding[];
