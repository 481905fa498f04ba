/** Interfaces for authors of plugins. A plugin is a plain object; each kind has a contract suite in `lbbench/testing`. */
import type { ZodType } from "zod";
import type { ChildPool } from "./model/child.js";
import type { FaultDeed, FaultKind } from "./model/fault.js";
import type { Level, LoadKind } from "./model/level.js";
import type {
  BackendConnections,
  BackendShare,
  BackendTurns,
  Measurement,
  TimelineSecond,
} from "./model/measurement.js";
import type { Result } from "./model/result.js";
import type { Arrival, HttpVersion, MixedRequest, Ramp, RequestSpec, TlsSpec } from "./model/scenario.js";
import type { ProcessUsage, Role, WatchedProcess, WorkerShare } from "./model/usage.js";

export type * from "./model/fault.js";
export type * from "./model/finding.js";
export type * from "./model/level.js";
export type * from "./model/measurement.js";
export type * from "./model/pressure.js";
export type * from "./model/result.js";
export type * from "./model/scenario.js";
export type * from "./model/search.js";
export type * from "./model/threshold.js";
export type * from "./model/usage.js";

/** A server to start: the name of its plugin, and options that were checked. */
export interface ServerChoice {
  readonly server: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** What a server plugin gets beside its options. */
export interface ServerContext {
  /** Aborts a start that is under way; nothing may be left of it. */
  readonly signal: AbortSignal;
  /**
   * What the server is called in messages and, alone or as the first word, in the names of its processes: `backend-2`.
   * Absent for a target itself, which calls itself what it likes.
   */
  readonly name?: string;
  /** Folder in which relative paths of the options begin: that of the config file, or the working folder. */
  readonly folder: string;
  /** Environment variables for the processes that are started, so that those of Node tell how busy their event loops are. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Version of HTTP that clients are going to speak with it: `2` without TLS by prior knowledge, with TLS by ALPN. `1.1` for a
   * server behind another one. Says nothing of gRPC, which is HTTP/2 always.
   */
  readonly httpVersion: HttpVersion;
  /** Whether it is to tell in `Server-Timing` how long it took, if it can; not without this. */
  readonly serverTiming?: boolean;
  /** Where clients connect in place of the address of the URL, `host:port` or `unix:` and a path; absent where they connect there. */
  readonly connectTo?: string;
  /** Starts a server that is to stand behind this one; the caller stops it. Rejects like `Server.start`. */
  readonly startServer: (choice: ServerChoice, name: string) => Promise<RunningServer>;
}

/** What a server speaks. */
export type Protocol = "http" | "grpc" | "websocket";

/** A part of a running server to which faults can be done. */
export interface FaultyPart {
  /** As reports name its processes: `backend-2`, `balancer`, `backend-1 worker-2`. */
  readonly name: string;
  readonly role: Role;
  /** What can be done to it. */
  readonly can: readonly FaultKind[];
  /** Does it. Resolves when that has taken effect, as was looked; rejects with an `Error` that says why it cannot be done. */
  readonly apply: (deed: FaultDeed) => Promise<void>;
}

/** A balancer's count for a backend at a moment. */
export interface BackendMoment extends BackendShare {
  /** Requests in flight there; absent if not known. */
  readonly inFlight?: number;
}

/** A server that answers. */
export interface RunningServer {
  /** Origin it answers at, with path where the server itself is a URL: `http://127.0.0.1:40123`. */
  readonly url: string;
  /** The certificate that it has been given, in PEM, where no other is to be trusted at its URL. */
  readonly certificate?: string;
  /** Processes to watch; empty if none can be seen. */
  readonly processes: readonly WatchedProcess[];
  /** Processes to watch now, after faults have replaced some under the same names; without this `processes`. */
  readonly processesNow?: () => readonly WatchedProcess[];
  /** Whether parts of it are not among them, as backends on other machines: they may be the limit when nothing else is. */
  readonly unseen?: boolean;
  /** Requests by backend since the start; absent without a balancer, and where they are not counted. */
  readonly backends?: () => Promise<Readonly<Record<string, BackendMoment>>>;
  /** Which backends were picked since this was last called, where a balancer can tell; `undefined` where a fault has ended it since. */
  readonly turns?: () => Promise<BackendTurns | undefined>;
  /** Requests it has received since the start, where it can tell. */
  readonly requests?: () => Promise<number>;
  /** Connections accepted since the start, and open now, if it can tell. */
  readonly connections?: () => Promise<Omit<BackendConnections, "before">>;
  /** Its parts to which faults can be done, in the order of its processes; none without this. */
  readonly parts?: readonly FaultyPart[];
  /** Resolves with a description when it ends without having been asked to, by a fault or by `stop`; never rejects. */
  readonly died: Promise<string>;
  /** Stops it, also after faults, and waits until nothing is left of it. May be called more than once. */
  readonly stop: () => Promise<void>;
}

/** Starts something that answers at a URL, and stops it. With options of any type it can be used where a `Server` is expected. */
export interface Server<Options = unknown> {
  readonly name: string;
  /** Checks the options and fills in the defaults. */
  readonly options: ZodType<Options>;
  /**
   * Whether its option `backends` is a list of `BackendGroup`, to be started behind it. The servers in it are looked
   * up and their options checked with its own. All of them speak the same protocol: http, unless it has `protocol`.
   * `optional`: it may have no such option, and is then no balancer.
   */
  readonly balances?: boolean | "optional";
  /** Names of the policies that its option `policy` may be, for `lbbench policies`; a server without this is no part of such a comparison. */
  readonly policies?: readonly string[];
  /** Whether it says nothing without options, so that its name alone is no target. */
  readonly needsOptions?: boolean;
  /** What it speaks with such options; `http` without this. A server that balances is told what its backends speak. */
  protocol?(options: Options, ofBackends?: Protocol): Protocol;
  /**
   * Versions of HTTP that it speaks with such options; a run with another one is refused. Without this, or if it returns
   * `undefined`, any is tried. A balancer is told the versions that all of its backends speak, as far as they tell.
   */
  httpVersions?(options: Options, ofBackends?: readonly HttpVersion[]): readonly HttpVersion[] | undefined;
  /**
   * Called once before anything is started: rejects with an `Error` when there is nothing to start with such options, because
   * a module that they name is missing, say. Starts nothing.
   */
  check?(options: Options, context: Pick<ServerContext, "folder">): Promise<void>;
  /** Resolves when the server listens; rejects, with nothing left behind, when it cannot. */
  start(options: Options, context: ServerContext): Promise<RunningServer>;
}

/** What an engine is asked to do once. */
export interface Load {
  readonly url: string;
  readonly level: Level;
  readonly request: RequestSpec;
  /** Requests to send in place of `request`; absent without a mix. */
  readonly mix?: readonly MixedRequest[];
  /** `1.1` without this. */
  readonly httpVersion?: HttpVersion;
  /** Whether any certificate is accepted; without it certificates are verified, where the engine can do that. */
  readonly insecure?: boolean;
  /** Whether to read what answers say in `Server-Timing`; only where the engine can. */
  readonly serverTiming?: boolean;
  /** The only certificate to trust, in PEM; without it Node's own. */
  readonly certificate?: string;
  readonly timeoutMs: number;
  readonly keepAlive: boolean;
  /** Requests that a kept connection sends before it is closed; without this there is no such number. */
  readonly requestsPerConnection?: number;
  /** Where connections go in place of the address of the URL: `host:port`, or `unix:` and a path. */
  readonly connectTo?: string;
  /** How TLS is spoken, with paths that begin in the folder of the context. */
  readonly tls?: TlsSpec;
  /** The schedule of a level that is a rate; absent for others. */
  readonly arrival?: Arrival;
  /** How the users of a level that is users come; absent for others. */
  readonly ramp?: Ramp;
  /** The connections of a closed loop are held, where the engine `holds`; they are busy without this. */
  readonly hold?: Hold;
  /** Options of the engine, checked by it. */
  readonly options: Readonly<Record<string, unknown>>;
  /**
   * When measuring begins: with the first request (`measure`, also without this), or with `fill` in a closed loop that is at work, when each
   * connection has had an answer. Only where the engine `fills`; it then lasts as long as each connection needs for several answers.
   */
  readonly atStart?: "measure" | "fill";
  /** When a run of fixed duration ends: `cut` the open requests (they count as `inFlight`), or `drain` them first. */
  readonly atEnd: "cut" | "drain";
  /** Processes to split the load over. */
  readonly generators: number;
  /**
   * Length of the slices to tell, in ms; none without it. There are faults, or policies are compared, so that the load goes on to its
   * end even if nothing answers.
   */
  readonly sliceMs?: number;
}

/** How connections are held: each sends a request now and then, and idles in between. */
export interface Hold {
  /** How often each sends a request. */
  readonly everyMs: number;
  /** Connections that are busy for a while beside them; none without this. */
  readonly burst?: number;
  /** Local addresses to connect from, in turn; none where the system chooses. */
  readonly sources: readonly string[];
}

/** How far a load has come. */
export interface LoadProgress {
  readonly sent: number;
  /** Requests whose outcome is known. */
  readonly done: number;
  /** Those of them that failed; absent where the engine cannot tell yet. */
  readonly failed?: number;
  readonly elapsedMs: number;
  /** How long it is going to last, in ms, where that may be longer than was asked for. */
  readonly lastsMs?: number;
  /** The last second that is over, as it stands in the timeline of the measurement; absent in the first, and where the engine cannot tell. */
  readonly latest?: TimelineSecond;
}

/** What an engine gets beside its load. */
export interface EngineContext {
  /** Ends the load early; what was counted so far is returned, the rest is `inFlight`. Before anything is counted the engine may reject. */
  readonly signal: AbortSignal;
  /** Child processes that stay warm between steps; the owner of the run ends them. */
  readonly children: ChildPool;
  /** Folder in which relative paths of the options begin. */
  readonly folder: string;
  /** Called about four times a second while the load goes on. */
  readonly onProgress?: (progress: LoadProgress) => void;
  /** Called when the first request that counts is about to leave, with the processes that generate the load; that waits until it resolves. */
  readonly onStart?: (processes: readonly GeneratorProcess[]) => void | Promise<void>;
}

/** A process that generates load. */
export interface GeneratorProcess {
  readonly pid: number;
  readonly name: string;
}

/** What one of an engine's own processes used while it measured. */
export type GeneratorUsage = Omit<ProcessUsage, "found" | "descendants">;

/** A measurement and what it cost to make. */
export interface EngineRun {
  readonly measurement: Measurement;
  /** Those of this machine; none where workers generated the load. */
  readonly generators: readonly GeneratorUsage[];
  /** Each worker's part of the measurement; absent where processes of this machine generated the load. */
  readonly workers?: readonly WorkerShare[];
  /** Whether the run was given up because nothing answered any more. */
  readonly targetGone: boolean;
}

/** What ends a step: a number of requests, or a time. */
export type LoadAmount = "requests" | "duration";

/** What an engine can honour; anything else is refused before load is sent. */
export interface EngineSupport {
  /** What it can speak. */
  readonly protocols: readonly Protocol[];
  /** What the levels may be values of. */
  readonly loads: readonly LoadKind[];
  readonly keepAliveOff: boolean;
  /** Whether it can close connections after a number of requests; not without this. */
  readonly requestsPerConnection?: boolean;
  /** Whether it can be told where to connect to, and how TLS is spoken; not without this. */
  readonly connecting?: boolean;
  /** Versions of HTTP; `1.1` alone without this. */
  readonly httpVersions?: readonly HttpVersion[];
  /** Whether it can send several requests in proportion to weights; not without this. */
  readonly mixes?: boolean;
  /** How much load a step can be: a number of requests, a time; both without this. */
  readonly amounts?: readonly LoadAmount[];
  /** Whether it can be told which statuses and which body are expected; it can without this. */
  readonly expectations?: boolean;
  /** Whether the load can be split over several processes; it can without this. */
  readonly generators?: boolean;
  /** Whether it can begin to measure a closed loop that is at work (`atStart`); not without this. */
  readonly fills?: boolean;
  /** Whether it can hold connections and send a request on each now and then (`hold`); not without this. */
  readonly holds?: boolean;
  /** Whether it can tell what happened in short slices of a measurement; not without this. */
  readonly slices?: boolean;
  /** Whether it can read answers as streams of server-sent events; not without this. */
  readonly events?: boolean;
  /** Whether it can read `Server-Timing`; not without this. */
  readonly serverTiming?: boolean;
  /** Whether it tells a connection that is reset while an answer comes from one that is closed; it can without this. */
  readonly resets?: boolean;
  /** Whether it checks the certificate of an https target, unless the load is `insecure`. */
  readonly tlsVerification: boolean;
  /** Whether it may be chosen without having been asked for by name; it may without this. */
  readonly automatic?: boolean;
}

/** What an engine is asked to do in a whole run, as far as it is known before. */
export interface AskedLoad extends Pick<
  Load,
  "options" | "request" | "timeoutMs" | "keepAlive" | "requestsPerConnection" | "tls" | "httpVersion"
> {
  /** Requests to send in place of `request`; `null` without a mix. */
  readonly mix?: readonly MixedRequest[] | null;
  readonly levels: readonly Level[];
}

/** Generates load and measures it. */
export interface Engine {
  readonly name: string;
  readonly supports: EngineSupport;
  /** Checks options of its own and fills in the defaults; without it there are none. */
  readonly options?: ZodType<Readonly<Record<string, unknown>>>;
  /**
   * Called once before anything is started: rejects with an `Error` when there is no load to be made of what is asked, because
   * a file is missing, say. Sends nothing. An error with the code `START_FAILED` says that the engine cannot be started.
   */
  readonly check?: (asked: AskedLoad, context: Pick<EngineContext, "folder">) => Promise<void>;
  readonly run: (load: Load, context: EngineContext) => Promise<EngineRun>;
}

/** A file that a reporter wants written: a name inside the report's folder, and its content. */
export interface ReportFile {
  readonly name: string;
  readonly content: string | Uint8Array;
}

/**
 * How a text shows charts: `png` links to the pictures beside it, `mermaid` draws them in blocks that GitHub and others render,
 * `none` leaves them out.
 */
export type ChartStyle = "png" | "mermaid" | "none";

/** What can be chosen of a report in any format. */
export interface RenderOptions {
  readonly charts: ChartStyle;
}

/** Renders a result. Pure: the same result and options give the same files. */
export interface Reporter {
  readonly format: string;
  readonly render: (result: Result, options: RenderOptions) => readonly ReportFile[] | Promise<readonly ReportFile[]>;
}
