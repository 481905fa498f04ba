/** What can be noticed, as codes, and what is told of each. */

/** Names in a text, with spaces between. */
type NamesIn<Text extends string> = Text extends `${infer Name} ${infer Others}`
  ? Name | NamesIn<Others>
  : Exclude<Text, "">;

/** Args by their names, each with a value of its kind. */
type Args<Texts extends string, Numbers extends string, Flags extends string> = Readonly<
  Record<NamesIn<Texts>, string> & Record<NamesIn<Numbers>, number> & Record<NamesIn<Flags>, 1>
>;

/** Args of a finding: the names of its texts, of its numbers, and of its flags, which are stored as 1 or are missing. */
function args<Texts extends string, Numbers extends string = "", Flags extends string = "">(
  texts: Texts,
  numbers?: Numbers,
  flags?: Flags,
): Args<Texts, Numbers, Flags> {
  const kinds = [[texts, ""] as const, [numbers, 0] as const, [flags, 1] as const];
  const named = kinds.flatMap(([names = "", kind]) =>
    names === "" ? [] : names.split(" ").map((name) => [name, kind]),
  );
  return Object.fromEntries(named) as Args<Texts, Numbers, Flags>;
}

/** `share` is of those that came to an end, `finished`, where these are told. */
const FAILED = args("", "count sent finished share");
/** What a conclusion is about: levels as a list of numbers (`50, 100`), of a matrix with their numbers of requests, and how many there are. */
const WHERE = args("kind levels amounts", "from told among", "every");
const COMPARED = args("reference metric");
const CLAIM = { ...COMPARED, ...WHERE, ...args("", "change low high least most p trials together", "bound") };
/** Where goodput falls, or requests begin to fail; of a ramp also when. `requests`: of a matrix, of which only the curve with the most is looked at. */
const FALL = args("kind", "lastGood firstBad second requests");
const GOODPUT_FALL = { ...FALL, ...args("", "remaining failsFrom failsFromSecond") };
const THRESHOLD = args("threshold metric", "actual");
const MESSAGE = args("message");

