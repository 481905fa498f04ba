import * as z from "zod";
import type { FindingCode } from "./finding-args.js";

type ReadonlyData<T> = T extends object ? { readonly [Key in keyof T]: ReadonlyData<T[Key]> } : T;

/** What a schema reads, as read-only data. */
export type Of<Schema extends z.ZodType> = ReadonlyData<z.output<Schema>>;

/** An object with these fields. Others pass unchanged, as later releases may add some; the type knows only of these. */
function object<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strip> {
  return z.looseObject(shape) as unknown as z.ZodObject<Shape, z.core.$strip>;
}

/** A text, of which a later release may know more than this one. */
function word<Word extends string>(expected: string) {
  return z.custom<Word>((value) => typeof value === "string", expected);
}

const number = z.number();
const text = z.string();
/** Options of a plugin. */
const options = z.record(text, z.unknown());

export const level = object({
  /** Each sends its next request when the last is answered. */
  connections: number.exactOptional(),
  /** Requests per second, whether or not earlier ones are answered. */
  rate: number.exactOptional(),
  /**
   * Of a rate: each new connection sends so many requests, one after another, and is closed. The level is of `rate / perConnection`
   * connections per second. Absent where requests are what leaves on schedule.
   */
  perConnection: number.exactOptional(),
  /** Users there are in the end; each is one of a closed loop. */
  users: number.exactOptional(),
  requests: number.exactOptional(),
  durationMs: number.exactOptional(),
});

/** What a threshold may ask about. Latency is of `ok` responses. */
export type ThresholdMetric =
  | "throughput"
  | "errors"
  | "lost"
  | "recovery"
  | "within"
  | Exclude<keyof z.output<typeof latencySummary>, "stddev">;

export const threshold = object({
  /** The text it was parsed from: `p99<50ms`, `errors<1%`, `throughput>1000`. */
  source: text,
  metric: word<ThresholdMetric>("expected the name of a metric"),
  operator: z.enum(["<", "<=", ">", ">="]),
  /** Milliseconds for latencies and `recovery`, a ratio from 0 to 1 for `errors` and `within`, ok responses per second for `throughput`, requests for `lost`. */
  value: number,
});

export const search = object({
  /** What the levels are values of. */
  by: z.enum(["connections", "rate"]),
  /** The first value that is tried. */
  start: number,
  /** By what a value that held is multiplied for the next one, until one does not hold. */
  growth: number,
  /** The largest value that is tried. */
  most: number,
  /** How far apart the largest value that held and the smallest that did not may be in the end, as a ratio; 1 is always near enough. */
  resolution: number,
  /** How many of the trials of a level have to hold, so that the level does. */
  needed: number,
  /** What the largest value that held is multiplied by for a run beyond it; `null` for none. */
  beyond: number.nullable(),
});

export const triedLevel = object({
  value: number,
  decision: z.enum(["held", "broken", "unclear", "undecided"]),
  held: number,
  broken: number,
  unclear: number,
  /** Why trials did not hold, where some did not: each threshold that was missed, `backlog`, or the code of a finding, with `and` between. */
  because: text.exactOptional(),
  /** The code of a finding that leaves open whether the target is to blame. */
  doubt: text.exactOptional(),
});

export const searchOutcome = object({
  target: text,
  by: z.enum(["connections", "rate"]),
  /**
   * `found`: the limit is between `held` and `broken`. `unbounded`: the largest value tried held. `nothing-held`: not even 1 did.
   * `unclear`: the trials of a level did not decide. `unfinished`: the search was cut short.
   */
  status: z.enum(["found", "unbounded", "nothing-held", "unclear", "unfinished"]),
  /** The largest value that held; `null` when none did. */
  held: number.nullable(),
  /** The smallest value that did not hold; `null` when all did. */
  broken: number.nullable(),
  /** Every level that was tried on the way, in that order. */
  tried: z.array(triedLevel),
  /** The level beyond the limit, where one was asked for and reached. */
  beyond: triedLevel.nullable(),
});

export const requestSpec = object({
  method: text,
  /** Path and query used with targets that we start; a target that is a URL brings its own. */
  path: text,
  headers: z.array(z.tuple([text, text])),
  /** The body, or `null` for none. */
  body: text.nullable(),
  /** How `body` is to be read: text, or base64 of bytes that are not UTF-8. */
  bodyEncoding: z.enum(["utf8", "base64"]),
  /** Status codes that count as `ok`, separated by commas: `2xx`, `200,304`. */
  expectStatus: text,
  /** The exact body of an `ok` answer, or `null` if any will do; another one counts as `mismatched`. */
  expectBody: text.nullable(),
});

