import { listen } from "../listen.js";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import {
  type BackendOptions,
  BalancerOptionsError,
  type BalancerSnapshot,
  type ListenAddress,
  type ListenOptions,
  type RemoveOptions,
} from "../options/options.js";
import * as z from "zod";
import { check, objectOf, refuse, show } from "../options/check.js";
import { checkWeight, resolveBackend } from "../options/resolve-options.js";
import { isUp } from "./merge-snapshots.js";
import { OPEN_METRICS_CONTENT_TYPE, renderOpenMetrics } from "./open-metrics.js";
import { createServer, type IncomingMessage, STATUS_CODES } from "node:http";
import { isIP } from "node:net";
import { setImmediate } from "node:timers/promises";

/** What changes the backends of a balancer: its `addBackend` and so on, or what does the same for all its workers. */
export interface BackendControl {
  readonly add: (backend: BackendOptions) => void | Promise<void>;
  readonly remove: (name: string, options?: RemoveOptions) => Promise<void>;
  readonly drain: (name: string) => Promise<void>;
  readonly restore: (name: string) => void | Promise<void>;
  readonly setWeight: (name: string, weight: number) => void | Promise<void>;
  /** Makes the backends those of a list; see `reloadBackends`. Without it the admin server offers no such thing. */
  readonly reload?: (backends: readonly BackendOptions[]) => Promise<void>;
}

/** What an admin server shows and changes. */
export interface AdminServerOptions {
  /** How the balancer is doing; of workers, their sum. */
  readonly snapshot: () => BalancerSnapshot | Promise<BalancerSnapshot>;
  /** Without it nothing can be changed: there is nothing at `/backends` then. */
  readonly backends?: BackendControl;
  /** Reads the certificates again, and hands them to `reloadCertificates` of a balancer. Without it the admin server offers no such thing. */
  readonly reloadCertificates?: (() => void | Promise<void>) | undefined;
}

/** A server for the operators of a balancer. */
export interface AdminServer {
  /** Resolves when it accepts connections; rejects with a `BalancerListenError`. Loopback and a free port by default. */
  readonly listen: (options?: Pick<ListenOptions, "port" | "host">) => Promise<ListenAddress>;
  /** Stops accepting and ends all connections. Resolves when none is left. */
  readonly close: () => Promise<void>;
}

/**
 * A server that tells how a balancer is doing and changes its backends, not listening yet:
 *
 * - `GET /metrics`: OpenMetrics; `GET /stats`: the snapshot as JSON; `GET /health`: 200 if a backend is up, else 503
 * - `POST /backends` with `{ url, name?, weight? }`: 201; `PUT /backends` with a list of those: 202
 * - `DELETE /backends/NAME?graceMs=N`, `POST /backends/NAME/drain`: 202, and the work goes on
 * - `POST /backends/NAME/restore`, `PUT /backends/NAME/weight` with `{ weight }`: 200
 * - `POST /certificates/reload`: 200 once new connections are shown what it read
 *
 * NAME is percent-encoded. What is wrong is answered with `{ error }` and 400, 403 (what a web page may be behind), 404, 405,
 * 413 (64 KiB), 415 or 500. It asks for no password: a program that reaches the port may change everything.
 */
export function createAdminServer(options: AdminServerOptions): AdminServer {
  const routes = adminRoutes(options);
  let ownHost: string = BALANCER_DEFAULTS.host;
  let listening: Promise<ListenAddress> | undefined;

  async function answer(request: IncomingMessage): Promise<Reply> {
    try {
      refuseWebPages(request, ownHost);
      return await takeRoute(routes, request);
    } catch (error) {
      if (error instanceof RequestError)
        return { ...jsonReply(error.status, { error: error.message }), headers: error.headers };
      const status = error instanceof BalancerOptionsError ? 400 : 500;
      return jsonReply(status, { error: error instanceof Error ? error.message : STATUS_CODES[status] });
    }
  }

  const server = createServer((request, response) => {
    void answer(request).then(({ status, type, body, headers }) => {
      response.writeHead(status, {
        "content-type": type,
        "content-length": Buffer.byteLength(body),
        // Each answer is of its moment, and no page is to take it for a script.
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        ...headers,
      });
      response.end(body);
    });
  });
  // A connection that cannot be accepted, for want of descriptors say, must not end the process.
  server.on("error", () => undefined);

  return {
    listen: async (where = {}) => {
      ownHost = where.host ?? ownHost;
      listening = listen(server, where);
      return listening;
    },
    close: async () => {
      await listening?.catch(() => undefined);
      if (!server.listening) return;
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** What a request is answered with. */
interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  /** What else is told in the head. */
  readonly headers?: Readonly<Record<string, string>>;
}

function jsonReply(status: number, value: unknown): Reply {
  return { status, type: "application/json", body: `${JSON.stringify(value)}\n` };
}

/** A request that is not done, and the status that says so. */
class RequestError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: NonNullable<Reply["headers"]> = {},
  ) {
    super(message);
  }
}

