import type { Level } from "./level.js";
import type { Search } from "./search.js";
import type { Threshold } from "./threshold.js";

/** A header as it is sent: name and value, in order, repetitions kept. */
export type HeaderLine = readonly [name: string, value: string];

/** What every request of a scenario looks like, and which answers count as `ok`. */
export interface RequestSpec {
  readonly method: string;
  /** Path and query used with targets that we start; a target that is a URL brings its own. */
  readonly path: string;
  readonly headers: readonly HeaderLine[];
  /** The body, or `null` for none. */
  readonly body: string | null;
  /** How `body` is to be read: text, or base64 of bytes that are not UTF-8. */
  readonly bodyEncoding: "utf8" | "base64";
  /** Status codes that count as `ok`, separated by commas: `2xx`, `200,304`. */
  readonly expectStatus: string;
  /** The exact body of an `ok` answer, or `null` if any will do; another one counts as `mismatched`. */
  readonly expectBody: string | null;
}

/** Backends of one kind behind a balancer. */
export interface BackendGroup {
  /** What they are called; `null` for `backend`. More than one of a group, and all without a name, are numbered. */
  readonly name: string | null;
  /** Name of the server plugin that starts each of them, which may be a balancer itself. */
  readonly server: string;
  /** Options of that plugin. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly count: number;
  /** Share of each, for policies that weigh backends. */
  readonly weight: number;
}

/** One system compared with others. */
export interface Target {
  readonly name: string;
  /** Name of the server plugin that starts it. */
  readonly server: string;
  /** Options of that plugin, checked and with its defaults filled in. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Which engine loads it, where that is not the scenario's. */
  readonly engine?: TargetEngine;
  /** Names of the targets that it is compared with, at least one, where that is not the scenario's reference. */
  readonly references?: readonly string[];
}

/** An engine, and options of its own. */
export interface TargetEngine {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Which engine generates the load, and how. */
export interface EngineChoice extends TargetEngine {
  /** Child processes the load is split over; `auto`: more than one where one is not enough. */
  readonly generators: number | "auto";
}

/** How the requests of an open loop are put on its schedule. */
export interface Arrival {
  /** `uniform`: one every 1/rate; `poisson`: gaps drawn from an exponential distribution with that mean. */
  readonly spacing: "uniform" | "poisson";
  /** Of the drawn gaps; the same seed gives the same schedule. */
  readonly seed: number;
  /** Requests in flight beyond which one that is due cannot leave; it is counted as unsent. */
  readonly maxInFlight: number;
}

/** How the users of a ramp come. */
export interface Ramp {
  /** Users there are from the start; at least 1. */
  readonly from: number;
  /** Time over which they rise to the users of the level, in ms; for the rest of the level's duration all of them stay. */
  readonly riseMs: number;
  /** Equal steps in which they come, each at its end; `null`: one after the other, evenly spaced. */
  readonly steps: number | null;
}

/** One of several requests that are sent in proportion to their weights. */
export interface MixedRequest {
  /** What it is called in reports: `GET /cart` unless it has a name of its own. */
  readonly name: string;
  /** How often it is sent, beside the weights of the others; above 0. */
  readonly weight: number;
  readonly request: RequestSpec;
  /** Bodies to send in turn in place of that of `request`, encoded alike; `null` for none. */
  readonly bodies: readonly string[] | null;
}

/** Versions of HTTP that requests can be sent by. */
export type HttpVersion = "1.1" | "2";

/** Everything needed to repeat a run, as plain data: fully resolved and frozen. */
export interface Scenario {
  readonly name: string;
  readonly targets: readonly Target[];
  /** Name of the target that the others are compared with, or `null` with a single target. */
  readonly reference: string | null;
  readonly request: RequestSpec;
  /** What is sent in place of `request`: several requests, mixed; `null` for that one alone. */
  readonly mix: readonly MixedRequest[] | null;
  /** `2` is spoken without asking (prior knowledge) over http://, and negotiated over https://. */
  readonly httpVersion: HttpVersion;
  readonly levels: readonly Level[];
  /** Independent repetitions of every (target, level). */
  readonly trials: number;
  /** Load before each measurement that is not counted, 0 for none; `auto`: until throughput is steady. */
  readonly warmupMs: number | "auto";
  /** A request without a complete answer after this time counts as `timedOut`. */
  readonly timeoutMs: number;
  /** How long targets live: for a trial, or for a step, as in files without it. */
  readonly restart?: "trial" | "step";
  readonly keepAlive: boolean;
  /** Of levels that are rates; `null` when there are none. */
  readonly arrival: Arrival | null;
  /** Of levels that are users; `null` when there are none. */
  readonly ramp: Ramp | null;
  readonly engine: EngineChoice;
  readonly thresholds: readonly Threshold[];
  /**
   * Part by which throughput, p50 and p99 of a target may be worse than those of the reference, 0 to below 1, for the verdict
   * to be `pass`; `null` where targets are compared and not judged.
   */
  readonly margin: number | null;
  /** With `margin`: how much more of the requests than of the reference's may fail, 0 to below 1. */
  readonly errorMargin: number;
  /**
   * Conditions that end the sweep of a target: where a step meets one, higher levels of that target are not measured.
   * Empty for none.
   */
  readonly stopOn: readonly Threshold[];
  /**
   * `interleaved`: levels as they are listed, the targets of a level one after the other, in alternating order; `random`: levels
   * shuffled in every trial, and targets at every level.
   */
  readonly order: "interleaved" | "random";
  /** Of everything that is drawn at random: the order of steps. A whole number; the same seed gives the same order. */
  readonly seed: number;
  /**
   * How levels are searched; `null` where `levels` are swept. Of a search `levels` has the first, whose duration is that of
   * all.
   */
  readonly search: Search | null;
}

/**
 * The scenario of a result. That of a run of lbbench is told whole; of imported output `null` stands for what is not told, or
 * not alike in all that was imported.
 */
export interface ToldScenario extends Omit<Scenario, "request" | "engine" | NotAlwaysTold> {
  readonly request: RequestSpec | null;
  readonly engine: ToldEngine;
  readonly httpVersion: HttpVersion | null;
  readonly warmupMs: Scenario["warmupMs"] | null;
  readonly timeoutMs: number | null;
  readonly keepAlive: boolean | null;
  readonly order: Scenario["order"] | null;
  readonly seed: number | null;
}

type NotAlwaysTold = "httpVersion" | "warmupMs" | "timeoutMs" | "keepAlive" | "order" | "seed";

/** The engine of a result; of imported output the program, of whose processes nothing is told. */
export interface ToldEngine extends TargetEngine {
  readonly generators: EngineChoice["generators"] | null;
}