export const targetEngine = object({
  name: text,
  options,
});

export const target = object({
  name: text,
  /** Name of the server plugin that starts it. */
  server: text,
  /** Options of that plugin, checked and with its defaults filled in. */
  options,
  /** Which engine loads it, where that is not the scenario's. */
  engine: targetEngine.exactOptional(),
  /** Names of the targets that it is compared with, at least one, where that is not the scenario's reference. */
  references: z.array(text).exactOptional(),
  /** Where it is in the grid that made it: the name without the options, and the value of each option that varies, in order. */
  gridPlace: object({ name: text, options: z.array(object({ option: text, value: text })) }).exactOptional(),
});

export const workers = object({
  /** `ssh`: lbbench starts them on `hosts`. `wait`: the user starts them. */
  from: z.enum(["ssh", "wait"]),
  count: number,
  /** Where they are started, as was said; absent with `wait`. */
  hosts: z.array(text).exactOptional(),
  /** What starts lbbench on `hosts`, for the shell there; absent for npx. */
  command: text.exactOptional(),
  /** Where their master listens; port 0 is any that is free. */
  listen: object({ host: text, port: number }),
  /** How long they are waited for, in ms. */
  waitMs: number,
  /** Whether a step that lost a worker is measured once more when all are there again. */
  retryLost: z.boolean(),
});

export const toldEngine = object({
  name: text,
  options: options.default({}),
  /** Child processes the load is split over; `auto`: more than one where one is not enough. */
  generators: z.union([number, z.literal("auto")]).nullable(),
  /** The workers that load comes from, often on other machines; absent where this machine generates it. */
  workers: workers.exactOptional(),
});

export const arrival = object({
  /** `uniform`: one every 1/rate; `poisson`: gaps drawn from an exponential distribution with that mean. */
  spacing: z.enum(["uniform", "poisson"]),
  /** Of the drawn gaps; the same seed gives the same schedule. */
  seed: number,
  /** Requests in flight beyond which one that is due cannot leave; it is counted as unsent. */
  maxInFlight: number,
});

export const tlsSpec = object({
  /** Whether connections go on with the session of an earlier one, where the server lets them; absent where each makes a full handshake. */
  resume: z.literal(true).exactOptional(),
  /** The only version that is offered. */
  version: z.enum(["1.2", "1.3"]).exactOptional(),
  /** The name that is asked for (SNI) and verified, in place of that of the URL. */
  serverName: text.exactOptional(),
  /** Files, in PEM, of the certificate that the client shows, and of its key. */
  cert: text.exactOptional(),
  key: text.exactOptional(),
});

export const ramp = object({
  /** Users there are from the start; at least 1. */
  from: number,
  /** Time over which they rise to the users of the level, in ms; for the rest of the level's duration all of them stay. */
  riseMs: number,
  /** Equal steps in which they come, each at its end; `null`: one after the other, evenly spaced. */
  steps: number.nullable(),
});

export const mixedRequest = object({
  /** What it is called in reports: `GET /cart` unless it has a name of its own. */
  name: text,
  /** How often it is sent, beside the weights of the others; above 0. */
  weight: number,
  request: requestSpec,
  /** Bodies to send in turn in place of that of `request`, encoded alike; `null` for none. */
  bodies: z.array(text).nullable(),
});

export const faultKind = z.enum([
  "kill",
  "start",
  "stop",
  "pause",
  "resume",
  "slow",
  "errors",
  "drain",
  "restore",
  "reload",
  "roll",
]);

export const fault = object({
  /** When it is to be done, in ms from the start of the measurement. */
  atMs: number,
  kind: faultKind,
  /** A part of the target, as reports name its processes; `backends` are all of them (of `roll` alone). */
  part: text,
  /** Of `slow`: how long answers are held back, in ms; 0 ends it. */
  byMs: number.exactOptional(),
  /** Of `errors`: share of the requests that are answered with 503, 0 to 1; 0 ends it. */
  share: number.exactOptional(),
});

export const doneFault = object({
  ...fault.shape,
  /** When it was begun, in ms from the start of the measurement; absent where it was not. */
  beganMs: number.exactOptional(),
  /** When it had taken effect, as was looked, in ms from the start of the measurement; `null` where it could not be done. */
  effectMs: number.nullable(),
  /** Why it could not be done; absent where it was. */
  error: text.exactOptional(),
});

