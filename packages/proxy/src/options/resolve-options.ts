import { roundRobin } from "../policies/in-turn.js";
import type { Policy } from "../policies/policy.js";
import { type BackendOptions, type BalancerOptions, BalancerOptionsError, type TlsOptions } from "./options.js";
import { BALANCER_DEFAULTS } from "./defaults.js";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { isIP } from "node:net";
import { createSecureContext } from "node:tls";

type Numbers<Defaults> = { readonly [Name in keyof Defaults]: number };
export type ResolvedTimeouts = Numbers<typeof BALANCER_DEFAULTS.timeouts>;
export type ResolvedLimits = Numbers<typeof BALANCER_DEFAULTS.limits>;
export type ResolvedPassiveHealth = Numbers<typeof BALANCER_DEFAULTS.passiveHealth>;
type ResolvedActiveHealth = Numbers<Omit<typeof BALANCER_DEFAULTS.activeHealth, "path">> & {
  readonly path: string;
};

export interface ResolvedHealth {
  readonly passive: ResolvedPassiveHealth | false;
  readonly active: ResolvedActiveHealth | false;
  readonly slowStartMs: number;
}

export interface ResolvedBackendTls {
  readonly ca: string | Buffer | undefined;
  readonly verify: boolean;
  readonly servername: string | undefined;
}

/** Options that have been checked, with the defaults filled in. */
export interface ResolvedOptions {
  readonly mode: "http" | "tcp";
  readonly transport: "wire" | "http-proxy";
  readonly sockets: "direct" | "public";
  readonly backends: readonly ResolvedBackend[];
  readonly policy: Policy;
  readonly backendHeader: string | false;
  readonly onRequest: BalancerOptions["onRequest"];
  readonly forwarded: "replace" | "append" | "off";
  readonly via: string | false;
  readonly retries: number;
  readonly timeouts: ResolvedTimeouts;
  readonly limits: ResolvedLimits;
  readonly health: ResolvedHealth;
  readonly tls: TlsOptions | undefined;
  readonly backendTls: ResolvedBackendTls;
}

/** Every option there is; a word that is none of them is refused. */
const OPTION_NAMES: Readonly<Record<keyof BalancerOptions, true>> = {
  backends: true,
  mode: true,
  transport: true,
  sockets: true,
  policy: true,
  backendHeader: true,
  onRequest: true,
  forwarded: true,
  via: true,
  retries: true,
  timeouts: true,
  limits: true,
  health: true,
  tls: true,
  backendTls: true,
};

/** Checks the options of a balancer and fills in the defaults; throws a `BalancerOptionsError`. */
export function resolveOptions(options: BalancerOptions): ResolvedOptions {
  if (!Array.isArray(options?.backends) || options.backends.length === 0) {
    throw new BalancerOptionsError(
      'backends: expected a list with at least one backend, like [{ url: "http://127.0.0.1:4001" }]; got none.',
    );
  }
  refuseUnknown(options, Object.keys(OPTION_NAMES), "");
  const mode = resolveWord(options.mode ?? BALANCER_DEFAULTS.mode, ["http", "tcp"], "mode");
  const { timeouts, limits } = BALANCER_DEFAULTS;
  return {
    mode,
    transport: resolveTransport(options.transport ?? BALANCER_DEFAULTS.transport),
    sockets: resolveWord(options.sockets ?? BALANCER_DEFAULTS.sockets, ["direct", "public"], "sockets"),
    backends: resolveBackends(options.backends, mode),
    policy: resolvePolicy(options.policy ?? roundRobin()),
    backendHeader: resolveHeader(options.backendHeader ?? false, "backendHeader"),
    onRequest: resolveOnRequest(options.onRequest),
    forwarded: resolveWord(options.forwarded ?? BALANCER_DEFAULTS.forwarded, ["replace", "append", "off"], "forwarded"),
    via: resolveVia(options.via ?? BALANCER_DEFAULTS.via),
    retries: resolveNumber(options.retries ?? BALANCER_DEFAULTS.retries, "retries", { from: 0 }),
    timeouts: resolveNumbers(options.timeouts, timeouts, "timeouts", { from: 1, infinity: true }),
    limits: resolveNumbers(options.limits, limits, "limits", { from: 0, infinity: true }),
    health: resolveHealth(options.health),
    tls: resolveTls(options.tls),
    backendTls: resolveBackendTls(options.backendTls),
  };
}

