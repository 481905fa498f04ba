import { roundRobin } from "../policies/in-turn.js";
import type { Policy } from "../policies/policy.js";
import { type BackendOptions, type BalancerOptions, BalancerOptionsError, type TlsOptions } from "./options.js";
import { BALANCER_DEFAULTS as DEFAULTS } from "./defaults.js";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { isIP } from "node:net";
import { createSecureContext } from "node:tls";

/** Checks the value of an option, which messages call `where`; returns what it means or throws a `BalancerOptionsError`. */
export type Check<Value> = (value: unknown, where: string) => Value;

type Checks = Readonly<Record<string, Check<unknown>>>;
type Checked<All extends Checks> = { readonly [Name in keyof All]: ReturnType<All[Name]> };

/** Whole numbers from `from` on, and `Infinity` (no limit) where it says so. */
export function whole({ from, infinity = false }: NumberRule): Check<number> {
  return (value, where) => {
    if (typeof value === "number" && value >= from && (Number.isInteger(value) || (infinity && value === Infinity))) {
      return value;
    }
    refuse(where, `a whole number, ${from} or above${infinity ? ", or Infinity" : ""}`, value);
  };
}

interface NumberRule {
  readonly from: number;
  readonly infinity?: boolean;
}

/** One of some words. */
export function oneOf<Word extends string>(...words: readonly Word[]): Check<Word> {
  return (value, where) =>
    words.find((word) => word === value) ?? refuse(where, words.map((word) => show(word)).join(" or "), value);
}

/** An object of options, of which each has its check; a word that is none of them is refused. */
export function group<All extends Checks>(checks: All): Check<Checked<All>> {
  return (given = {}, where) => {
    refuseUnknown(given, Object.keys(checks), where);
    const values = given as Readonly<Record<string, unknown>>;
    const checked = Object.entries(checks).map(([name, check]) => {
      return [name, check(values[name], where === "" ? name : `${where}.${name}`)];
    });
    return Object.freeze(Object.fromEntries(checked)) as Checked<All>;
  };
}

/** Takes a default for what is not given. */
function or<Value>(fallback: Value, check: Check<Value>): Check<Value> {
  return (value, where) => check(value ?? fallback, where);
}

/** Lets `false` turn it off. */
function orFalse<Value>(check: Check<Value>): Check<Value | false> {
  return (value, where) => value !== false && check(value, where);
}

/** Numbers of one kind, of which each has a default. */
function numbers<Name extends string>(defaults: Readonly<Record<Name, number>>, rule: NumberRule) {
  const checks = Object.entries<number>(defaults).map(([name, fallback]) => [name, or(fallback, whole(rule))]);
  return Object.fromEntries(checks) as Readonly<Record<Name, Check<number>>>;
}

function flag(value: unknown, where: string): boolean {
  return typeof value === "boolean" ? value : refuse(where, "true or false", value);
}

const { path: checkedPath, ...activeNumbers } = DEFAULTS.activeHealth;

const activeHealth = group({
  path: or<string>(checkedPath, (path, where) => {
    if (typeof path === "string" && /^\/[\u0021-\u007e]*$/.test(path)) return path;
    refuse(where, 'a path like "/health"', path);
  }),
  ...numbers(activeNumbers, { from: 1 }),
});