/** What a stored scenario must have. Of fields that files of 0.1.0 have not, the default is what those did. */
export const scenarioSchema = object({
  name: text,
  targets: z.array(target),
  /** Name of the target that the others are compared with, or `null` with a single target. */
  reference: text.nullable(),
  /** Here and below `null`: imported output does not tell it, or differs in it. */
  request: requestSpec.nullable(),
  /** What is sent in place of `request`: several requests, mixed; `null` for that one alone. */
  mix: z.array(mixedRequest).nullable().default(null),
  /** `2` is spoken without asking (prior knowledge) over http://, and negotiated over https://. */
  httpVersion: z.enum(["1.1", "2"]).nullable().default("1.1"),
  /** Whether any certificate was accepted; absent where it was not. */
  insecure: z.literal(true).exactOptional(),
  /** Whether servers were to tell their times in `Server-Timing`, and engines to read them; absent where not. */
  serverTiming: z.literal(true).exactOptional(),
  levels: z.array(level),
  /** Independent repetitions of every (target, level); with `sequential` the most. */
  trials: number,
  /**
   * The trials are looked at after each of these numbers of them, and no more are made once every comparison is decided, or where the next
   * look would come later than this time after the start, without that in which the run was interrupted. Absent where all are made.
   */
  sequential: object({ looks: z.array(number), limitMs: number }).exactOptional(),
  /** Load before each measurement that is not counted, 0 for none; `auto`: until throughput is steady. */
  warmupMs: z.union([number, z.literal("auto")]).nullable(),
  /** A request without a complete answer after this time counts as `timedOut`. */
  timeoutMs: number.nullable(),
  /** How long targets live: for a trial, or for a step, as in files without it. */
  restart: z.enum(["trial", "step"]).exactOptional(),
  keepAlive: z.boolean().nullable(),
  /** Requests that a kept connection sends before it is closed; absent where there is no such number. */
  requestsPerConnection: number.exactOptional(),
  /** Where every connection goes in place of the address of the target: `host:port`, or `unix:` and a path; absent where it goes there. */
  connectTo: text.exactOptional(),
  /** How TLS is spoken, where that was said. */
  tls: tlsSpec.exactOptional(),
  /** Of levels that are rates; `null` when there are none. */
  arrival: arrival.nullable().default(null),
  /** Of levels that are users; `null` when there are none. */
  ramp: ramp.nullable().default(null),
  engine: toldEngine,
  thresholds: z.array(threshold),
  /** What is done to every target while it is measured, in order of time; absent where nothing is. */
  faults: z.array(fault).exactOptional(),
  /** Which policies are compared, of which balancer, while the backends do what a scenario says; absent of other runs. */
  policies: object({
    /** Its name: `one-slow`. */
    scenario: text,
    /** A request that is answered ok in so long a time, in ms, is a success. */
    withinMs: number,
    /** The policy that a balancer has where none is chosen. */
    default: text,
    compared: z.array(object({ target: text, balancer: text, policy: text })),
  }).exactOptional(),
  /** Connections are held, and each sends a request now and then; absent of other runs. */
  hold: object({
    /** How often each connection sends a request, in ms. */
    everyMs: number,
    /** Busy connections for a while beside the held ones; absent without any. */
    burst: number.exactOptional(),
  }).exactOptional(),
  /**
   * Part by which throughput and latencies of a target may be worse than those of the reference, 0 to below 1, for the verdict
   * to be `pass`; `null` where targets are compared and not judged.
   */
  margin: number.nullable().default(null),
  /** With `margin`: how much more of the requests than of the reference's may fail, 0 to below 1. */
  errorMargin: number.default(0.001),
  /**
   * Conditions that end the sweep of a target: where a step meets one, higher levels of that target are not measured.
   * Empty for none.
   */
  stopOn: z.array(threshold).default([]),
  /**
   * `interleaved`: levels as they are listed, the targets of a level one after the other, in alternating order; `random`: levels
   * shuffled in every trial, and targets at every level.
   */
  order: z.enum(["interleaved", "random"]).nullable().default("interleaved"),
  /** Of everything that is drawn at random: the order of steps. A whole number; the same seed gives the same order. */
  seed: number.nullable().default(1),
  /**
   * How levels are searched; `null` where `levels` are swept. Of a search `levels` has the first, whose duration is that of
   * all.
   */
  search: search.nullable().default(null),
});

