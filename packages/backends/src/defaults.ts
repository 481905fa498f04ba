import { PROTO_FILE } from "./own-package.js";

/** Every default of the sample servers, written once. */
export const BACKEND_DEFAULTS = Object.freeze({
  port: 0,
  host: "127.0.0.1",
  /** Connections the kernel may hold before they are accepted; the kernel caps it (`net.core.somaxconn`). */
  backlog: 4096,
  /** How long an idle connection is kept, in ms. Node's own 5 s would close connections between two bursts of load. */
  keepAliveTimeoutMs: 75_000,
  /** How long `stop()` lets requests in flight finish, in ms. */
  stopGraceMs: 500,
});

/** Every default of the handlers, written once. */
export const HANDLER_DEFAULTS = Object.freeze({
  seed: 1,
  /** Work of the handler `work`, as processor time on a usual core, in ms. */
  workMs: 1,
  errorStatus: 500,
});

/** Every default of the gRPC servers, written once. */
export const GRPC_DEFAULTS = Object.freeze({
  refuseWith: "UNAVAILABLE",
  channels: 1,
  /** How long a call of a gateway may take, in ms. */
  deadlineMs: 30_000,
  /** How soon a gateway tries again to reach a service that is down, in ms; it doubles up to the longest. */
  reconnectMs: 100,
  maxReconnectMs: 1000,
});

/** Every default of the pool, written once. */
export const POOL_DEFAULTS = Object.freeze({
  /** Threads; 1 under the policy `simple`. */
  pool: 4,
  /** Places in the queue; none under the policy `simple`. */
  queue: 10,
  policy: "drop-tail",
  refusal: "status",
  /** What `Retry-After` says, in seconds. */
  retryAfterS: 1,
  /** The most that a request may carry where the handler uses it, in bytes; it is kept in memory while it waits. */
  largestBodyBytes: 1024 * 1024,
});

/** Names of the overload policies of a pool. */
export const OVERLOAD_POLICIES = Object.freeze(["block", "drop-tail", "drop-head", "simple"] as const);

/** Ways of a pool to refuse a request. */
export const REFUSALS = Object.freeze(["status", "close"] as const);

/** The most that options may ask for, written once. */
export const BACKEND_LIMITS = Object.freeze({
  workers: 1024,
  pool: 256,
  queue: 1_000_000,
  /** A day, in seconds. */
  retryAfterS: 86_400,
  channels: 1024,
  /** The longest delay of a timer, in ms. */
  deadlineMs: 2 ** 31 - 1,
  slowMs: 2 ** 31 - 1,
});

/** What a client needs to drive the gRPC sample server: where its `.proto` file is, and what is called. */
export const GRPC_SAMPLE = Object.freeze({
  /** Absolute path; the file lies beside `src` and `dist` and is part of the package. */
  protoFile: PROTO_FILE,
  /** Full name of the service. */
  service: "lbbench.sample.Work",
  /** Its unary method. */
  method: "Do",
});

/** Statuses with which calls beyond the limit can be refused. */
export const GRPC_REFUSALS = Object.freeze(["UNAVAILABLE", "RESOURCE_EXHAUSTED"] as const);

/** One of the statuses with which calls beyond the limit can be refused. */
export type GrpcRefusal = (typeof GRPC_REFUSALS)[number];
