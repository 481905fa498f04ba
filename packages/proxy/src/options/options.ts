import type { Policy } from "../policies/policy.js";
import type { BALANCER_DEFAULTS } from "./defaults.js";

/** A backend to balance over. */
export interface BackendOptions {
  /**
   * Where it answers: `http://127.0.0.1:4001`, `h2c://127.0.0.1:4001` (HTTP/2 without TLS), `https://10.0.0.2` (HTTP/2 if it
   * chooses that), or `unix:/run/app.sock`. All but the last may have a path, which is put before the path of each request. In mode `tcp` also `tcp://127.0.0.1:4001`.
   */
  readonly url: string;
  /** What it is called in counts, messages and headers. By default `host:port` of the URL, without a port that is usual for it, or the path of `unix:`. */
  readonly name?: string;
  /** How much it is to get compared with the others, for policies that look at it: 0.001 to 1,000,000, and 1 by default. */
  readonly weight?: number;
}

/** What is known of a request when it has ended. */
export interface RequestLogEntry {
  readonly method: string;
  /** Path and query as the client sent them. */
  readonly path: string;
  /** Status sent to the client; absent when the client got none. */
  readonly status?: number | undefined;
  /** Name of the backend that was picked last; absent when none was available. */
  readonly backend?: string | undefined;
  /** From the request's head to the last byte of the answer, in ms. */
  readonly durationMs: number;
  /** Why there was no complete answer. */
  readonly error?: string | undefined;
  /** How often it was sent once more to another backend; absent when it was not. */
  readonly retries?: number | undefined;
  /** When the head of the request came, in ms since 1970. */
  readonly startedAt: number;
  /** The client's address; absent behind a Unix socket. */
  readonly remoteAddress?: string | undefined;
  /** `2.0`, `1.1` or `1.0`; empty in mode `tcp`, as the path is. */
  readonly httpVersion: string;
  /** Bytes of the answer's body that were handed to the client's connection. */
  readonly bodyBytes: number;
  /** What the client sent as `Host`, `Referer` and `User-Agent`. */
  readonly host?: string | undefined;
  readonly referer?: string | undefined;
  readonly userAgent?: string | undefined;
}

/** Some of a group of options, each as its default is. */
type Some<Defaults> = { readonly [Name in keyof Defaults]?: Defaults[Name] extends number ? number : string };

/** Times after which the balancer gives up, in ms. `BALANCER_DEFAULTS.timeouts` says what each is, and its default. */
export type TimeoutOptions = Some<typeof BALANCER_DEFAULTS.timeouts>;

/** How much the balancer takes. `BALANCER_DEFAULTS.limits` says what each limit is, and its default. */
export type LimitOptions = Some<typeof BALANCER_DEFAULTS.limits>;

/** When a backend is ejected for failing requests; see `BALANCER_DEFAULTS.passiveHealth`. */
export type PassiveHealthOptions = Some<typeof BALANCER_DEFAULTS.passiveHealth>;

/** When a backend is ejected for being unlike the others; see `BALANCER_DEFAULTS.outliers`. */
export interface OutlierOptions extends Some<Omit<typeof BALANCER_DEFAULTS.outliers, "serverErrors">> {
  /** Whether an answer of 500 to 599, or a status of gRPC that means the same, is a failure here; `true` unless turned off. */
  readonly serverErrors?: boolean;
}

/** How backends are asked whether they are well; see `BALANCER_DEFAULTS.activeHealth`. */
export interface ActiveHealthOptions extends Some<Omit<typeof BALANCER_DEFAULTS.activeHealth, "grpc">> {
  /**
   * Asks `h2c://` and `https://` backends by gRPC (`grpc.health.v1.Health/Check`) whether the service of this name is SERVING, in
   * place of `path`. An empty name asks for the server as a whole.
   */
  readonly grpc?: string | false;
}

/** How the balancer finds out which backends to leave out. */
export interface HealthOptions {
  /** Leaves out backends that fail requests; on by default, `false` turns it off. */
  readonly passive?: PassiveHealthOptions | false;
  /** Asks the backends on its own; off by default, `true` takes the defaults. */
  readonly active?: ActiveHealthOptions | boolean;
  /** Leaves out backends that fail more than the others, or are slower by far; off by default, `true` takes the defaults. */
  readonly outliers?: OutlierOptions | boolean;
  /** A backend that comes back gets a share that grows over this time, by policies that look at weights. */
  readonly slowStartMs?: number;
}