export const requestCounts = object({
  sent: number,
  /** Answered completely, with an expected status and body. */
  ok: number,
  /** Answered completely, with a status that was not expected. */
  non2xx: number,
  /** Answered with an unexpected body, or with something that is not HTTP (or gRPC). */
  mismatched: number.exactOptional(),
  /** No connection: refused, no address, no descriptor, no free port. */
  connectErrors: number.exactOptional(),
  /** The connection was reset before the answer was complete. */
  resets: number.exactOptional(),
  /** The server closed the connection before the answer was complete. */
  dropped: number.exactOptional(),
  /** No complete answer within the timeout. */
  timedOut: number.exactOptional(),
  /** Still open when a run of fixed duration, or one that was cut short, ended. */
  inFlight: number.exactOptional(),
  /** Failed, the engine does not tell how; absent in engines that tell of every request. */
  unclassified: number.exactOptional(),
});

export const latencySummary = object({
  min: number.exactOptional(),
  mean: number.exactOptional(),
  stddev: number.exactOptional(),
  p50: number.exactOptional(),
  p66: number.exactOptional(),
  p75: number.exactOptional(),
  p80: number.exactOptional(),
  p90: number.exactOptional(),
  p95: number.exactOptional(),
  p98: number.exactOptional(),
  p99: number.exactOptional(),
  p999: number.exactOptional(),
  max: number.exactOptional(),
});

const failureClass = z.enum(["non2xx", "mismatched", "connectErrors", "resets", "dropped", "timedOut"]);

export const timelineSecond = object({
  second: number,
  sent: number,
  ok: number,
  failed: number,
  /** How they failed, the ways that occurred; absent in files of 0.1.0. */
  failures: z.partialRecord(failureClass, number).exactOptional(),
  /** Latency of the ok responses of this second, in ms; `null` when there were none. */
  p50: number.nullable(),
  /** Absent in files of 0.1.0. */
  p90: number.nullable().exactOptional(),
  p99: number.nullable(),
  /** Absent in files of 0.1.0. */
  max: number.nullable().exactOptional(),
  /** Users of a ramp that had come by the end of this second, and had not left. */
  users: number.exactOptional(),
});

export const slices = object({
  /** Length of a slice, in ms. */
  ms: number,
  sent: z.array(number),
  ok: z.array(number),
  /** By the ways that occurred. */
  failures: z.partialRecord(failureClass, z.array(number)),
  /** Latencies of the ok responses, as pairs of a cell and a count: cell n holds from 2^(n/8) to below 2^((n+1)/8) microseconds. */
  latencies: z.array(z.array(z.tuple([number, number]))),
  /** Requests by backend, as the balancer or the backends counted them; absent where neither counts. */
  backends: z.record(text, z.array(number)).exactOptional(),
  /** Requests that each backend had at the end of the slice; `null` where it was not told. Absent where no balancer tells. */
  inFlight: z.record(text, z.array(number.nullable())).exactOptional(),
});

export const backendConnections = object({
  /** Open when the measurement began. */
  before: number,
  /** Accepted in its window. */
  accepted: number,
  /** The most that were open when it was asked: when measuring began, every half second, and at the end. Absent where none was seen. */
  open: number.exactOptional(),
  /** The most of these that had a request which was not answered yet; with `open`. */
  active: number.exactOptional(),
});

export const backendShare = object({
  requests: number,
  /** Requests that failed on it; absent where the balancer does not tell. */
  errors: number.exactOptional(),
  /**
   * Its complete answers, and how long they took together, in ms, each from when the request was handed to it. Absent where the balancer does not tell,
   * as in nginx and HAProxy.
   */
  answered: object({ count: number, totalMs: number }).exactOptional(),
  /** Requests that came to it, and its connections, as the backend itself counts them; absent where it does not tell. */
  received: number.exactOptional(),
  connections: backendConnections.exactOptional(),
});

export const backendTurns = object({
  /** What it picked a backend for. */
  of: z.enum(["requests", "connections"]),
  picked: number,
  /** Picks of the backend that follows the last pick in the list; the first follows the last. */
  inTurn: number,
  /** The first ones, by name. */
  first: z.array(text),
  byBackend: z.record(text, number),
});

export const phaseSummary = object({
  min: number,
  mean: number,
  stddev: number,
  median: number,
  max: number,
});

export const phases = object({
  /** Until the connection was established; 0 on one that was open already. */
  connect: phaseSummary,
  /** From there to the last byte of the answer. */
  processing: phaseSummary,
  /** Part of processing: from the request being written to the first byte of the answer. */
  waiting: phaseSummary,
  /** Connect and processing together. */
  total: phaseSummary,
});

