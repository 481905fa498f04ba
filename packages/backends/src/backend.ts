/** What all sample servers have in common: what they are started with, what they are while they run, and how a start fails. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Server, Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type * as z from "zod";
import { BACKEND_DEFAULTS } from "./defaults.js";
import { disturbable, type Disturbance } from "./disturbance.js";
import { createHandler, resolveHandler, type HandlerSpec } from "./handlers.js";
import { TimedResponse } from "./timed-response.js";
import { drainBody, prepareAnswer, sendAnswer, TEXT, type Handler } from "./work.js";

/** What every sample server is started with. */
export interface BackendOptions {
  /** What it does with a request: a spec or its text, like `sleep:10ms`. */
  readonly handler: HandlerSpec | string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** `127.0.0.1` by default. */
  readonly host?: string;
  /** Whether each answer carries `x-worker`, the id of the process that made it; off by default. */
  readonly identify?: boolean;
  /** Whether each answer says in `Server-Timing` how long it took; off by default. gRPC services do not. */
  readonly timing?: boolean;
}

/** A process of a sample server that ended without having been asked to. */
export interface BackendDeath {
  readonly pid: number;
  /** Its exit code; `null` when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The end of what it wrote to stderr, at most 4 kB; empty when it wrote nothing. */
  readonly stderr: string;
}

/** The connections of a server. */
export interface ConnectionCounts {
  /** Accepted since its start. */
  readonly accepted: number;
  /** Open now. */
  readonly open: number;
  /** Open now, with a request that is not answered yet. */
  readonly active: number;
}

/** How a sample server stops. */
export interface StopOptions {
  /** How long requests in flight may take to finish, in ms; 500 by default. */
  readonly graceMs?: number;
}

/** A sample server that answers. */
export interface RunningBackend {
  readonly url: string;
  readonly port: number;
  /** Processes that serve, as of now: this one for a single server, the workers of a cluster. */
  readonly pids: readonly number[];
  /** Requests received since the start, over all workers; those of a worker that died count as far as it last told. */
  readonly requests: () => Promise<number>;
  /** Its connections, over all workers; what a worker that died had accepted counts as far as it last told. */
  readonly connections: () => Promise<ConnectionCounts>;
  /** Calls the listener for each worker that dies by itself, also for the ones that died before; returns a function that ends this. */
  readonly onDied: (listener: (death: BackendDeath) => void) => () => void;
  /** Makes it late or wrong from now on, in all its workers that live; rejects with a `RangeError`. */
  readonly disturb: (change: Disturbance) => Promise<void>;
  /** Stops it and waits until no process, port or connection is left. May be called again, also to leave requests less time. */
  readonly stop: (options?: StopOptions) => Promise<void>;
}

/** A sample server could not start; nothing of it is left. `code` is the system's (`EADDRINUSE`, ...) where there is one. */
export class BackendStartError extends Error {
  override readonly name = "BackendStartError";

  constructor(
    message: string,
    readonly code?: string,
  ) {
    super(message);
  }
}

/** Where a server listens, and whether its answers name its process and say how long they took. */
export type Endpoint = Required<Pick<BackendOptions, "host" | "port" | "identify" | "timing">>;

/** Checks all options of a sample server, and fills in the defaults of where it listens; rejects with a `BackendStartError`. */
export async function checkOptions({
  host = BACKEND_DEFAULTS.host,
  port = BACKEND_DEFAULTS.port,
  identify = false,
  timing = false,
  ...others
}: Partial<Endpoint>): Promise<Endpoint> {
  // The workers of a cluster need not load what checks: their options were checked.
  const { SAMPLE_OPTIONS } = await import("./options.js");
  const schemas = new Map<string, z.ZodType>(Object.entries(SAMPLE_OPTIONS));
  for (const [name, value] of Object.entries({ port, ...others })) {
    const schema = value === undefined ? undefined : schemas.get(name);
    const [issue] = schema?.safeParse(value).error?.issues ?? [];
    if (issue === undefined) continue;
    const got = typeof value === "string" ? JSON.stringify(value) : String(value);
    throw new BackendStartError(`${name}: ${issue.message}, got ${got}.`);
  }
  return { host, port, identify, timing };
}

export function cannotListen(
  host: string,
  port: number,
  { code, message }: Pick<NodeJS.ErrnoException, "code" | "message">,
): BackendStartError {
  const inUse = "the port is in use. Stop what listens there, or choose another port (0 takes any free one).";
  return new BackendStartError(`Cannot listen on ${host}:${port}: ${code === "EADDRINUSE" ? inUse : message}`, code);
}