function resolveTransport(transport: BalancerOptions["transport"]): "wire" | "http-proxy" {
  return transport === "undici" ? "wire" : resolveWord(transport, ["wire", "http-proxy"], "transport");
}

function resolveHealth(health: BalancerOptions["health"] = {}): ResolvedHealth {
  refuseUnknown(health, ["passive", "active", "slowStartMs"], "health");
  const { passive = {}, active = false, slowStartMs = BALANCER_DEFAULTS.slowStartMs } = health;
  return {
    passive:
      passive === false
        ? false
        : resolveNumbers(passive, BALANCER_DEFAULTS.passiveHealth, "health.passive", { from: 1, infinity: true }),
    active: active === false ? false : resolveActive(active === true ? {} : active),
    slowStartMs: resolveNumber(slowStartMs, "health.slowStartMs", { from: 0 }),
  };
}

function resolveActive(active: Exclude<NonNullable<BalancerOptions["health"]>["active"], boolean | undefined>) {
  const { path: defaultPath, ...numbers } = BALANCER_DEFAULTS.activeHealth;
  const { path = defaultPath, ...chosen } = active;
  if (typeof path !== "string" || !/^\/[\u0021-\u007e]*$/.test(path)) {
    refuse("health.active.path", 'a path like "/health"', path);
  }
  return { path, ...resolveNumbers(chosen, numbers, "health.active", { from: 1 }) };
}

function resolvePolicy(policy: Policy): Policy {
  if (typeof policy?.create === "function") return policy;
  throw new BalancerOptionsError(
    "policy: expected an object { name, create() }, like roundRobin() or what parsePolicy() makes of a text; " +
      "got something else.",
  );
}

function resolveVia(via: string | false): string | false {
  if (via === false) return false;
  checkName(via, "via");
  if (/^[\w.:-]+$/.test(via)) return via;
  throw new BalancerOptionsError(`via: expected a name of letters, digits and . : - _, got ${JSON.stringify(via)}.`);
}

function resolveOnRequest(onRequest: BalancerOptions["onRequest"]): BalancerOptions["onRequest"] {
  if (onRequest === undefined || typeof onRequest === "function") return onRequest;
  throw new BalancerOptionsError(`onRequest: expected a function, got ${typeof onRequest}.`);
}

function resolveTls(tls: BalancerOptions["tls"]): TlsOptions | undefined {
  if (tls === undefined) return undefined;
  refuseUnknown(tls, ["cert", "key"], "tls");
  for (const name of ["cert", "key"] as const) {
    if (typeof tls[name] === "string" || Buffer.isBuffer(tls[name])) continue;
    throw new BalancerOptionsError(`tls.${name}: expected PEM as a text or a Buffer, got ${typeof tls[name]}.`);
  }
  const { cert, key } = tls;
  tryPem({ cert }, "tls.cert: expected a certificate as PEM");
  tryPem({ key }, "tls.key: expected a private key without a passphrase as PEM");
  tryPem({ cert, key }, "tls.key: expected the private key of tls.cert");
  return tls;
}

function resolveBackendTls(backendTls: BalancerOptions["backendTls"] = {}): ResolvedBackendTls {
  refuseUnknown(backendTls, ["ca", "verify", "servername"], "backendTls");
  const { ca, verify = true, servername } = backendTls;
  if (ca !== undefined) {
    if (typeof ca !== "string" && !Buffer.isBuffer(ca)) {
      throw new BalancerOptionsError(`backendTls.ca: expected PEM as a text or a Buffer, got ${typeof ca}.`);
    }
    // As the certificate to show it is read more strictly: for one to trust, a text without any would do.
    tryPem({ cert: ca }, "backendTls.ca: expected certificates as PEM");
  }
  if (servername !== undefined && (typeof servername !== "string" || servername === "" || isIP(servername) !== 0)) {
    refuse("backendTls.servername", 'a host name, like "app.internal", and no address', servername);
  }
  return { ca, verify: resolveFlag(verify, "backendTls.verify"), servername };
}