export const serverTiming = object({
  /** Answers by what they said: how long the backend took; nothing of that; something that is no `Server-Timing`. Together the ok ones. */
  told: number,
  untold: number,
  malformed: number,
  /** Those of `told` that said a longer time than their requests took; what was added to them counts as 0. */
  negative: number,
  /** Of a rate: from when a request was due to when it left. */
  generator: latencySummary.exactOptional(),
  /** What the entry `app` says or, where there is none, the longest that is not a balancer's. */
  backend: latencySummary.exactOptional(),
  /** From when a request left to the last byte of its answer, without the time of the backend. */
  added: latencySummary.exactOptional(),
  /** Parts of `added`, by what balancers of @lbbench/proxy say; absent where none does. */
  balancer: object({
    /** Waiting for one of the connections that a backend may have. */
    queue: latencySummary,
    /** Connecting to the backend; 0 on a connection that was kept. */
    connect: latencySummary,
    /** From the request's head to the answer's: the time of the backend as the balancer sees it. */
    total: latencySummary,
  }).exactOptional(),
  /** As `histogram` of a measurement; absent where no time was told. */
  histograms: object({ backend: text, added: text }).exactOptional(),
});

export const opening = object({
  /** Established while measuring; those open when it began are not counted. */
  count: number,
  /** Until TCP is connected, and a name looked up. */
  tcp: latencySummary,
  /** Absent without TLS. */
  tls: object({
    /** From there to the end of the handshake. */
    latency: latencySummary,
    /** Full handshakes, and resumed ones. */
    full: number,
    resumed: number,
    /** Connections by what was agreed on: version, cipher and, after the first full handshake, key of the server. */
    agreed: z.record(text, number),
  }).exactOptional(),
  /** From a written request to the first byte of its answer, of ok requests; also on kept connections. */
  firstByte: latencySummary.exactOptional(),
});

export const streamEvents = object({
  count: number,
  /** Of the first event of each stream, from when its request was sent, or due. Absent where all streams had begun before. */
  first: latencySummary.exactOptional(),
  /** Of every other one, from the event before. Absent where no stream had a second. */
  gap: latencySummary.exactOptional(),
});

/** How an open loop kept to its schedule. */
const scheduleKept = object({
  /** Requests per second that were asked for. */
  rate: number,
  /** Requests that were due, whether they left or not. */
  planned: number,
  /** Could not leave, because as many as are allowed were in flight, or their connection had ended. */
  unsent: number,
  /** From when a request was due to when it left (was written or, on a new connection, connecting began), in ms. */
  lateness: object({ mean: number, p99: number, max: number }),
});

export const mixedShare = object({
  /** Of the entry. */
  name: text,
  sent: number,
  ok: number,
  failed: number,
  /** Of ok responses; absent when there were none. */
  latency: latencySummary.exactOptional(),
});

/** A program that generated the load, where the engine drives one. */
const drivenProgram = object({
  /** `ab`. */
  name: text,
  /** What it calls itself: `2.3`; `null` where imported output does not tell. */
  version: text.nullable(),
  /** The program and its arguments; `null` where imported output does not tell. */
  command: z.array(text).nullable(),
  /** What it printed, as it came; cut where it is longer than some thousand lines. */
  output: text,
});

/**
 * Why a figure of a program's output means less than it seems.
 * - `whole-seconds`: the time of a run of N requests was taken until the next whole second.
 * - `closed-uncounted`: connections that are closed without an answer count as no failure.
 * - `made-up-latencies`: made-up latencies were added for each that was longer than expected.
 * - `corrected-latencies`: made-up latencies were added, to correct for requests that a rate did not let leave in time.
 * - `other-lengths`: answers of another length than the first count as failures; how many of them were good is not told.
 * - `varying-load`: the load was not the same all the time.
 */
export type DoubtReason =
  | "whole-seconds"
  | "closed-uncounted"
  | "made-up-latencies"
  | "corrected-latencies"
  | "other-lengths"
  | "varying-load";

export const doubt = object({
  /** `other`: in files of earlier versions. */
  figure: z.enum(["throughput", "latency", "errors", "other"]),
  because: word<DoubtReason>("expected a reason"),
});