/** A certificate that the balancer shows to its clients. */
export interface CertificateOptions {
  /** Certificate chain, PEM. */
  readonly cert: string | Buffer;
  /** Private key, PEM. */
  readonly key: string | Buffer;
}

/**
 * What the balancer shows its clients so that they may speak TLS with it: one certificate, or several. Of several, a client is shown the one of the name
 * that it asks for (SNI): the exact name, else a wildcard (`*.shop.test` is for `a.shop.test`, not for `a.b.shop.test`), else the first of the list. Two of
 * the same names with keys of different kinds, EC and RSA, are both used: clients get the one that they can read.
 */
export type TlsOptions = (CertificateOptions | { readonly certificates: readonly CertificateOptions[] }) & {
  /**
   * 48 random bytes that session tickets are encrypted with, for balancers that are to resume the sessions of one another. By default each balancer
   * makes its own, and new ones every `BALANCER_DEFAULTS.ticketKeysMs`. One that is created with some changes them only when `reloadCertificates` is given others.
   * Sessions of the keys before are not resumed: Node knows one set at a time. Each of their clients makes one full handshake.
   */
  readonly ticketKeys?: Buffer | undefined;
};

/** How the balancer speaks TLS with `https://` backends. */
export interface BackendTlsOptions {
  /** Certificates to trust in place of the well-known ones, PEM. */
  readonly ca?: string | Buffer;
  /** Whether the certificate has to be valid and of the backend's name; `true` unless turned off. */
  readonly verify?: boolean;
  /** Name to ask for and to check, in place of the one in the URL. */
  readonly servername?: string;
}

/** What a balancer is made from. */
export interface BalancerOptions {
  readonly backends: readonly BackendOptions[];
  /** `http`, the default, balances requests; `tcp` relays connections of any protocol. */
  readonly mode?: "http" | "tcp";
  /** What speaks to the backends in mode `http`: `wire`, the default, or `http-proxy`. */
  readonly transport?: "wire" | "http-proxy";
  /**
   * How connections are read and written: `direct`, the default, by the fast way, where a self-test at the start finds it
   * as expected; `public` by the documented interface of Node's sockets alone.
   */
  readonly sockets?: "direct" | "public";
  /** How a backend is picked; `roundRobin()` by default. */
  readonly policy?: Policy;
  /** Response header that names the backend that served; `false`, the default, sends none. */
  readonly backendHeader?: string | false;
  /**
   * Whether answers say in `Server-Timing` what their requests waited for, in ms: `lb-queue` for a slot of the backend, `lb-connect` for a
   * connection to it, and `lb` from the request's head to the answer's in all; `false` by default. What the backend says stays in front.
   */
  readonly serverTiming?: boolean;
  /** Called once for each request (in mode `tcp`: connection) that has ended, answered or not. */
  readonly onRequest?: (entry: RequestLogEntry) => void;
  /**
   * `X-Forwarded-For`, `-Proto`, `-Host`, `-Port` and `Forwarded`: `replace`, the default, sends them anew and believes
   * no client; `append` adds to what the client sent, for a balancer behind another; `off` leaves them as they are.
   */
  readonly forwarded?: "replace" | "append" | "off";
  /**
   * Headers such as `X_Forwarded_For`, which CGI, WSGI and PHP do not tell from `X-Forwarded-For`: `drop`, the default,
   * leaves them out unless `forwarded` is `off`; `pass` passes them on. Other names may have underscores.
   */
  readonly underscores?: "drop" | "pass";
  /**
   * What the balancer calls itself in the `Via` of requests, behind what the client says there. `false`, the default, adds
   * nothing: backends such as nginx compress no answer to a request that has a `Via`.
   */
  readonly via?: string | false;
  /**
   * How often an idempotent request that failed before any byte of an answer is sent once more, each time to another
   * backend; 1 by default. Its body must be kept for that: see `limits.bufferBytes`. A request of any method goes to
   * another backend as long as nothing of it has left.
   */
  readonly retries?: number;
  /**
   * What becomes of `Expect: 100-continue`: `forward`, the default, leaves the answer to the backend; `answer` says 100 at
   * once if a backend is available.
   */
  readonly expect?: "forward" | "answer";
  /**
   * Whether clients are told in 500, 502, 503 and 504 which backend failed and how; `false` by default. `onRequest` is
   * told always.
   */
  readonly errorDetails?: boolean;
  /**
   * What becomes of a request that is meant for one backend, by `ip-hash`, `consistent-hash` or a policy whose `sticks` says
   * so, when that backend has all of its `limits.connectionsPerBackend`. `next`, the default: it goes to the backend that
   * the hash gives next. `wait`: it waits in the queue of its own, and is answered with 503 when that is full. All other
   * requests go to a backend that has a connection free, and wait only when none has.
   */
  readonly whenFull?: "next" | "wait";
  readonly timeouts?: TimeoutOptions;
  readonly limits?: LimitOptions;
  readonly health?: HealthOptions;
  /** Speaks TLS with the clients; in mode `http` HTTPS. */
  readonly tls?: TlsOptions;
  readonly backendTls?: BackendTlsOptions;
}

