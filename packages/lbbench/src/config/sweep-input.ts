import * as z from "zod";
import {
  ADDRESS_EXPECTED,
  MARGIN_EXPECTED,
  parseAddress,
  parseDuration,
  parseLevels,
  parseMargin,
  parseThreshold,
  parseWorkers,
  TIME_EXPECTED,
  WORKERS_EXPECTED,
} from "./parsers.js";
import { faultInput } from "./faults.js";
import { mixInput, nameInput, requestInput, type Strict } from "./requests.js";
import { CHART_STYLES } from "./settings.js";
import { parsed } from "./validate.js";
import { defined } from "../stats/defined.js";

const COUNT = "expected a whole number of at least 1";
const count = z.int(COUNT).min(1, COUNT);

const COUNTS = 'expected whole numbers of at least 1, such as "1,50,100", 50 or [1, 50, 100]';
/** Numbers of levels: `"1,50,100"`, `"10:100:10"`, a number or an array of numbers. */
const counts = z.union([parsed(parseLevels, COUNTS), count.transform((one) => [one]), z.array(count).min(1)], COUNTS);

/** `"500ms"`; in ms. */
const duration = parsed(parseDuration, TIME_EXPECTED);
const someTime = duration.refine((ms) => ms > 0, "expected a time longer than 0");

/** A part of 1, `"5%"` or 0.05, that is below 1. */
const margin = z.union(
  [parsed(parseMargin, MARGIN_EXPECTED), z.number(MARGIN_EXPECTED).min(0, MARGIN_EXPECTED).lt(1, MARGIN_EXPECTED)],
  MARGIN_EXPECTED,
);

const AUTO = z.literal("auto");
const SEED = "expected a whole number of at least 0";

/** Options of a plugin, which checks them itself. */
const options = z.record(z.string(), z.unknown());

const engineFields = {
  /** Name of the engine. */
  name: z.string(),
  /** Options of the engine, for this target. Default: those in `engines`. */
  options: options.default({}),
};
interface EngineFields extends Readonly<typeof engineFields> {}
const engineInput: Strict<EngineFields> = z.strictObject(engineFields);

const targetFields = {
  /** Name in the report. */
  name: nameInput,
  /** Name of a server, or of a plugin. */
  server: z.string(),
  /** Options of that server. Default: its own. */
  options: options.optional(),
  /** Values of options to combine, each combination a target. */
  grid: z.record(z.string(), z.array(z.unknown()).min(1)).optional(),
  /** Engine that loads this target: a name, or an object with the two below. Default: that of the run. */
  engine: z.union([z.string().transform((word) => ({ name: word, options: {} })), engineInput]).optional(),
  /** Name of the target that this one is compared with, or a list of names. Default: that of the run. */
  reference: z.union([z.string().transform((one) => [one]), z.array(z.string()).min(1)]).optional(),
};
interface TargetFields extends Readonly<typeof targetFields> {}
const targetInput: Strict<TargetFields> = z.strictObject(targetFields);
const target = targetInput.transform(({ reference, ...given }) => ({
  ...given,
  ...defined({ references: reference && ([...new Set(reference)] as readonly string[]) }),
}));

const arrivalFields = {
  /** With a rate: `uniform`, or `poisson`, at random with an exponential distribution of the gaps. Default: uniform. */
  spacing: z.enum(["uniform", "poisson"]).optional(),
  /** With a rate: requests open at a time. Default: 1000. */
  maxInFlight: count.optional(),
};
interface ArrivalFields extends Readonly<typeof arrivalFields> {}
const arrivalInput: Strict<ArrivalFields> = z.strictObject(arrivalFields);

const FACTOR = "expected a number above 1, such as 1.25";
const factor = z.number(FACTOR).gt(1, FACTOR);
const RATIO = "expected a ratio of at least 0 and below 1, such as 0.02";