/** Every option there is: its default and its check. */
const OPTIONS = {
  backends: (value: unknown) => value as readonly BackendOptions[],
  mode: or(DEFAULTS.mode, oneOf("http", "tcp")),
  transport: or(DEFAULTS.transport, oneOf("wire", "http-proxy")),
  sockets: or(DEFAULTS.sockets, oneOf("direct", "public")),
  policy: (value: unknown): Policy => {
    const policy = (value ?? roundRobin()) as Policy;
    if (typeof policy.create === "function") return policy;
    throw new BalancerOptionsError(
      "policy: expected an object { name, create() }, like roundRobin() or what parsePolicy() makes of a text; " +
        "got something else.",
    );
  },
  backendHeader: or(false, orFalse(headerName)),
  onRequest: (value: unknown): BalancerOptions["onRequest"] => {
    if (value === undefined || typeof value === "function") return value as BalancerOptions["onRequest"];
    throw new BalancerOptionsError(`onRequest: expected a function, got ${typeof value}.`);
  },
  forwarded: or(DEFAULTS.forwarded, oneOf("replace", "append", "off")),
  underscores: or(DEFAULTS.underscores, oneOf("drop", "pass")),
  via: or(DEFAULTS.via, orFalse(viaName)),
  retries: or(DEFAULTS.retries, whole({ from: 0 })),
  expect: or(DEFAULTS.expect, oneOf("forward", "answer")),
  errorDetails: or(DEFAULTS.errorDetails, flag),
  whenFull: or(DEFAULTS.whenFull, oneOf("next", "wait")),
  timeouts: group(numbers(DEFAULTS.timeouts, { from: 1, infinity: true })),
  limits: group(numbers(DEFAULTS.limits, { from: 0, infinity: true })),
  health: group({
    passive: orFalse(group(numbers(DEFAULTS.passiveHealth, { from: 1, infinity: true }))),
    active: orFalse((value = false, where) => value !== false && activeHealth(value === true ? {} : value, where)),
    slowStartMs: or(DEFAULTS.slowStartMs, whole({ from: 0 })),
  }),
  tls: (value: unknown, where: string) => (value === undefined ? undefined : checkTls(value, where)),
  backendTls: group({
    ca: (value, where) => {
      if (value === undefined) return undefined;
      const ca = pem(value, where);
      // As the certificate to show it is read more strictly: for one to trust, a text without any would do.
      tryPem({ cert: ca }, `${where}: expected certificates as PEM`);
      return ca;
    },
    verify: or(true, flag),
    servername: (value, where) => {
      if (value === undefined || (typeof value === "string" && value !== "" && isIP(value) === 0)) return value;
      refuse(where, 'a host name, like "app.internal", and no address', value);
    },
  }),
} satisfies Record<keyof BalancerOptions, Check<unknown>>;

/** Options that have been checked, with the defaults filled in. */
export interface ResolvedOptions extends Omit<Checked<typeof OPTIONS>, "backends"> {
  readonly backends: readonly ResolvedBackend[];
}

export type ResolvedHealth = ResolvedOptions["health"];
export type ResolvedLimits = ResolvedOptions["limits"];
export type ResolvedBackendTls = ResolvedOptions["backendTls"];

/** Checks the options of a balancer and fills in the defaults; throws a `BalancerOptionsError`. */
export function resolveOptions(options: BalancerOptions, { leastBackends = 1 } = {}): ResolvedOptions {
  if (!Array.isArray(options?.backends) || options.backends.length < leastBackends) {
    throw new BalancerOptionsError(
      'backends: expected a list with at least one backend, like [{ url: "http://127.0.0.1:4001" }]; got none.',
    );
  }
  const checked = group(OPTIONS)(options, "");
  return { ...checked, backends: resolveBackends(checked.backends, checked.mode) };
}

function headerName(value: unknown, where: string): string {
  try {
    validateHeaderName(value as string);
    return value as string;
  } catch {
    refuse(where, 'the name of a header, like "x-backend", or false', value);
  }
}

function viaName(value: unknown, where: string): string {
  const name = checkName(value, where);
  if (/^[\w.:-]+$/.test(name)) return name;
  refuse(where, "a name of letters, digits and . : - _", name);
}

function checkTls(value: unknown, where: string): TlsOptions {
  const { cert, key } = group({ cert: pem, key: pem })(value, where);
  tryPem({ cert }, "tls.cert: expected a certificate as PEM");
  tryPem({ key }, "tls.key: expected a private key without a passphrase as PEM");
  tryPem({ cert, key }, "tls.key: expected the private key of tls.cert");
  return { cert, key };
}

function pem(value: unknown, where: string): string | Buffer {
  if (typeof value === "string" || Buffer.isBuffer(value)) return value;
  throw new BalancerOptionsError(`${where}: expected PEM as a text or a Buffer, got ${typeof value}.`);
}