/** Lets OpenSSL read PEM now: a server would throw its error, which does not say which option it means. */
function tryPem(pem: Readonly<Partial<Record<"cert" | "key", string | Buffer>>>, expected: string): void {
  try {
    // An empty text is one that was not given.
    if (Object.values(pem).some((text) => text.length === 0)) throw new Error("it is empty");
    createSecureContext(pem);
  } catch (error) {
    throw new BalancerOptionsError(`${expected}, got something else: ${(error as Error).message}.`);
  }
}

/** A backend whose URL has been checked and taken apart. */
export interface ResolvedBackend {
  readonly name: string;
  readonly url: string;
  readonly weight: number;
  /** Whether TLS is spoken with it. */
  readonly secure: boolean;
  /** Host name or address to connect to, without brackets; `localhost` for a Unix socket. */
  readonly hostname: string;
  /** 0 for a Unix socket. */
  readonly port: number;
  /** The Unix socket to connect to in place of host and port. */
  readonly socketPath: string | undefined;
  /** What is put before the path of each request; empty for a plain origin. */
  readonly basePath: string;
}

type Place = Omit<ResolvedBackend, "name" | "url" | "weight"> & { readonly defaultName: string };

const PORTS: ReadonlyMap<string, number> = new Map([
  ["http:", 80],
  ["https:", 443],
]);

/** Checks a list of backends. */
export function resolveBackends(backends: readonly BackendOptions[], mode: "http" | "tcp"): readonly ResolvedBackend[] {
  const resolved = backends.map((backend, index) => resolveBackend(backend, mode, `backends[${index}]`));
  const seen = new Set<string>();
  for (const [index, { name }] of resolved.entries()) {
    refuseTaken(name, seen, `backends[${index}]`);
    seen.add(name);
  }
  return resolved;
}

/** Checks that a backend's name is its own. */
export function refuseTaken(name: string, taken: ReadonlySet<string>, where: string): void {
  if (!taken.has(name)) return;
  throw new BalancerOptionsError(
    `${where}.name: expected a name of its own, got "${name}" for the second time. Give each backend a name.`,
  );
}

/** Checks a backend; `where` is what messages call it. */
export function resolveBackend(backend: BackendOptions, mode: "http" | "tcp", where: string): ResolvedBackend {
  refuseUnknown(backend, ["url", "name", "weight"], where);
  const { defaultName, ...place } = resolvePlace(backend.url, mode, `${where}.url`);
  const name = backend.name ?? defaultName;
  checkName(name, `${where}.name`);
  const weight = resolveWeight(backend.weight ?? BALANCER_DEFAULTS.weight, `${where}.weight`);
  return { name, url: backend.url, weight, ...place };
}

/** Checks a weight. */
export function resolveWeight(weight: unknown, where: string): number {
  if (typeof weight === "number" && Number.isFinite(weight) && weight > 0) return weight;
  refuse(where, "a number above 0", weight, "To give a backend nothing, leave it out.");
}

/** Checks a text that is to stand in a header. */
export function checkName(name: unknown, where: string): void {
  try {
    if (typeof name !== "string" || name.trim() === "") throw new TypeError("not a text");
    validateHeaderValue("x-backend", name);
  } catch {
    refuse(where, "a non-empty text that can stand in a header", name);
  }
}

function resolvePlace(text: unknown, mode: "http" | "tcp", where: string): Place {
  if (typeof text === "string" && text.startsWith("unix:")) return resolveSocket(text, where);
  if (typeof text !== "string" || !URL.canParse(text)) {
    refuse(where, 'a URL like "http://127.0.0.1:4001"', text);
  }
  const url = new URL(text);
  const protocols = mode === "tcp" ? ["http:", "https:", "tcp:"] : ["http:", "https:"];
  if (!protocols.includes(url.protocol)) {
    const known = [...protocols, "unix:"].map((protocol) => (protocol === "unix:" ? protocol : `${protocol}//`));
    refuse(where, `a URL of ${known.join(", ")}`, text);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    const advice = "Leave out the user name, the password, the query and the fragment.";
    refuse(where, "an origin with an optional path", text, advice);
  }
  const port = url.port === "" ? PORTS.get(url.protocol) : Number(url.port);
  if (port === undefined || url.hostname === "") {
    refuse(where, "a host and a port", text);
  }
  return {
    defaultName: url.host,
    secure: url.protocol === "https:" && mode === "http",
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    socketPath: undefined,
    basePath: url.pathname.replace(/\/+$/, ""),
  };
}

