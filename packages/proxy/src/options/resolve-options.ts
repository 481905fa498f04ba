import { roundRobin } from "../policies/in-turn.js";
import type { Policy } from "../policies/policy.js";
import { type BackendOptions, type BalancerOptions, BalancerOptionsError, type TlsOptions } from "./options.js";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { isIP } from "node:net";
import * as z from "zod";
import { check, limit, objectOf, oneOf, refuse, whole } from "./check.js";
import { BALANCER_CHOICES as CHOICES, BALANCER_DEFAULTS as DEFAULTS } from "./defaults.js";
import { pem, resolveTls, type ResolvedTls, tryPem } from "./resolve-tls.js";

/** A text that `holds` accepts. Node checks what stands in headers, and says so by throwing. */
function textThat(expected: string, holds: (text: string) => unknown) {
  return z.string(expected).refine((text) => {
    try {
      return holds(text) !== false;
    } catch {
      return false;
    }
  }, expected);
}

const off = z.literal(false);
const share = z.number("a number from 0 to 1").min(0, "a number from 0 to 1").max(1, "a number from 0 to 1");
const headerName = textThat('the name of a header, like "x-backend", or false', validateHeaderName);
/** What stands in headers: names of backends, and that of the balancer. */
const name = textThat("a non-empty text that can stand in a header", (text) => {
  validateHeaderValue("x-backend", text);
  return text.trim() !== "";
});
const viaName = name.refine((text) => /^[\w.:-]+$/.test(text), "a name of letters, digits and . : - _");

/** Numbers that each have a default. */
function numbers<Name extends string>(defaults: Readonly<Record<Name, number>>, schema: z.ZodType<number>) {
  const rows = Object.entries<number>(defaults).map(([key, usual]) => [key, schema.default(usual)]);
  return Object.fromEntries(rows) as { readonly [One in Name]: z.ZodDefault<z.ZodType<number>> };
}

/** An object of options, or `true` for all as they are by default; off without it. */
function orTrue<Options extends z.ZodType>(options: Options) {
  const schema = z.union([off, options], "an object, true or false");
  return z.preprocess((given) => (given === true ? {} : given), schema).default(false);
}

const { path: checkedPath, grpc: checkedService, ...activeNumbers } = DEFAULTS.activeHealth;
const passiveHealth = objectOf(numbers(DEFAULTS.passiveHealth, limit(1)));
const outliers = objectOf({
  windowMs: whole(1).default(DEFAULTS.outliers.windowMs),
  leastRequests: whole(1).default(DEFAULTS.outliers.leastRequests),
  errorShare: share.default(DEFAULTS.outliers.errorShare),
  serverErrors: z.boolean("true or false").default(DEFAULTS.outliers.serverErrors),
  slowFactor: z
    .custom<number>((factor) => typeof factor === "number" && factor > 1, "a number above 1, or Infinity")
    .default(DEFAULTS.outliers.slowFactor),
  slowMs: whole(0).default(DEFAULTS.outliers.slowMs),
  mostEjected: share.default(DEFAULTS.outliers.mostEjected),
  ejectMs: limit(1).default(DEFAULTS.outliers.ejectMs),
  maxEjectMs: limit(1).default(DEFAULTS.outliers.maxEjectMs),
});
const activeHealth = objectOf({
  path: textThat('a path like "/health"', (path) => /^\/[\u0021-\u007e]*$/.test(path)).default(checkedPath),
  grpc: z
    .union(
      [off, textThat("", (service) => /^[\w./-]{0,127}$/.test(service))],
      'the name of a gRPC service in at most 127 characters, "" or false',
    )
    .default(checkedService),
  ...numbers(activeNumbers, whole(1)),
});

/** Every option there is: its default and what it may be. */
const OPTIONS = {
  backends: z.custom<readonly BackendOptions[]>(),
  mode: oneOf(CHOICES.mode).default(DEFAULTS.mode),
  transport: oneOf(CHOICES.transport).default(DEFAULTS.transport),
  sockets: oneOf(CHOICES.sockets).default(DEFAULTS.sockets),
  policy: z
    .custom<Policy>(
      (policy) => typeof (policy as Partial<Policy> | null)?.create === "function",
      "an object { name, create() }, like roundRobin() or what parsePolicy() makes of a text",
    )
    .default(roundRobin),
  backendHeader: z.union([off, headerName], 'the name of a header, like "x-backend", or false').default(false),
  serverTiming: z.boolean("true or false").default(DEFAULTS.serverTiming),
  onRequest: z
    .custom<NonNullable<BalancerOptions["onRequest"]>>((value) => typeof value === "function", "a function")
    .optional(),
  forwarded: oneOf(CHOICES.forwarded).default(DEFAULTS.forwarded),
  underscores: oneOf(CHOICES.underscores).default(DEFAULTS.underscores),
  via: z.union([off, viaName], "a name of letters, digits and . : - _, or false").default(DEFAULTS.via),
  retries: whole(0).default(DEFAULTS.retries),
  expect: oneOf(CHOICES.expect).default(DEFAULTS.expect),
  errorDetails: z.boolean("true or false").default(DEFAULTS.errorDetails),
  whenFull: oneOf(CHOICES.whenFull).default(DEFAULTS.whenFull),
  timeouts: objectOf(numbers(DEFAULTS.timeouts, limit(1))).prefault({}),
  limits: objectOf(numbers(DEFAULTS.limits, limit(0))).prefault({}),
  health: objectOf({
    passive: z.union([off, passiveHealth], "an object or false").prefault({}),
    active: orTrue(activeHealth),
    outliers: orTrue(outliers),
    slowStartMs: whole(0).default(DEFAULTS.slowStartMs),
  }).prefault({}),
  tls: z.custom<TlsOptions>().optional(),
  backendTls: objectOf({
    // As the certificate to show it is read more strictly: for one to trust, a text without any would do.
    ca: pem
      .refine((cert) => {
        tryPem({ cert }, "backendTls.ca: expected certificates as PEM");
        return true;
      })
      .optional(),
    verify: z.boolean("true or false").default(true),
    servername: textThat(
      'a host name, like "app.internal", and no address',
      (host) => host !== "" && isIP(host) === 0,
    ).optional(),
  }).prefault({}),
} satisfies Record<keyof BalancerOptions, z.ZodType>;
const optionsSchema = objectOf(OPTIONS);