export const heldConnections = object({
  /** Open when measuring began, and when it ended. */
  atStart: number,
  alive: number,
  /** All that were established from the first one on, replacements of lost ones too. */
  established: number,
  /** Lost from the first one on, and how: `closed` in order by the server, `reset`, or `givenUp` by lbbench after a timeout or a broken answer. */
  lost: object({ closed: number, reset: number, givenUp: number }),
  /** Local addresses that they come from, where one has too few ports; absent where the system chose the only one. */
  sources: z.array(text).exactOptional(),
  /** What the busy connections beside the held ones saw; absent without any. */
  burst: object({
    connections: object({ asked: number, opened: number.exactOptional() }),
    elapsedMs: number,
    requests: requestCounts,
    throughput: number,
    latency: latencySummary.exactOptional(),
  }).exactOptional(),
});

/** What a measurement must have, stored or as an engine returns it. */
export const measurementSchema = object({
  /**
   * Wall clock time of the first request, ISO 8601. Of imported output that does not tell: when its file was last changed, or, of
   * what came by the standard input, when it was imported.
   */
  startedAt: text,
  /** From the first request sent to the last answer (or to the end of a run of fixed duration), in ms. */
  elapsedMs: number,
  connections: object({
    /** Connections of the level; with gRPC the channels that its users share; of an open loop the most needed at a time. */
    asked: number,
    /** How many of these were ever established. If the generator lacked descriptors, ports or memory for all: how many were open at a time. */
    opened: number.exactOptional(),
    /** TCP connections established in all; more than `opened` when the server closes them. */
    established: number.exactOptional(),
  }),
  /** Of a closed loop that was at work when measuring began; absent where its users began with the measurement. */
  fill: object({
    /** From the start of the users to when each of them had had an answer or a failure, at the most 10 s, in ms. */
    tookMs: number,
    users: number,
    /** Users who had had one by then. */
    answered: number,
    /** Requests that were open when measuring began: they count as sent. In ms, how long they had been open, added up. */
    carried: number,
    carriedMs: number,
  }).exactOptional(),
  requests: requestCounts,
  /** By number, or with gRPC by name: `{OK: 90, UNAVAILABLE: 10}`; empty where the engine does not tell them. */
  statusCodes: z.record(text, number),
  /** Error codes of the operating system or the parser, and how often each came: `{ECONNREFUSED: 3}`. */
  errorCodes: z.record(text, number),
  /** ok responses per second. */
  throughput: number,
  /**
   * `received`: bytes read from the sockets, head and body. `body`: body bytes alone. `sent`: bytes written. Absent is what the
   * engine does not tell.
   */
  bytes: object({ received: number.exactOptional(), body: number.exactOptional(), sent: number.exactOptional() }),
  /** Of ok responses; absent when there were none. */
  latency: latencySummary.exactOptional(),
  /** Of requests that were sent and failed; absent when there were none. */
  failedLatency: latencySummary.exactOptional(),
  /** Latency of ok responses: HDR histogram, microseconds, 3 digits, compressed, base64; absent where the engine has none. */
  histogram: text.exactOptional(),
  /** Empty where the engine does not tell seconds apart. */
  timeline: z.array(timelineSecond),
  /** Present if the scenario has faults or compares policies. */
  slices: slices.exactOptional(),
  /** Absent where the engine does not tell phases apart. */
  phases: phases.exactOptional(),
  /** Absent where the engine does not tell, and where no connection was established while measuring. */
  opening: opening.exactOptional(),
  /** Absent where answers were not read as streams of events, and where none came. */
  events: streamEvents.exactOptional(),
  /** Absent where it was not asked for. */
  serverTiming: serverTiming.exactOptional(),
  /** Of an open loop alone. Its latency counts from when a request was due, not from when it left. */
  schedule: scheduleKept.exactOptional(),
  /** By entry of a mix, in its order; absent without one. */
  mix: z.array(mixedShare).exactOptional(),
  /** If the scenario compares policies: the deadline in ms, the requests answered ok within it (to 0.1 % of it), and all due ones, sent or not. */
  within: object({ ms: number, ok: number, due: number }).exactOptional(),
  /** Absent where no connections are held. */
  hold: heldConnections.exactOptional(),
  /** Absent in engines that generate the load themselves. */
  program: drivenProgram.exactOptional(),
  /** Where a program generated the load that is known for it; absent without any. */
  doubts: z.array(doubt).exactOptional(),
  /** Requests by backend, as the balancer or the backends counted them; absent without a balancer. */
  backends: z.record(text, backendShare).exactOptional(),
  /** Requests and connections as the server itself counted them that clients spoke with; absent where it does not tell. */
  server: backendShare.exactOptional(),
  /** Absent without a balancer that tells, and in files of 0.1.0. */
  turns: backendTurns.exactOptional(),
});