function resolveSocket(text: string, where: string): Place {
  const socketPath = text.slice("unix:".length);
  // Linux keeps 108 bytes for the path, one of them for its end; a longer one would be cut off in silence.
  if (!socketPath.startsWith("/") || Buffer.byteLength(socketPath) > 107) {
    refuse(where, '"unix:" and an absolute path of at most 107 bytes, like "unix:/run/app.sock"', text);
  }
  return { defaultName: socketPath, secure: false, hostname: "localhost", port: 0, socketPath, basePath: "" };
}

/** Which numbers will do: whole ones from `from` on, and `Infinity` (no limit) where it says so. */
interface NumberRule {
  readonly from: number;
  readonly infinity?: boolean;
}

/** Checks a number. */
export function resolveNumber(value: unknown, where: string, { from, infinity = false }: NumberRule): number {
  if (typeof value === "number" && value >= from && (Number.isInteger(value) || (infinity && value === Infinity))) {
    return value;
  }
  refuse(where, `a whole number, ${from} or above${infinity ? ", or Infinity" : ""}`, value);
}

/** Checks a group of numbers, of which each has a default. */
function resolveNumbers<Name extends string>(
  chosen: Readonly<Partial<Record<Name, number>>> | undefined,
  defaults: Readonly<Record<Name, number>>,
  where: string,
  rule: NumberRule,
): Readonly<Record<Name, number>> {
  const names = Object.keys(defaults) as Name[];
  refuseUnknown(chosen ?? {}, names, where);
  const entries = names.map((name) => [
    name,
    resolveNumber(chosen?.[name] ?? defaults[name], `${where}.${name}`, rule),
  ]);
  return Object.freeze(Object.fromEntries(entries)) as Readonly<Record<Name, number>>;
}

/** Checks a word against those that are known. */
export function resolveWord<Word extends string>(value: unknown, words: readonly Word[], where: string): Word {
  const known = words.find((word) => word === value);
  if (known !== undefined) return known;
  refuse(where, words.map(show).join(" or "), value);
}

/** Checks a flag. */
function resolveFlag(value: unknown, where: string): boolean {
  if (typeof value === "boolean") return value;
  refuse(where, "true or false", value);
}

/** Checks the name of a header, which `false` turns off. */
function resolveHeader(header: string | false, where: string): string | false {
  if (header === false) return false;
  try {
    validateHeaderName(header);
    return header;
  } catch {
    refuse(where, 'the name of a header, like "x-backend", or false', header);
  }
}

/** Refuses what is no object, and names that are not known: a slip of the pen would else be obeyed in silence. */
export function refuseUnknown(group: unknown, known: readonly string[], where: string): void {
  if (typeof group !== "object" || group === null) {
    refuse(where, "an object", group);
  }
  const unknown = Object.keys(group).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const path = where === "" ? unknown : `${where}.${unknown}`;
  throw new BalancerOptionsError(`${path}: there is no such option. There are ${known.join(", ")}.`);
}

/**
 * Throws a `BalancerOptionsError`: `where: expected something, got a value.` and what to do. A semicolon parts the two
 * where what is expected has a comma.
 */
export function refuse(where: string, expected: string, got: unknown, advice = ""): never {
  const comma = expected.includes(",") ? ";" : ",";
  const end = advice === "" ? "" : ` ${advice}`;
  throw new BalancerOptionsError(`${where}: expected ${expected}${comma} got ${show(got)}.${end}`);
}

/** A value as a message shows it. */
export function show(value: unknown): string {
  return typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
}
