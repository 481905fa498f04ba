import type { FindingCode } from "../model/finding.js";

/** So many of some. */
interface Count {
  readonly count: number;
  readonly sent: number;
  readonly share: number;
}

/** A target beside its reference, where that is one finding for several levels. */
interface Compared {
  readonly reference: string;
  readonly metric: string;
}

/** The levels that a conclusion is about, as a list of numbers: `50, 100`; of a matrix with their numbers of requests, and how many there are. */
interface Where {
  readonly kind: string;
  readonly levels: string;
  readonly amounts: string;
  readonly told: number;
  readonly among: number;
  /** 1 where these are all of several levels. */
  readonly every: number;
  /** The lowest, where it is all from there on. */
  readonly from: number;
}

/** A difference that is claimed: its size, or of several levels the smallest and the largest. */
interface Claim extends Compared, Where {
  readonly change: number;
  readonly low: number;
  readonly high: number;
  readonly least: number;
  readonly most: number;
  readonly p: number;
  /** 1 where the difference may be larger. */
  readonly bound: number;
  readonly trials: number;
  /** Levels that are told together, by their mean. */
  readonly together: number;
}

/** Where goodput falls, or requests begin to fail; of a ramp also when. */
interface Fall {
  readonly kind: string;
  readonly lastGood: number;
  readonly firstBad: number;
  readonly second: number;
}

interface Threshold {
  readonly threshold: string;
  readonly metric: string;
  readonly actual: number;
}

interface Limit {
  readonly because: string;
}

/** What a search names its value by. */
interface Message {
  readonly message: string;
}