/** What a process used while a measurement ran. */
const ownFigures = {
  pid: number,
  /** Processor time over wall time; 1 is one core kept busy. */
  cpu: number,
  /** Largest resident memory seen, in bytes. */
  rssBytes: number,
  /** Share of time in which its event loop did not wait, 0 to 1, where the process can tell. */
  eventLoopUtilization: number.exactOptional(),
  /** Cores that it may run on, where the system tells. */
  cores: number.exactOptional(),
};

export const descendantUsage = object({
  ...ownFigures,
  /** As the system calls it, to 15 characters: `nginx`, `node`. */
  name: text,
});

export const processUsage = object({
  ...ownFigures,
  name: text,
  /** As {@link WatchedProcess.found}. */
  found: z.literal(true).exactOptional(),
  /**
   * Resident memory at the start of the window, in its middle and at its end, in bytes, with that of its descendants. Absent of windows in
   * which it was not looked at, which are below a second, and of a process that another has taken the place of.
   */
  memory: object({ startBytes: number, middleBytes: number, endBytes: number }).exactOptional(),
  /**
   * Resident memory just before connections were opened that are held, with that of its descendants, and how far the looks of a second were
   * apart, in bytes. Absent of other runs.
   */
  beforeHold: object({ bytes: number, spreadBytes: number }).exactOptional(),
  /** Processor time of the busiest thread over wall time, 0 to 1, where the system tells. */
  busiestThread: number.exactOptional(),
  /** Each of its descendants, parents first; absent where they were not asked for, and where there are none. */
  descendants: z.array(descendantUsage).exactOptional(),
});

export const usage = object({
  generator: z.array(processUsage),
  balancer: z.array(processUsage).exactOptional(),
  backends: z.array(processUsage).exactOptional(),
  /** Busy share of all cores of the machine, 0 to 1, of the time that they were ours. */
  machine: number,
  /** Share of the time of all cores that a hypervisor gave to other machines, 0 to 1, where the system tells. */
  steal: number.exactOptional(),
  /** Length of the window these figures are for, in ms; processor time is counted in ticks of about 10 ms. */
  windowMs: number,
  bottleneck: z.enum(["generator", "balancer", "backend", "machine", "none", "unknown"]),
});

export const workerShare = object({
  /** Unique within a step. */
  name: text,
  /** Its machine, as that calls itself. */
  host: text,
  /** What it was to do of the level: connections, requests per second or users. */
  share: number,
  /** Requests that it sent. */
  sent: number,
  /** Processor time of its generator process over wall time; 1 is one core kept busy. */
  cpu: number,
  /** Busy share of all cores of its machine, 0 to 1, where the system tells. */
  machineCpu: number.exactOptional(),
  /** Cores that its generator process may run on. */
  cores: number,
  /** Largest resident memory seen of its generator process, in bytes. */
  rssBytes: number,
  /** Share of time in which the event loop of its generator process did not wait, 0 to 1. */
  eventLoopUtilization: number.exactOptional(),
  /** How much later than the first worker it told that it had started, in ms, by the clock of the machine that runs lbbench. */
  startSkewMs: number,
});

export const networkSettings = object({
  /** Ports that one address has for connections to one destination: the ephemeral range without what is reserved in it. */
  ephemeralPorts: number.nullable(),
  /** Whether a port in TIME_WAIT may be used again before its minute is over: 0 never, 1 everywhere, 2 on the loopback. */
  tcpTwReuse: number.nullable(),
  /** How long such a port has to rest at least, in ms. */
  tcpTwReuseDelayMs: number.nullable(),
  /** Without timestamps no port in TIME_WAIT is used again early, whatever `tcpTwReuse` says. */
  tcpTimestamps: z.boolean().nullable(),
  /** Connections that may wait to be accepted by one listening socket. */
  somaxconn: number.nullable(),
  /** Connections whose handshake may be under way on one listening socket. */
  tcpMaxSynBacklog: number.nullable(),
});

export const portsTaken = object({
  process: z.enum(["generator", "balancer"]),
  /** Address and port: `127.0.0.1:8080`, `[::1]:8080`. */
  destination: text,
  taken: number,
});

export const descriptorUse = object({
  name: text,
  role: z.enum(["generator", "balancer", "backend"]),
  /** Most that were seen open. */
  most: number,
  /** How many it may have open; `null` when there is no limit or none is told. */
  limit: number.nullable(),
});