/** Options that have been checked, with the defaults filled in. */
export interface ResolvedOptions extends Omit<z.output<typeof optionsSchema>, "backends" | "tls"> {
  readonly backends: readonly ResolvedBackend[];
  readonly tls: ResolvedTls | undefined;
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
  const checked = check(optionsSchema, options, "");
  const { ca, servername, verify } = checked.backendTls;
  if (checked.mode === "tcp" && (ca !== undefined || servername !== undefined || !verify)) {
    refuse(
      "backendTls",
      "none in mode tcp, which passes on what a client says to the backend, TLS as well",
      options.backendTls,
    );
  }
  const backends = resolveBackends(checked.backends, checked);
  return { ...checked, backends, tls: checked.tls && resolveTls(checked.tls) };
}

/** A backend whose URL has been checked and taken apart. */
export interface ResolvedBackend {
  readonly name: string;
  readonly url: string;
  readonly weight: number;
  /** Whether TLS is spoken with it. */
  readonly secure: boolean;
  /** Which HTTP is spoken with it: 1.1, 2 without having asked, or what it chooses as TLS begins (ALPN). */
  readonly http: "1.1" | "2" | "chosen";
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

/** What speaks to backends, and how it checks them: it says which URLs they may have. */
export interface Speaker extends Pick<ResolvedOptions, "mode" | "transport"> {
  readonly health: Pick<ResolvedHealth, "active">;
}

/** Checks a list of backends. */
export function resolveBackends(backends: readonly BackendOptions[], speaker: Speaker): readonly ResolvedBackend[] {
  const resolved: ResolvedBackend[] = [];
  for (const [index, backend] of backends.entries()) {
    resolved.push(resolveBackend(backend, speaker, `backends[${index}]`, resolved));
  }
  return resolved;
}

/** A backend; its URL and weight are looked at more closely. */
const BACKEND = objectOf({ url: z.unknown().optional(), name: name.optional(), weight: z.unknown().optional() });

/** Checks a backend, which has to have a name of its own among `others`. */
export function resolveBackend(
  backend: BackendOptions,
  speaker: Speaker,
  where: string,
  others: readonly { readonly name: string }[] = [],
): ResolvedBackend {
  const { url, ...given } = check(BACKEND, backend, where);
  const { defaultName, ...place } = resolvePlace(url, speaker, `${where}.url`);
  const { active } = speaker.health;
  if (active !== false && active.grpc !== false && place.http === "1.1") {
    refuse("health.active.grpc", "backends of h2c:// or https://, by which gRPC is spoken", url);
  }
  const weight = checkWeight(given.weight ?? DEFAULTS.weight, `${where}.weight`);
  const ownName = given.name ?? check(name, defaultName, `${where}.name`);
  if (others.every((other) => other.name !== ownName)) return { name: ownName, url: backend.url, weight, ...place };
  throw new BalancerOptionsError(
    `${where}.name: expected a name of its own, got "${ownName}" for the second time. Give each backend a name.`,
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
  check(limit(0), graceMs, "graceMs");
}

type Place = Omit<ResolvedBackend, "name" | "url" | "weight"> & { readonly defaultName: string };

function resolvePlace(text: unknown, { mode, transport }: Speaker, where: string): Place {
  if (typeof text === "string" && text.startsWith("unix:")) return resolveSocket(text, where);
  if (typeof text !== "string" || !URL.canParse(text)) refuse(where, 'a URL like "http://127.0.0.1:4001"', text);
  const { protocol } = new URL(text);
  const protocols = ["http:", "h2c:", "https:", ...(mode === "tcp" ? ["tcp:"] : [])];
  if (!protocols.includes(protocol)) {
    const advice = protocol === "tcp:" ? "Use mode tcp for it." : "";
    refuse(where, `a URL of ${[...protocols.map((one) => `${one}//`), "unix:"].join(", ")}`, text, advice);
  }
  if (protocol === "h2c:" && mode === "http" && transport === "http-proxy") {
    const advice = "The transport http-proxy speaks HTTP/1.1 alone. Use the transport wire for HTTP/2.";
    refuse(where, "a URL of http:// or https://", text, advice);
  }
  // URLs of schemes that are not on the web's list are read by other rules: their hosts may be anything.
  const url = new URL(protocol === "h2c:" ? text.replace(/^\s*h2c:/i, "http:") : text);
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
  const isSecure = protocol === "https:" && mode === "http";
  return {
    defaultName: url.host,
    host: url.host,
    secure: isSecure,
    http: protocol === "h2c:" ? "2" : isSecure && transport === "wire" ? "chosen" : "1.1",
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
  return {
    defaultName: socketPath,
    secure: false,
    http: "1.1",
    host,
    hostname: host,
    port: 0,
    socketPath,
    basePath: "",
  };
}

/**
 * Whether a Unix socket can have this path. Node takes any text and goes somewhere else: Linux keeps 108 bytes, one of
 * them for the end, and cuts off what is behind them or behind a NUL.
 */
export function isSocketPath(path: unknown): boolean {
  return typeof path === "string" && path !== "" && !path.includes("\0") && Buffer.byteLength(path) <= 107;
}