/** The figures and words of each finding. What does not apply is missing, and in a file of another version anything may be. */
export interface FindingArgsOf {
  ALIKE: Compared & Where & { readonly low: number; readonly high: number };
  ALL_FAILED: { readonly sent: number; readonly inFlight: number };
  BACKEND_DIFFERS: {
    readonly process: string;
    readonly ms: number;
    readonly othersMs: number;
    readonly share: number;
    readonly due: number;
    readonly policy: string;
  };
  BACKEND_NOT_USED_AGAIN: { readonly fault: string; readonly process: string; readonly lookedMs: number };
  BODY_MISMATCH: Count;
  BREAKS: Fall & {
    readonly share: number;
    readonly ways: string;
    readonly last: number;
    readonly lastShare: number;
    readonly lastWays: string;
    readonly broken: number;
    readonly refuses: number;
  };
  BYTES_DIFFER: {
    readonly other: string;
    readonly reason: string;
    readonly received: number;
    readonly body: number;
    readonly otherReceived: number;
    readonly otherBody: number;
    readonly engine: string;
    readonly otherEngine: string;
  };
  CLIFF: Fall & { readonly remaining: number; readonly failsFrom: number; readonly failsFromSecond: number };
  COMPARISON_INCONCLUSIVE: {
    readonly reference: string;
    readonly margin: number;
    readonly because: string;
    readonly trials: number;
    readonly of: number;
    readonly trialsNeeded: number;
    readonly planned: number;
  };
  CONNECTIONS_RESET: Count;
  CONNECTIONS_STARVED: { readonly asked: number; readonly answered: number };
  CONNECT_ERRORS: Count & { readonly code: string };
  COST_AT_ONE: { readonly reference: string; readonly ms: number; readonly change: number };
  DEGRADES: FindingArgsOf["CLIFF"];
  DRIFT: { readonly change: number };
  FAILS_LESS: Claim;
  FAILS_MORE: Claim;
  FAST_FAILURES: {
    readonly count: number;
    readonly answers: number;
    readonly share: number;
    readonly p50: number;
    readonly failedP50: number;
    readonly mixedP50: number;
    readonly mean: number;
    readonly mixedMean: number;
    readonly lighter: number;
    readonly lighterP50: number;
  };
  FASTER: Claim;
  FAULTS_COMPARED: {
    readonly lost: number;
    readonly sent: number;
    readonly recoveryMs: number;
    readonly trials: number;
    readonly trialsNeeded: number;
    readonly undone: string;
    readonly lostIs: string;
    readonly recoveryIs: string;
  };
  FAULT_LOST: Count & { readonly fault: string; readonly recoveryMs: number };
  FAULT_NOT_APPLIED: Message & { readonly fault: string };
  FAULT_SURVIVED: { readonly fault: string };
  FD_LIMIT: {
    readonly process: string;
    readonly role: string;
    readonly used: number;
    readonly needed: number;
    readonly count: number;
    readonly code: string;
    readonly fdLimit: number;
  };
  FIGURE_DOUBTFUL: { readonly program: string; readonly figure: string; readonly because: string };
  FIGURE_NOT_TOLD: { readonly program: string; readonly figure: string; readonly ok: number; readonly sent: number };
  GENERATOR_SATURATED: {
    readonly process: string;
    readonly worker: string;
    readonly host: string;
    readonly cpu: number;
    readonly busiestThread: number;
    readonly eventLoopUtilization: number;
    readonly machineCpu: number;
    readonly fasterEngine: string;
  };
  HOST_BUSY: { readonly steal: number };
  IDENTICAL_FIGURES: { readonly other: string; readonly copied: number; readonly figures: number };
  IMPORT_DOUBTFUL: { readonly program: string; readonly figure: string; readonly lines: string };
  INTERRUPTED: object;
  KEEPALIVE_REFUSED: { readonly established: number; readonly opened: number; readonly answers: number };
  KNEE: {
    readonly kind: string;
    readonly knee: number;
    readonly below: number;
    readonly above: number;
    readonly throughput: number;
    readonly reached: number;
    readonly second: number;
    readonly then: string;
    readonly bottleneck: string;
    readonly busyAt: string;
    readonly fasterEngine: string;
  };
  LEVEL_NOT_REACHED: {
    readonly asked: number;
    readonly opened: number;
    readonly planned: number;
    readonly unsent: number;
    readonly latenessMs: number;
  };
  LIMIT_DOUBTFUL: Limit & { readonly doubt: string };
  LIMIT_FOUND: Limit & { readonly held: number; readonly broken: number };
  LIMIT_NOT_FOUND: Limit & { readonly reason: string };
  LITTLES_LAW: { readonly asked: number; readonly computed: number; readonly kind: string };
  MACHINE_SATURATED: {
    readonly machine: number;
    readonly ofTarget: number;
    readonly process: string;
    readonly cpu: number;
  };
  MEMORY_GROWS: {
    readonly process: string;
    readonly requestBytes: number;
    readonly fromBytes: number;
    readonly toBytes: number;
    readonly requests: number;
    readonly lives: number;
    readonly of: number;
  };
  NON_2XX: Count & { readonly expected: string; readonly status: string };
  NOTHING_HELD: Limit;
  NOT_RECOVERED: { readonly fault: string; readonly lookedMs: number };
  NOT_WARM: { readonly warmupMs: number };
  NO_WARMUP: object;
  PEAK: {
    readonly kind: string;
    readonly requests: number;
    readonly throughput: number;
    readonly p50: number;
    readonly p99: number;
    readonly bottleneck: string;
    readonly best: number;
    readonly second: number;
    readonly atUsers: number;
  };
  PORTS_EXHAUSTED: {
    readonly process: string;
    readonly count: number;
    readonly taken: number;
    readonly needed: number;
    readonly ports: number;
    readonly destination: string;
    readonly first: number;
    readonly last: number;
  };
  REQUESTS_DROPPED: Count;
  REQUESTS_FAILED: Count & { readonly program: string };
  REQUESTS_LOST: {
    readonly sent: number;
    readonly accounted: number;
    readonly completed: number;
    readonly counted: number;
  };
  SHEDS: Fall & { readonly failsFrom: number; readonly failsFromSecond: number };
  SINGLE_TRIAL: object;
  SLOWER: Claim;
  STALLS: {
    readonly seconds: number;
    readonly of: number;
    readonly worstMs: number;
    readonly usualMs: number;
    readonly least: number;
    readonly usual: number;
  };
  START_REPEATED: Message;
  STEP_FAILED: Message & { readonly code: string };
  STEP_REPEATED: Message;
  STOPPED_EARLY: {
    readonly rule: string;
    readonly metric: string;
    readonly actual: number;
    readonly skipped: number;
  };
  TARGET_DIED: Message & { readonly atUsers: number; readonly second: number };
  THRESHOLD_FAILED: Threshold;
  THRESHOLD_INCONCLUSIVE: Threshold & { readonly because: string };
  TIMEOUTS: Count & { readonly timeoutMs: number };
  TLS_NOT_VERIFIED: object;
  TOO_SHORT: { readonly elapsedMs: number; readonly minimumMs: number };
  TRIALS_DISAGREE: {
    readonly trials: number;
    readonly low: number;
    readonly high: number;
    readonly spread: number;
    readonly deviation: number;
  };
  UNTESTED: Compared &
    Where & {
      readonly because: string;
      readonly trials: number;
      readonly of: number;
      readonly trialsNeeded: number;
      readonly canResume: number;
      readonly least: number;
      readonly most: number;
      readonly alike: number;
    };
  WITHIN_NOISE: Compared & {
    readonly kind: string;
    readonly trials: number;
    readonly higher: string;
    readonly highest: number;
    readonly higherRequests: string;
    readonly lower: string;
    readonly lowest: number;
    readonly lowerRequests: string;
  };
  WORKERS_DIFFER: Message;
  WORKER_LOST: Message;
  WORSE_THAN_REFERENCE: Compared & {
    readonly change: number;
    readonly low: number;
    readonly high: number;
    readonly margin: number;
    readonly together: number;
    readonly died: number;
    readonly trials: number;
  };
}

/** Where a finding was made, and of how many steps it is; `all...` are the counts of all of these. */
export interface FindingPlace {
  readonly target: string;
  readonly levels: string;
  readonly steps: number;
  readonly trial: number;
  readonly connections: number;
  readonly rate: number;
  readonly users: number;
  readonly ofRequests: string;
  readonly worstRequests: string;
  readonly alike: number;
  readonly share: number;
  readonly allCount: number;
  readonly allSent: number;
  readonly allShare: number;
  readonly allInFlight: number;
  readonly allStatus: string;
  readonly allCode: string;
}

/** The args of a finding, of which any may be missing. */
export type Seen<Code extends FindingCode = FindingCode> = Readonly<Partial<Every<FindingArgsOf[Code]> & FindingPlace>>;

/** Of a union of objects, one that has all of their properties. */
type Every<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