/** Where a balancer listens. */
export interface ListenOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** `127.0.0.1` by default. */
  readonly host?: string;
  /** A Unix socket in place of host and port. */
  readonly path?: string;
  /** Connections that may wait to be accepted; 4096 by default, capped by the kernel. */
  readonly backlog?: number;
}

/** Where a balancer can be reached. */
export interface ListenAddress {
  /** 0 for a Unix socket. */
  readonly port: number;
  readonly host: string;
  /** `http://`, `https://` or `tcp://`; `unix:/path` for a Unix socket. */
  readonly url: string;
}

/** How a balancer closes. */
export interface CloseOptions {
  /** How long requests in flight may take to finish, in ms; 2000 by default. */
  readonly graceMs?: number;
}

/** How a backend is taken out. */
export interface RemoveOptions {
  /** How long what it has in flight may take to finish, in ms; 30 s by default. Then it is cut off. */
  readonly graceMs?: number;
}

/** Counts of one backend: `requests` = complete answers + `errors` + `aborted` + `inFlight`. In mode `tcp` of connections. */
export interface BackendStats {
  /** Requests handed to it, counted when it is picked. */
  readonly requests: number;
  /** Requests without a complete answer from it. */
  readonly errors: number;
  /** Requests whose client went away before the answer was complete, or sent a body that is late, too long or broken, which `refused` counts, too. */
  readonly aborted: number;
  /** Requests that have not ended yet. */
  readonly inFlight: number;
}

/**
 * What a backend is doing: `up`; `slow-start`, back and given a growing share; `ejected` for what became of requests;
 * `unhealthy` by its checks; `draining`, given nothing because it was told to drain.
 */
export type BackendCondition = "up" | "slow-start" | "ejected" | "unhealthy" | "draining";

/**
 * Why a backend is ejected: `failures` in a row; more `errors` than the others have; a `latency` far above that of the others.
 */
export type EjectionReason = "failures" | "errors" | "latency";

/** How TLS handshakes have ended. */
export interface HandshakeCounts {
  /** With a certificate and its signature. */
  readonly full: number;
  /** By resuming an earlier session, which costs less. */
  readonly resumed: number;
  /** In no TLS connection, also because the client went away or sent nothing in time. */
  readonly failed: number;
}

/** Everything that is known of a backend, as plain data. */
export interface BackendSnapshot extends BackendStats {
  readonly name: string;
  readonly url: string;
  /** As it was given, without slow start. */
  readonly weight: number;
  readonly condition: BackendCondition;
  /** Whether any worker gives it requests; absent without workers, where `condition` says it. */
  readonly isUpInAny?: boolean | undefined;
  /** Why it is `ejected`; absent when it is not. */
  readonly ejectedFor?: EjectionReason | undefined;
  /** How often it has been ejected, by reason. */
  readonly ejections: Readonly<Record<EjectionReason, number>>;
  /** Requests of `inFlight` that wait for a connection. */
  readonly queued: number;
  /** Requests of `requests` that another backend had failed before. */
  readonly retries: number;
  /** Complete answers by class of status: 1xx (upgrades), 2xx, 3xx, 4xx, 5xx. */
  readonly answers: Readonly<Record<"1xx" | "2xx" | "3xx" | "4xx" | "5xx", number>>;
  /** Complete answers of gRPC among them, by name of status, such as `OK` and `UNAVAILABLE`; only those that occurred. */
  readonly grpc: Readonly<Record<string, number>>;
  /** From the request handed to it to the last byte of its complete answer. */
  readonly latency: LatencySnapshot;
  /** TLS handshakes with it that ended well, those of checks included; absent where TLS is not spoken with it. */
  readonly handshakes?: Omit<HandshakeCounts, "failed"> | undefined;
}