/** What a route is asked. */
interface Asked {
  /** The backend that the path names; empty if it names none. */
  readonly name: string;
  readonly query: URLSearchParams;
  /** Reads the body; what it is to be is for messages. */
  readonly json: (expected: string) => Promise<unknown>;
}

/** What is done by method and path; NAME in a path stands for that of a backend. */
type Routes = Readonly<Record<string, (asked: Asked) => Promise<Reply>>>;

function adminRoutes({ snapshot, backends, reloadCertificates }: AdminServerOptions): Routes {
  const type = "text/plain; charset=utf-8";
  const reading: Routes = {
    async "GET /metrics"() {
      return { status: 200, type: OPEN_METRICS_CONTENT_TYPE, body: await renderOpenMetrics(await snapshot()) };
    },
    "GET /stats": async () => jsonReply(200, await snapshot()),
    async "GET /health"() {
      const isAnyUp = (await snapshot()).backends.some(isUp);
      return isAnyUp ? { status: 200, type, body: "ok" } : { status: 503, type, body: "No backend is up." };
    },
  };
  const certificates: Routes | undefined = reloadCertificates && {
    async "POST /certificates/reload"() {
      await reloadCertificates();
      return jsonReply(200, {});
    },
  };
  if (backends === undefined) return { ...reading, ...certificates };

  /** An unknown name is told from bad input before anything is done. */
  const known = async (name: string): Promise<string> => {
    const names = (await snapshot()).backends.map((backend) => backend.name);
    if (names.includes(name)) return name;
    throw new RequestError(404, `There is no backend ${show(name)}. There are ${names.map(show).join(", ")}.`);
  };
  const { reload } = backends;
  const reloading: Routes | undefined = reload && {
    async "PUT /backends"({ json }) {
      const list = await json("a list of backends");
      if (!Array.isArray(list)) refuse("body", "a list of backends", list);
      const checked = list.map((backend, index) => checkBackend(backend, `body[${index}]`));
      await begin(async () => reload(checked));
      return jsonReply(202, checked);
    },
  };
  return {
    ...reading,
    ...certificates,
    async "POST /backends"({ json }) {
      const backend = checkBackend(await json("url, name, weight"), "body");
      await backends.add(backend);
      return jsonReply(201, backend);
    },
    ...reloading,
    async "DELETE /backends/NAME"({ name, query }) {
      const options = readGrace(query);
      await known(name);
      await begin(async () => backends.remove(name, options));
      return jsonReply(202, { name });
    },
    async "POST /backends/NAME/drain"({ name }) {
      await known(name);
      await begin(async () => backends.drain(name));
      return jsonReply(202, { name });
    },
    async "POST /backends/NAME/restore"({ name }) {
      await backends.restore(await known(name));
      return jsonReply(200, { name });
    },
    async "PUT /backends/NAME/weight"({ name, json }) {
      const given = check(WEIGHT, await json("weight"), "body");
      const weight = checkWeight(given.weight, "body.weight");
      await backends.setWeight(await known(name), weight);
      return jsonReply(200, { name, weight });
    },
  };
}

/** Begins what may take long, and throws what is wrong with it at once; how it ends is not told. */
async function begin(work: () => Promise<void>): Promise<void> {
  const running = work();
  running.catch(() => undefined);
  await Promise.race([running, setImmediate()]);
}

/** Checks what is wrong with a backend in each mode and for each transport; the balancer knows its own. */
function checkBackend(value: unknown, where: string): BackendOptions {
  resolveBackend(value as BackendOptions, { mode: "tcp", transport: "wire", health: { active: false } }, where);
  return value as BackendOptions;
}

