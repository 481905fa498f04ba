import type * as stored from "./result-schema.js";

/** A header as it is sent: name and value, in order, repetitions kept. */
export type HeaderLine = readonly [name: string, value: string];

/** What every request of a scenario looks like, and which answers count as `ok`. */
export interface RequestSpec extends stored.Of<typeof stored.requestSpec> {}

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

/** An engine, and options of its own. */
export interface TargetEngine extends stored.Of<typeof stored.targetEngine> {}

/** One system compared with others. */
export interface Target extends stored.Of<typeof stored.target> {}

/** The engine of a result; of imported output the program, of whose processes nothing is told. */
export interface ToldEngine extends stored.Of<typeof stored.toldEngine> {}

/** The workers that load comes from. */
export interface Workers extends stored.Of<typeof stored.workers> {}

/** Which engine generates the load, and how. */
export interface EngineChoice extends ToldEngine {
  readonly generators: number | "auto";
}

/** How the requests of an open loop are put on its schedule. */
export interface Arrival extends stored.Of<typeof stored.arrival> {}

/** How TLS is spoken. */
export interface TlsSpec extends stored.Of<typeof stored.tlsSpec> {}

/** How the users of a ramp come. */
export interface Ramp extends stored.Of<typeof stored.ramp> {}

/** One of several requests that are sent in proportion to their weights. */
export interface MixedRequest extends stored.Of<typeof stored.mixedRequest> {}

/** Versions of HTTP that requests can be sent by. */
export type HttpVersion = NonNullable<ToldScenario["httpVersion"]>;

/**
 * The scenario of a result. That of a run of lbbench is told whole; of imported output `null` stands for what is not told, or
 * not alike in all that was imported.
 */
export interface ToldScenario extends stored.Of<typeof stored.scenarioSchema> {}

type AlwaysTold = "request" | "httpVersion" | "warmupMs" | "timeoutMs" | "keepAlive" | "order" | "seed";

type Complete = {
  readonly [Key in keyof ToldScenario]: Key extends AlwaysTold ? NonNullable<ToldScenario[Key]> : ToldScenario[Key];
};

/** Everything needed to repeat a run, as plain data: fully resolved and frozen. */
export interface Scenario extends Complete {
  readonly engine: EngineChoice;
}
