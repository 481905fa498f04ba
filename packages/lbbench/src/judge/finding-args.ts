import type { FindingCode } from "../model/finding.js";
import type { LoadKind } from "../model/level.js";

type Numbers<Names extends string> = Readonly<Record<Names, number>>;
type Words<Names extends string> = Readonly<Record<Names, string>>;

type Failed = Numbers<"count" | "sent" | "share">;
/** What a conclusion is about: levels as a list of numbers (`50, 100`), of a matrix with their numbers of requests, and how many there are. */
type Where = Words<"kind" | "levels" | "amounts"> & Numbers<"every" | "from" | "told" | "among">;
type Compared = Words<"reference" | "metric">;
type Claim = Compared &
  Where &
  Numbers<"change" | "low" | "high" | "least" | "most" | "p" | "bound" | "trials" | "together">;
/** Where goodput falls, or requests begin to fail; of a ramp also when. */
type Fall = Words<"kind"> & Numbers<"lastGood" | "firstBad" | "second">;
type GoodputFall = Fall & Numbers<"remaining" | "failsFrom" | "failsFromSecond">;
type Threshold = Words<"threshold" | "metric"> & Numbers<"actual">;
type Message = Words<"message">;

/** The figures and words of each finding. What does not apply is missing, and in a file of another version anything may be. */
interface FindingArgsOf {
  ADDED_TIME: Words<"reference"> & Where & Numbers<"least" | "most" | "p">;
  ALIKE: Compared & Where & Numbers<"low" | "high">;
  ALL_FAILED: Numbers<"sent" | "inFlight">;
  BACKEND_DIFFERS: Words<"process" | "policy"> & Numbers<"ms" | "othersMs" | "share" | "due">;
  BACKEND_NOT_USED_AGAIN: Words<"fault" | "process"> & Numbers<"lookedMs">;
  BACKENDS_NOT_REUSED: Numbers<"accepted" | "requests" | "share">;
  BALANCER_REFUSED: Failed & Words<"status">;
  BODY_MISMATCH: Failed;
  BREAKS: Fall & Words<"ways" | "lastWays"> & Numbers<"share" | "last" | "lastShare" | "broken" | "refuses">;
  BYTES_DIFFER: Words<"other" | "reason" | "engine" | "otherEngine"> &
    Numbers<"received" | "body" | "otherReceived" | "otherBody">;
  CLIFF: GoodputFall;
  COMPARISON_INCONCLUSIVE: Words<"reference" | "because"> &
    Numbers<"margin" | "trials" | "of" | "trialsNeeded" | "planned">;
  CONNECTIONS_HELD: Numbers<"opened" | "alive" | "lost" | "balancerBytes" | "backendBytes">;
  CONNECTIONS_LOST: Numbers<"lost" | "closed" | "reset" | "givenUp" | "established" | "everyMs">;
  CONNECTIONS_RESET: Failed;
  CONNECTIONS_STARVED: Numbers<"asked" | "answered">;
  CONNECT_ERRORS: Failed & Words<"code">;
  CORES_DIFFER: Words<"other"> & Numbers<"workers" | "otherWorkers" | "cores">;
  COST_AT_ONE: Words<"reference"> & Numbers<"ms" | "change">;
  DEGRADES: GoodputFall;
  DRIFT: Numbers<"change">;
  FAILS_LESS: Claim;
  FAILS_MORE: Claim;
  FAST_FAILURES: Numbers<
    "count" | "answers" | "share" | "p50" | "failedP50" | "mixedP50" | "mean" | "mixedMean" | "lighter" | "lighterP50"
  >;
  FASTER: Claim;
  FAULTS_COMPARED: Words<"undone" | "lostIs" | "recoveryIs"> &
    Numbers<"lost" | "sent" | "recoveryMs" | "trials" | "trialsNeeded">;
  FAULT_LOST: Failed & Words<"fault"> & Numbers<"recoveryMs">;
  FAULT_NOT_APPLIED: Message & Words<"fault">;
  FAULT_SURVIVED: Words<"fault">;
  FD_LIMIT: Words<"process" | "role" | "code"> & Numbers<"used" | "needed" | "count" | "fdLimit">;
  FIGURE_DOUBTFUL: Words<"program" | "figure" | "because">;
  FIGURE_NOT_TOLD: Words<"program" | "figure"> & Numbers<"ok" | "sent">;
  GENERATOR_SATURATED: Words<"process" | "worker" | "host" | "fasterEngine"> &
    Numbers<"cpu" | "busiestThread" | "eventLoopUtilization" | "machineCpu">;
  HOST_BUSY: Numbers<"steal">;
  IDENTICAL_FIGURES: Words<"other"> & Numbers<"copied" | "figures">;
  INTERRUPTED: object;
  KEEPALIVE_REFUSED: Numbers<"established" | "opened" | "answers">;
  KNEE: Words<"kind" | "then" | "bottleneck" | "busyAt" | "fasterEngine"> &
    Numbers<"knee" | "below" | "above" | "throughput" | "reached" | "second">;
  LEVEL_NOT_REACHED: Numbers<"asked" | "opened" | "planned" | "unsent" | "latenessMs">;
  LIMIT_DOUBTFUL: Words<"kind" | "because" | "doubt">;
  LIMIT_FOUND: Words<"kind" | "because"> & Numbers<"held" | "broken" | "beyond" | "beyondHeld" | "trials">;
  LIMIT_NOT_FOUND: Words<"kind" | "because" | "reason"> & Numbers<"held" | "last">;
  LITTLES_LAW: Words<"kind"> & Numbers<"asked" | "computed">;
  MACHINE_SATURATED: Words<"process"> & Numbers<"machine" | "ofTarget" | "headroom" | "cpu">;
  MEMORY_GROWS: Words<"process"> & Numbers<"requestBytes" | "fromBytes" | "toBytes" | "requests" | "lives" | "of">;
  NON_2XX: Failed & Words<"expected" | "status">;
  NOTHING_HELD: Words<"kind" | "because"> & Numbers<"broken">;
  NOT_RECOVERED: Words<"fault"> & Numbers<"lookedMs">;
  NOT_WARM: Numbers<"warmupMs">;
  NO_WARMUP: object;
  PEAK: Words<"kind" | "bottleneck"> &
    Numbers<"requests" | "throughput" | "p50" | "p99" | "best" | "second" | "atUsers">;
  POLICIES_COMPARED: Words<"balancer" | "scenario" | "withinIs" | "because"> &
    Numbers<"deadlineMs" | "within" | "trials" | "isDefault" | "p" | "trialsNeeded" | "trialsLikely">;
  PORTS_EXHAUSTED: Words<"process" | "destination"> &
    Numbers<"count" | "taken" | "needed" | "ports" | "first" | "last">;
  REQUESTS_DROPPED: Failed;
  REQUESTS_FAILED: Failed & Words<"program">;
  REQUESTS_LOST: Numbers<"sent" | "accounted" | "completed" | "counted">;
  SHEDS: Fall & Numbers<"failsFrom" | "failsFromSecond">;
  SINGLE_TRIAL: object;
  SLOWER: Claim;
  STALLS: Numbers<"seconds" | "of" | "worstMs" | "usualMs" | "least" | "usual">;
  START_REPEATED: Message;
  STEP_FAILED: Message & Words<"code">;
  STEP_REPEATED: Message;
  STOPPED_EARLY: Words<"rule" | "metric"> & Numbers<"actual" | "skipped">;
  TARGET_DIED: Message & Numbers<"atUsers" | "second">;
  THRESHOLD_FAILED: Threshold;
  THRESHOLD_INCONCLUSIVE: Threshold & Words<"because">;
  TIMEOUTS: Failed & Numbers<"timeoutMs">;
  TLS_NOT_VERIFIED: object;
  TOO_SHORT: Numbers<"elapsedMs" | "minimumMs">;
  TRIALS_DISAGREE: Numbers<"trials" | "low" | "high" | "spread" | "deviation">;
  UNTESTED: Compared &
    Where &
    Words<"because"> &
    Numbers<"trials" | "of" | "trialsNeeded" | "canResume" | "least" | "most" | "alike">;
  WITHIN_NOISE: Compared &
    Words<"kind" | "higher" | "higherRequests" | "lower" | "lowerRequests"> &
    Numbers<"trials" | "highest" | "lowest">;
  WORKERS_DIFFER: Message;
  WORKER_LOST: Message;
  WORSE_THAN_REFERENCE: Compared &
    Numbers<"change" | "bound" | "low" | "high" | "margin" | "together" | "died" | "trials">;
}

/** Where a finding was made, and of how many steps it is; `all...` are the counts of all of these. */
type FindingPlace = Words<"target" | "levels" | "ofRequests" | "worstRequests" | "allStatus" | "allCode"> &
  Numbers<"steps" | "trial" | LoadKind | "alike" | "share"> &
  Numbers<"allCount" | "allSent" | "allShare" | "allInFlight">;

/** The args of a finding, of which any may be missing. */
export type Seen<Code extends FindingCode = FindingCode> = Readonly<Partial<Every<FindingArgsOf[Code]> & FindingPlace>>;

/** Of a union of objects, one that has all of their properties. */
type Every<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