export const pressure = object({
  /** Ports that one address has for connections to one destination. */
  ports: number.nullable(),
  /** Ports that the load generator was thought to need at most, before the step; `null` when that could not be known. */
  portsNeeded: number.nullable(),
  /** TCP sockets in TIME_WAIT, on both sides and of any program, just before the load and at most until its end. */
  timeWait: object({ before: number, most: number }).nullable(),
  /** Most TCP sockets in use, on both sides and of any program, without those in TIME_WAIT. */
  socketsMost: number.nullable(),
  /**
   * The destination for which each side had most ports taken. Looked up only when there were enough sockets for one
   * destination to come close to its limit.
   */
  portsTaken: z.array(portsTaken).exactOptional(),
  descriptors: z.array(descriptorUse),
});

export const finding = object({
  code: word<FindingCode>("expected the code of a finding"),
  severity: z.enum(["info", "warning", "error"]),
  args: z.record(text, z.union([text, number])),
});

export const verdict = object({
  status: z.enum(["pass", "fail", "inconclusive"]),
  findings: z.array(finding),
});

export const environment = object({
  cpuModel: text,
  cores: number,
  memoryBytes: number,
  os: text,
  kernel: text,
  node: text,
  /** Open files one process may have; `null` where the system does not tell. */
  fdLimit: number.nullable(),
  /** Ephemeral ports, first and last; `null` where the system does not tell. */
  portRange: z.tuple([number, number]).nullable(),
  /** Load average over one minute before the run; a busy machine measures badly. */
  loadAverage: number,
  /** What the system allows for connections; absent in files of 0.1.0. */
  network: networkSettings.exactOptional(),
});

export const stepKey = object({
  target: text,
  level,
  /** From 1. */
  trial: number,
});

export const stepResult = object({
  ...stepKey.shape,
  engine: text,
  /** `completed`: ran to its end. `failed`: no measurement, or one cut short by a fault. `aborted`: interrupted. */
  state: z.enum(["completed", "failed", "aborted"]),
  error: object({ code: text, message: text }).exactOptional(),
  /** The load before it that is not counted. `steady`: whether its throughput was in the end; `null` of a fixed time, which is not asked. */
  warmup: object({ durationMs: number, steady: z.boolean().nullable() }).exactOptional(),
  /** Generators that the load was split over, where their number was chosen. */
  generators: number.exactOptional(),
  measurement: measurementSchema.exactOptional(),
  /** What was done to the target, in order of time; absent where the scenario has no faults. */
  faults: z.array(doneFault).exactOptional(),
  /** What the processes of this machine used. */
  usage: usage.exactOptional(),
  /** Each worker's part of `measurement`, which is the sum; absent where the load came from this machine. */
  workers: z.array(workerShare).exactOptional(),
  /** What it took of the ports and descriptors there are; absent where no load was sent, and in files of 0.1.0. */
  pressure: pressure.exactOptional(),
  findings: z.array(finding),
});

export const importedFile = object({
  /** As it was given; `-` for the standard input. */
  name: text,
  /** When it was last changed, ISO 8601; `null` where that is not known. */
  modifiedAt: text.nullable(),
  /** Names of the programs whose output it holds. */
  programs: z.array(text),
  /** How many runs it holds. */
  runs: number,
});

export const imported = object({
  files: z.array(importedFile),
});

/** What a result.json of version 1 must have for its judgement and its reports to be made. */
export const resultSchema = object({
  version: z.literal(1),
  tool: object({ name: text, version: text }),
  /** Of imported output: the earliest of the starts of its steps. */
  startedAt: text,
  finishedAt: text.nullable(),
  /** When it was resumed after an interruption, each time; absent if never. */
  resumedAt: z.array(text).exactOptional(),
  /** Whether every planned step was executed. */
  complete: z.boolean(),
  /** The command line that repeats this run, or `null` when it was started from a program. */
  command: text.nullable(),
  /**
   * Folder that paths in its scenario are relative to, absolute. Present while a step is missing or has failed, so that the run
   * can be resumed from any folder. Absent otherwise, and in files of earlier releases.
   */
  folder: text.exactOptional(),
  /** What it was imported from; absent in results that lbbench has measured. */
  imported: imported.exactOptional(),
  scenario: scenarioSchema,
  /** `null` of imported output, which does not tell the machine. */
  environment: environment.nullable(),
  steps: z.array(stepResult),
  /** What was found for each target, where the scenario is a search. */
  search: z.array(searchOutcome).exactOptional(),
  verdict,
});