/** Lets OpenSSL read PEM now: a server would throw its error, which does not say which option it means. */
function tryPem(given: Readonly<Partial<Record<"cert" | "key", string | Buffer>>>, expected: string): void {
  try {
    // An empty text is one that was not given.
    if (Object.values(given).some((text) => text.length === 0)) throw new Error("it is empty");
    createSecureContext(given);
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
  /** Host and port as `Host` has them: without the usual port of the scheme; `localhost` for a Unix socket. */
  readonly host: string;
  /** Host name or address to connect to, without brackets; `localhost` for a Unix socket. */
  readonly hostname: string;
  /** 0 for a Unix socket. */
  readonly port: number;
  /** The Unix socket to connect to in place of host and port. */
  readonly socketPath: string | undefined;
  /** What is put before the path of each request; empty for a plain origin. */
  readonly basePath: string;
}

/** Checks a list of backends. */
export function resolveBackends(backends: readonly BackendOptions[], mode: "http" | "tcp"): readonly ResolvedBackend[] {
  const resolved: ResolvedBackend[] = [];
  for (const [index, backend] of backends.entries()) {
    resolved.push(resolveBackend(backend, mode, `backends[${index}]`, resolved));
  }
  return resolved;
}

/** Checks a backend, which has to have a name of its own among `others`. */
export function resolveBackend(
  backend: BackendOptions,
  mode: "http" | "tcp",
  where: string,
  others: readonly { readonly name: string }[] = [],
): ResolvedBackend {
  refuseUnknown(backend, ["url", "name", "weight"], where);
  const { defaultName, ...place } = resolvePlace(backend.url, mode, `${where}.url`);
  const name = checkName(backend.name ?? defaultName, `${where}.name`);
  const weight = checkWeight(backend.weight ?? DEFAULTS.weight, `${where}.weight`);
  if (others.every((other) => other.name !== name)) return { name, url: backend.url, weight, ...place };
  throw new BalancerOptionsError(
    `${where}.name: expected a name of its own, got "${name}" for the second time. Give each backend a name.`,
  );
}

/**
 * The least and the greatest weight. Sums of weights then stay exact to far below the least of them, and the 32 bits that
 * hashes and seeded draws have tell the shares of any two backends apart.
 */
const WEIGHTS = { least: 0.001, greatest: 1_000_000 };

/** Checks a weight. */
export function checkWeight(weight: unknown, where: string): number {
  const { least, greatest } = WEIGHTS;
  if (typeof weight === "number" && weight >= least && weight <= greatest) return weight;
  const advice = weight === 0 ? "To give a backend nothing, leave it out." : "";
  refuse(where, `a number from ${least} to ${greatest}`, weight, advice);
}

/** Checks a grace period. */
export function checkGrace(graceMs: number): void {
  whole({ from: 0, infinity: true })(graceMs, "graceMs");
}

/** Checks a text that is to stand in a header. */
function checkName(name: unknown, where: string): string {
  try {
    if (typeof name !== "string" || name.trim() === "") throw new TypeError("not a text");
    validateHeaderValue("x-backend", name);
    return name;
  } catch {
    refuse(where, "a non-empty text that can stand in a header", name);
  }
}

type Place = Omit<ResolvedBackend, "name" | "url" | "weight"> & { readonly defaultName: string };

function resolvePlace(text: unknown, mode: "http" | "tcp", where: string): Place {
  if (typeof text === "string" && text.startsWith("unix:")) return resolveSocket(text, where);
  if (typeof text !== "string" || !URL.canParse(text)) refuse(where, 'a URL like "http://127.0.0.1:4001"', text);
  const url = new URL(text);
  const protocols = mode === "tcp" ? ["http:", "https:", "tcp:"] : ["http:", "https:"];
  if (!protocols.includes(url.protocol)) {
    const advice = url.protocol === "tcp:" ? "Use mode tcp for it." : "";
    refuse(where, `a URL of ${[...protocols.map((protocol) => `${protocol}//`), "unix:"].join(", ")}`, text, advice);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    const advice = "Leave out the user name, the password, the query and the fragment.";
    refuse(where, "an origin with an optional path", text, advice);
  }
  const usual = new Map([
    ["http:", 80],
    ["https:", 443],
  ]);
  const port = url.port === "" ? usual.get(url.protocol) : Number(url.port);
  if (port === undefined || url.hostname === "") refuse(where, "a host and a port", text);
  return {
    defaultName: url.host,
    host: url.host,
    secure: url.protocol === "https:" && mode === "http",
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    socketPath: undefined,
    basePath: url.pathname.replace(/\/+$/, ""),
  };
}

function resolveSocket(text: string, where: string): Place {
  const socketPath = text.slice("unix:".length);
  if (!socketPath.startsWith("/") || !isSocketPath(socketPath)) {
    refuse(where, '"unix:" and an absolute path of at most 107 bytes, like "unix:/run/app.sock"', text);
  }
  const host = "localhost";
  return { defaultName: socketPath, secure: false, host, hostname: host, port: 0, socketPath, basePath: "" };
}

/**
 * Whether a Unix socket can have this path. Node takes any text and goes somewhere else: Linux keeps 108 bytes, one of
 * them for the end, and cuts off what is behind them or behind a NUL.
 */
export function isSocketPath(path: unknown): boolean {
  return typeof path === "string" && path !== "" && !path.includes("\0") && Buffer.byteLength(path) <= 107;
}

/** Refuses what is no object, and names that are not known: a slip of the pen would else be obeyed in silence. */
export function refuseUnknown(given: unknown, known: readonly string[], where: string): void {
  if (typeof given !== "object" || given === null) refuse(where, "an object", given);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
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