export function urlOf(host: string, port: number, scheme = "http"): string {
  const reachable = host.replace(/^0\.0\.0\.0$/, "127.0.0.1").replace(/^::$/, "::1");
  return `${scheme}://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** A sample server in this process; `stop` may be called again, with how long requests in flight may take to finish from then on, in ms. */
export function runningHere(
  url: string,
  requests: () => number | Promise<number>,
  connections: () => ConnectionCounts | Promise<ConnectionCounts>,
  disturb: (change: Disturbance) => void | Promise<void>,
  stop: (graceMs: number) => Promise<void>,
): RunningBackend {
  return {
    url,
    // The `port` of a parsed URL is empty where it is that of the scheme.
    port: Number(/\d+$/.exec(url)?.[0]),
    pids: [process.pid],
    requests: async () => requests(),
    connections: async () => connections(),
    // It cannot die without the caller.
    onDied: () => () => undefined,
    disturb: async (change) => disturb(change),
    stop: ({ graceMs = BACKEND_DEFAULTS.stopGraceMs } = {}) => stop(graceMs),
  };
}

/** Path of the build of a module that a process or thread is to run, from the `import.meta.url` of the caller, maybe in `src/`. */
export function builtProgram(from: string, relative: string): string {
  return fileURLToPath(new URL(relative, from)).replace(/^(.*[\\/]backends[\\/])src(?=[\\/])/s, "$1dist");
}

/** How often connections that have become idle are looked for while a server stops, in ms. */
export const IDLE_CHECK_MS = 20;

/**
 * Starts a sample server in this process; resolves when it listens. Throws a `HandlerSpecError` or a
 * `BackendStartError`.
 */
export async function startSingle(options: BackendOptions): Promise<RunningBackend> {
  return serveHandler(createHandler(resolveHandler(options.handler)), await checkOptions(options));
}

const failure = prepareAnswer(503, TEXT, "This server was told to fail this request.\n");

/**
 * Counts the connections of a server. `open` has those that are open, each with what `begin` made for it. `counts` tells all numbers; `active` is
 * how many of the open ones have a request under way.
 */
export function countConnections<Known>(server: Server, begin: () => Known) {
  const open = new Map<Socket, Known>();
  let accepted = 0;
  server.on("connection", (socket: Socket) => {
    accepted += 1;
    open.set(socket, begin());
    socket.once("close", () => open.delete(socket));
  });
  return { open, counts: (active: number): ConnectionCounts => ({ accepted, open: open.size, active }) };
}

/** Lets a handler serve; `afterStop` is done when no connection is left. Rejects with a `BackendStartError`. */
export async function serveHandler(
  handler: Handler,
  endpoint: Endpoint,
  afterStop: () => Promise<void> | void = () => undefined,
): Promise<RunningBackend> {
  let requests = 0;
  const { serve, disturb } = disturbable(
    handler,
    (request, response) => drainBody(request, () => sendAnswer(response, failure)),
    (_request, response) => response.destroyed,
  );
  const answers = endpoint.timing ? { ServerResponse: TimedResponse } : {};
  const server = createServer({ noDelay: true, ...answers }, (request, response) => {
    requests += 1;
    const connection = open.get(request.socket);
    if (connection !== undefined) connection.last = response;
    if (endpoint.identify) response.setHeader("x-worker", String(process.pid));
    serve(request, response);
  });
  // The last answer on each, before which all others on it are over.
  const { open, counts } = countConnections<{ last?: ServerResponse }>(server, () => ({}));
  const connections = (): ConnectionCounts =>
    counts([...open.values()].filter(({ last }) => last?.writableFinished === false).length);
  server.keepAliveTimeout = BACKEND_DEFAULTS.keepAliveTimeoutMs;
  // A slow request is a measurement, not an attack.
  server.requestTimeout = 0;
  server.headersTimeout = 0;
  const url = urlOf(endpoint.host, await listen(server, endpoint));
  const close = async (): Promise<void> => {
    const idleCheck = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    clearInterval(idleCheck);
    await afterStop();
  };
  const stop = stopWith(close, () => server.closeAllConnections());
  return runningHere(url, () => requests, connections, disturb, stop);
}

/** Makes what stops a server, and may be called again: it is closed once, and what is left is cut off after the shortest grace period. */
export function stopWith(close: (graceMs: number) => Promise<void>, cutOff: () => void) {
  let closed: Promise<void> | undefined;
  return async (graceMs: number): Promise<void> => {
    closed ??= close(graceMs);
    const end = setTimeout(cutOff, graceMs);
    await closed;
    clearTimeout(end);
  };
}

/** Lets a server listen; resolves with its port, or rejects with a `BackendStartError`. */
export async function listen(server: Server, { host, port }: Endpoint): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(cannotListen(host, port, error)));
    server.listen({ host, port, backlog: BACKEND_DEFAULTS.backlog }, resolve);
  });
  // A connection that cannot be accepted, for want of descriptors say, must not end the server.
  server.on("error", () => undefined);
  return (server.address() as AddressInfo).port;
}