function readGrace(query: URLSearchParams): RemoveOptions {
  const unknown = [...query.keys()].find((key) => key !== "graceMs");
  if (unknown !== undefined) throw new RequestError(400, `${show(unknown)}: expected no other parameter than graceMs.`);
  const text = query.get("graceMs");
  if (text === null) return {};
  if (/^\d+$/.test(text)) return { graceMs: Number(text) };
  throw new RequestError(400, `graceMs: expected a whole number of ms, got ${show(text)}.`);
}

/** Finds the route of a request and takes it; throws a `RequestError` (404, 405) when there is none. */
async function takeRoute(routes: Routes, request: IncomingMessage): Promise<Reply> {
  const [path = "", query] = (request.url ?? "").split(/\?(.*)/s, 2);
  const found = Object.entries(routes).flatMap(([place, take]) => {
    const [method = "", pattern = ""] = place.split(" ");
    const match = new RegExp(`^${pattern.replace("NAME", "([^/]+)")}$`).exec(path);
    return match === null ? [] : [{ method, take, name: match[1] ?? "" }];
  });
  if (found.length === 0) throw new RequestError(404, `There is nothing at ${show(path)}.`);
  // Node sends no body with an answer to HEAD.
  const taken = found.find(({ method }) => method === (request.method === "HEAD" ? "GET" : request.method));
  if (taken === undefined) {
    const allow = found.map(({ method }) => (method === "GET" ? "GET, HEAD" : method)).join(", ");
    throw new RequestError(405, `${path}: expected ${allow}, got ${request.method}.`, { allow });
  }
  const json = (expected: string): Promise<unknown> => readJson(request, expected);
  return taken.take({ name: decodeName(taken.name), query: new URLSearchParams(query), json });
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RequestError(400, `Name of the backend: expected percent-encoded UTF-8, got ${show(text)}.`);
  }
}

const WEIGHT = objectOf({ weight: z.unknown().optional() });

const MAX_BODY_BYTES = 64 * 1024;

async function readJson(request: IncomingMessage, expected: string): Promise<unknown> {
  const tooLarge = new RequestError(413, `body: expected at most ${MAX_BODY_BYTES} bytes, got more.`);
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) throw tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  // To leave this loop early would destroy the connection before the answer.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) throw tooLarge;
  const text = Buffer.concat(chunks).toString();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new RequestError(400, `body: expected JSON with ${expected}; got ${show(text.slice(0, 80))}.`);
  }
}

/**
 * Throws a `RequestError` (403, 415) for requests that a web page may be behind: browsers let any page send requests to
 * ports of this machine. `ownHost` is the host that the server listens on.
 */
export function refuseWebPages(
  { headers, method = "" }: Pick<IncomingMessage, "headers" | "method">,
  ownHost: string,
): void {
  // DNS rebinding: a page whose name is made to point here is of the same origin for the browser, and could read all.
  // An address cannot be made to point anywhere.
  if (!isTrustedHost(headers.host, ownHost)) {
    const expected = 'an IP address, "localhost" or the host that the admin server listens on';
    throw new RequestError(403, `Host: expected ${expected}, got ${show(headers.host)}.`);
  }
  // Programs send no Origin. Browsers send it with each request that may change something.
  if (method !== "GET" && method !== "HEAD" && headers.origin !== undefined) {
    throw new RequestError(403, `Origin: expected none, got ${show(headers.origin)}. Web pages may change nothing.`);
  }
  // Bodies of other types are what forms can send.
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  const type = headers["content-type"];
  if (hasBody && !/^application\/json\s*(?:;|$)/i.test(type ?? "")) {
    throw new RequestError(415, `Content-Type: expected application/json, got ${show(type)}.`);
  }
}

function isTrustedHost(header: string | undefined, ownHost: string): boolean {
  const host = /^(?:\[([^\]]*)\]|([^:[\]]+))(?::\d+)?$/.exec(header ?? "");
  const name = (host?.[1] ?? host?.[2] ?? "").toLowerCase();
  return isIP(name) !== 0 || name === "localhost" || (name !== "" && name === ownHost.toLowerCase());
}