/** A histogram of latencies. */
export interface LatencySnapshot {
  /** Upper bounds of the buckets in seconds, rising; what is above the last one is in `counts` only. */
  readonly boundsSeconds: readonly number[];
  /** How many are at or below each bound and above the one before; one more entry than bounds. */
  readonly counts: readonly number[];
  readonly sumSeconds: number;
}

/** What workers did that is in no count. */
export interface UncountedWork {
  /** Workers that died before they had told all of their counts. */
  readonly workers: number;
  /** How long it was from what each of them told last until it was dead, added up. They tell their counts every 100 ms. */
  readonly ms: number;
}

/** Everything that is known of a balancer, as plain data: what workers add up and metrics are made from. */
export interface BalancerSnapshot {
  readonly backends: readonly BackendSnapshot[];
  /** Connections of clients that are open. */
  readonly connections: number;
  /**
   * Requests that no backend was given, as none was available or the request was refused; and those that a backend was given before
   * their body was late (408), too long (413) or broken (400), which are among its `aborted`, too. By status.
   */
  readonly refused: Readonly<Record<string, number>>;
  /**
   * How often no connection to a backend could be made because this machine was short of something, by the code of the
   * system: `EMFILE`, `ENFILE`, `EADDRNOTAVAIL`, `ENOBUFS`. Requests among them are in `refused`, as 503 or `reset`, and
   * in no count of a backend. Checks are among them, too.
   */
  readonly shortages: Readonly<Record<string, number>>;
  /** TLS handshakes with clients; absent where the balancer speaks no TLS with them. */
  readonly handshakes?: HandshakeCounts | undefined;
  /** What is missing here, because workers died; absent when nothing is. */
  readonly uncounted?: UncountedWork | undefined;
}

/** A load balancer. */
export interface Balancer {
  /** Resolves when it accepts connections; rejects with a `BalancerListenError`. Can be called once. */
  readonly listen: (options?: ListenOptions) => Promise<ListenAddress>;
  /** Counts since it was created, by name of backend. */
  readonly stats: () => Readonly<Record<string, BackendStats>>;
  /** Counts, conditions and latencies. */
  readonly snapshot: () => BalancerSnapshot;
  /** Adds a backend. Throws a `BalancerOptionsError`, also when its name is taken. */
  readonly addBackend: (backend: BackendOptions) => void;
  /**
   * Gives a backend nothing more, and takes it out of the list at once. Resolves when what it had in flight has ended.
   * Throws a `BalancerOptionsError` when there is none of that name; so do the others below.
   */
  readonly removeBackend: (name: string, options?: RemoveOptions) => Promise<void>;
  /** Gives a backend nothing more, and keeps it in the list. Resolves when what it had in flight has ended, or the drain. */
  readonly drainBackend: (name: string) => Promise<void>;
  /** Ends a drain. */
  readonly restoreBackend: (name: string) => void;
  readonly setBackendWeight: (name: string, weight: number) => void;
  /**
   * Makes the backends those of a list, as after a change of configuration: adds what is new, drains and removes what is
   * gone, changes weights in place and leaves the rest alone. No request is lost: what is new is there before anything
   * goes, but for a backend that keeps its name and changes its URL.
   *
   * The list is the new one at once: of two calls the second finds what the first has made, and waits for none of its
   * drains. Resolves when what was removed has ended what it had. Rejects with a `BalancerOptionsError`, and nothing has
   * changed, when the list is wrong.
   */
  readonly reloadBackends: (backends: readonly BackendOptions[], options?: RemoveOptions) => Promise<void>;
  /**
   * Shows clients other certificates from the next handshake on. Open connections stay as they are, and sessions that have begun may be resumed, unless
   * `ticketKeys` are given with them. Throws a `BalancerOptionsError`, and nothing has changed, when a certificate or key cannot be used, or when the balancer was
   * created without `tls`.
   */
  readonly reloadCertificates: (tls: TlsOptions) => void;
  /**
   * Stops accepting, lets requests in flight finish for a grace period, then ends the rest. Resolves when no socket is
   * left. May be called again, also to shorten the grace period.
   */
  readonly close: (options?: CloseOptions) => Promise<void>;
}

/** An option of the balancer that cannot be honoured; thrown before anything is opened. */
export class BalancerOptionsError extends Error {
  override readonly name = "BalancerOptionsError";
}