const searchFields = {
  /** `connections`, or `rate`: requests per second of an open loop. Default: connections. */
  by: z.enum(["connections", "rate"]).optional(),
  /** The first value that is tried. Default: 1, by rate 10. */
  start: count.optional(),
  /** Factor from a value that held to the next one. Default: 2. */
  growth: factor.optional(),
  /** The largest value that is tried. Default: 10000, by rate 1000000. */
  most: count.optional(),
  /** The search ends when what held and what did not differ by this share, or by 1. Default: 0.02. */
  resolution: z.number(RATIO).min(0, RATIO).lt(1, RATIO).optional(),
  /** How many of the trials of a level have to hold. Default: more than half. */
  needed: count.optional(),
  /** One more run, at this many times the limit. */
  beyond: factor.optional(),
};
interface SearchFields extends Readonly<typeof searchFields> {}
const searchInput: Strict<SearchFields> = z.strictObject(searchFields);

/** In place of a number of steps, to undo one of a config file. */
const noSteps = z.literal("none").transform(() => null);

const rampFields = {
  /** Users at the start. Default: 1. */
  from: count.optional(),
  /** Users in the end. Default: 100. */
  to: count.optional(),
  /** Time over which users are added. Default: 25s. */
  over: someTime.optional(),
  /** Equal steps in which users are added, each at its end, or `none`. Default: one user after the other. */
  steps: z.union([count, noSteps], 'expected a whole number of at least 1, or "none"').optional(),
  /** How long all users stay. Default: 5s, with steps as long as each of them. */
  hold: duration.refine((ms) => ms > 0, "expected a time longer than 0: the last user comes when it begins").optional(),
};
interface RampFields extends Readonly<typeof rampFields> {}
const rampInput: Strict<RampFields> = z.strictObject(rampFields);

const threshold = parsed(parseThreshold, 'expected a condition such as "p99<50ms"');