/** The args of each finding, by its code. What does not apply is missing, and in a file of another version anything may be. */
export const ARGS = {
  ADDED_TIME: { ...WHERE, ...args("reference", "least most p") },
  ALIKE: { ...COMPARED, ...WHERE, ...args("", "low high together") },
  ALL_FAILED: args("", "sent inFlight"),
  BACKEND_DIFFERS: args("process policy", "ms othersMs share due"),
  BACKEND_NOT_USED_AGAIN: args("fault process", "lookedMs"),
  BACKENDS_NOT_REUSED: args("", "accepted requests share"),
  BALANCER_REFUSED: { ...FAILED, ...args("status") },
  BODY_MISMATCH: { ...FAILED, ...args("code") },
  BREAKS: { ...FALL, ...args("ways lastWays", "share last lastShare", "broken refuses") },
  BYTES_DIFFER: args("other reason engine otherEngine", "received body otherReceived otherBody"),
  CLIFF: GOODPUT_FALL,
  COMPARISON_INCONCLUSIVE: args("reference because", "margin trials of trialsNeeded planned"),
  CONNECTIONS_HELD: args("", "opened alive lost balancerBytes backendBytes"),
  CONNECTIONS_LOST: args("", "lost closed reset givenUp established everyMs"),
  CONNECTIONS_RESET: FAILED,
  CONNECTIONS_STARVED: args("", "asked answered"),
  CONNECT_ERRORS: { ...FAILED, ...args("code") },
  CORES_DIFFER: args("other", "workers otherWorkers cores"),
  COST_AT_ONE: args("reference", "ms change"),
  DEGRADES: GOODPUT_FALL,
  DRIFT: args("", "change"),
  FAILS_LESS: CLAIM,
  FAILS_MORE: CLAIM,
  FAST_FAILURES: args("", "count answers share p50 failedP50 mixedP50 mean mixedMean lighter lighterP50"),
  FASTER: CLAIM,
  FAULTS_COMPARED: args("undone lostIs recoveryIs", "lost sent recoveryMs trials trialsNeeded"),
  FAULT_LOST: { ...FAILED, ...args("fault", "recoveryMs slowestMs") },
  FAULT_NOT_APPLIED: { ...MESSAGE, ...args("fault") },
  FAULT_SURVIVED: args("fault"),
  FD_LIMIT: args("process role code", "used needed count fdLimit"),
  FIGURE_DOUBTFUL: args("program figure because"),
  FIGURE_NOT_TOLD: args("program figure", "ok sent"),
  GENERATOR_SATURATED: args("process worker host fasterEngine", "cpu busiestThread eventLoopUtilization machineCpu"),
  HOST_BUSY: args("", "steal"),
  IDENTICAL_FIGURES: args("other", "copied figures"),
  INTERRUPTED: {},
  KEEPALIVE_REFUSED: args("", "established opened answers"),
  KNEE: args("kind then bottleneck busyAt fasterEngine", "knee below above throughput reached second requests", "dips"),
  LEVEL_NOT_REACHED: args("", "asked opened planned unsent latenessMs"),
  LIMIT_DOUBTFUL: args("kind because doubt"),
  LIMIT_FOUND: args("kind because", "held broken beyond beyondHeld trials"),
  LIMIT_NOT_FOUND: args("kind because reason", "held last"),
  LITTLES_LAW: args("kind", "asked computed"),
  MACHINE_SATURATED: args("process", "machine ofTarget headroom cpu"),
  MEMORY_GROWS: args("process", "requestBytes fromBytes toBytes requests lives of"),
  NON_2XX: { ...FAILED, ...args("expected status") },
  NOTHING_HELD: args("kind because", "broken"),
  NOT_RECOVERED: args("fault", "lookedMs"),
  NOT_WARM: args("", "warmupMs"),
  NO_WARMUP: {},
  PEAK: args("kind bottleneck", "requests throughput p50 p99 best second atUsers"),
  POLICIES_COMPARED: args(
    "balancer scenario withinIs because",
    "deadlineMs within trials p trialsNeeded trialsLikely",
    "isDefault",
  ),
  PORTS_EXHAUSTED: args("process destination", "count taken needed ports first last"),
  REQUESTS_DROPPED: FAILED,
  REQUESTS_FAILED: { ...FAILED, ...args("program") },
  REQUESTS_LOST: args("", "sent accounted completed counted"),
  SHEDS: GOODPUT_FALL,
  SINGLE_TRIAL: {},
  SLOWER: CLAIM,
  STALLS: args("", "seconds of worstMs usualMs least usual"),
  START_REPEATED: MESSAGE,
  STEP_FAILED: { ...MESSAGE, ...args("code") },
  STEP_REPEATED: MESSAGE,
  STOPPED_EARLY: args("rule metric", "actual skipped"),
  TARGET_DIED: { ...MESSAGE, ...args("", "atUsers second") },
  THRESHOLD_FAILED: THRESHOLD,
  THRESHOLD_INCONCLUSIVE: { ...THRESHOLD, ...args("because") },
  TIMEOUTS: { ...FAILED, ...args("", "timeoutMs") },
  TLS_NOT_VERIFIED: {},
  TOO_SHORT: args("", "elapsedMs minimumMs", "cutOff"),
  TRIALS_DISAGREE: args("", "trials low high spread deviation"),
  UNTESTED: { ...COMPARED, ...WHERE, ...args("because", "trials of trialsNeeded least most", "canResume alike") },
  WITHIN_NOISE: {
    ...COMPARED,
    ...args("kind higher higherRequests lower lowerRequests", "trials highest higherLeast lowest lowerLeast"),
  },
  WORKERS_DIFFER: MESSAGE,
  WORKER_LOST: MESSAGE,
  WORSE_THAN_REFERENCE: { ...COMPARED, ...args("", "change low high margin together died trials", "bound") },
};

/** Everything lbbench can notice; each is described in docs/findings.md. */
export type FindingCode = keyof typeof ARGS;

/** Where a finding was made, and of how many steps it is; `all...` are the counts of all of these. */
export const PLACE = {
  ...args(
    "target levels ofRequests worstRequests",
    "steps ofSteps ofLevels trial share connections rate connectionRate users",
    "alike",
  ),
  ...args("allStatus allCode", "allCount allSent allFinished allShare allInFlight allRecoveryMs allSlowestMs"),
};