const sweepFields = {
  /** Address of the JSON schema, for editors. */
  $schema: z.string().optional(),
  /** Name of the run, and of its folder. Default: sweep. */
  name: nameInput.optional(),
  /**
   * Names of servers, URLs, or objects with a name, a server and its options. Default: one process, cluster of four,
   * four behind a balancer.
   */
  targets: z
    .array(z.union([z.string(), target], "expected the name of a server, a URL, or an object with name and server"))
    .min(1)
    .optional(),
  /** Name of the target that the others are compared with. Default: the first. */
  reference: z.string().optional(),
  /** Levels of a closed loop: connections kept busy. Default: 1,50,100,250,500,1000. Also 50, [1, 50] or "10:100:10". */
  connections: counts.optional(),
  /**
   * Levels of an open loop, in place of connections: requests per second, sent on schedule. Default: 500 with faults,
   * unless there are connections. Also "500:2000:500".
   */
  rate: counts.optional(),
  /** With `rate`: how requests arrive. */
  arrival: arrivalInput.optional(),
  /** Requests per step; several values make a matrix with the levels. Such as 1000 or "1000,10000". */
  requests: counts.optional(),
  /** Time per step, in place of requests. Default: 0.3s, of rates 1s, with faults 5s after the last. */
  duration: someTime.optional(),
  /**
   * Starts of every target, each measured at every level; a claim takes several. `auto`: as many as decide every
   * comparison. Default: 5, with a margin auto, with requests or faults 1.
   */
  trials: z.union([AUTO, count], 'expected a whole number of at least 1, or "auto"').optional(),
  /**
   * Load before the measurement that is not counted: `auto` until throughput is steady, a time, or 0 for none. Default:
   * auto, with requests 100ms.
   */
  warmup: z.union([AUTO, duration], `${TIME_EXPECTED}, or "auto"`).optional(),
  /** When targets are started again: for every `trial`, or for every `step`. Default: trial, with faults step. */
  restart: z.enum(["trial", "step"]).optional(),
  /** Longest wait for an answer. Default: 10s. */
  timeout: someTime.optional(),
  /** `false`: a connection for each request. Default: true. */
  keepAlive: z.boolean().optional(),
  /** `1.1` or `2`: HTTP/2, without asking over http://, negotiated over https://. Default: 1.1. */
  httpVersion: z.enum(["1.1", "2"], 'expected "1.1" or "2"').optional(),
  /** `true`: accept any certificate. Default: false. */
  insecure: z.boolean().optional(),
  /** What generates the load. Default: auto. */
  engine: z.string().optional(),
  /** Options of engines, by name. */
  engines: z.record(z.string(), options).optional(),
  /** Processes that the load is split over, or `auto`: more than one where one is not enough. Default: auto. */
  generators: z.union([AUTO, count], 'expected a whole number of at least 1, or "auto"').optional(),
  /**
   * Machines that generate the load: `ssh:gen1,gen2` starts a worker on each, `wait:3` waits a minute for 3 that you
   * start, `wait:3:5m` five minutes. Default: this machine alone.
   */
  workers: parsed(parseWorkers, WORKERS_EXPECTED).optional(),
  /**
   * With workers: address, or address:port, at which they find the master; its port is not encrypted. Default:
   * 127.0.0.1:5557.
   */
  workersListen: parsed(parseAddress, ADDRESS_EXPECTED).optional(),
  /**
   * With workers by ssh: what starts lbbench there, for the shell of that machine. Default: npx, which gets this
   * version.
   */
  workersCommand: z.string().min(1).optional(),
  /** With workers: a step that lost one is measured once more when all are there again. Default: false. */
  retryLost: z.boolean().optional(),
  /** What is sent, and what is expected. */
  request: requestInput.optional(),
  /** Several requests in place of one, each as often as its weight says: a list. */
  mix: mixInput.optional(),
  /** What is done to every target while it is measured, and when: texts, or objects as below. Default: none. Such as "kill backend-2 at 3s". */
  faults: z.array(faultInput).optional(),
  /**
   * Conditions that every level has to meet: `errors<1%`, `throughput>1000`, with faults `lost<10` or `recovery<2s`, or on
   * latency.
   */
  thresholds: z.array(threshold).optional(),
  /** Fail where another target is worse than the reference by more than this. "5%" or 0.05; without it none is judged. */
  margin: margin.optional(),
  /** With `margin`: by how much the share of failed requests may be higher. Default: 0.1%. */
  errorMargin: margin.optional(),
  /** Conditions; where a step meets one, higher levels of its target are left out; or `thresholds`. Such as "errors>10%". */
  stopOn: z.array(z.union([threshold, z.literal("thresholds")])).optional(),
  /** Order of the steps: `interleaved` or `random`. Default: interleaved. */
  order: z.enum(["interleaved", "random"]).optional(),
  /** Of what is drawn at random: the order, the gaps of `poisson`, and the part `random` of faults. Default: 1. */
  seed: z.int(SEED).min(0, SEED).optional(),
  /** How `lbbench max` searches. Other commands leave it out of a config file; `sweep` and `ramp` refuse it. */
  search: searchInput.optional(),
  /** How the users of `lbbench ramp` come. Other commands leave it out of a config file; `sweep` and `search` refuse it. */
  ramp: rampInput.optional(),
  /** Folder of the report. Default: reports/NAME-TIMESTAMP. */
  out: z.string().min(1, "expected the path of a folder").optional(),
  /**
   * Formats of the report, beside result.json: md, html, png, json, csv, ab, junit,
   * github-action-benchmark, bencher. Default: md,html,png.
   */
  formats: z.array(z.string()).min(1).optional(),
  /** Charts in Markdown: `png`, `mermaid` or `none`. Default: png. */
  charts: z.enum(CHART_STYLES).optional(),
};
interface SweepFields extends Readonly<typeof sweepFields> {}

/** What a config file may say, and a caller of the library: everything has a default. */
export const sweepInputSchema: Strict<SweepFields> = z.strictObject(sweepFields);

/** What a sweep is asked to do, as it is written down. */
export type SweepInput = z.input<typeof sweepInputSchema>;

/** What a sweep is asked to do, with lists, times and thresholds read. */
export type ParsedSweepInput = z.output<typeof sweepInputSchema>;

/** A server with its options, and what else was said of the target. */
export type GivenTarget = Exclude<NonNullable<ParsedSweepInput["targets"]>[number], string>;
