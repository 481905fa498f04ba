import { isIP } from "node:net";
import { createSecureContext } from "node:tls";
import { BalancerOptionsError } from "./balancer-options-error.js";
import { checkName, resolveBackends, type ResolvedBackend } from "./resolve-backend.js";
import { BALANCER_DEFAULTS } from "./defaults.js";
import type { BalancerOptions, TlsOptions } from "./options.js";
import {
  resolveFlag,
  resolveHeader,
  resolveNumber,
  resolveNumbers,
  resolveWord,
  refuseUnknown,
} from "./resolve-values.js";
import type { Policy } from "../policies/policy.js";
import { roundRobin } from "../policies/round-robin.js";

export type { ResolvedBackend } from "./resolve-backend.js";

type Numbers<Defaults> = { readonly [Name in keyof Defaults]: number };
export type ResolvedTimeouts = Numbers<typeof BALANCER_DEFAULTS.timeouts>;
export type ResolvedLimits = Numbers<typeof BALANCER_DEFAULTS.limits>;
export type ResolvedPassiveHealth = Numbers<typeof BALANCER_DEFAULTS.passiveHealth>;
export type ResolvedActiveHealth = Numbers<Omit<typeof BALANCER_DEFAULTS.activeHealth, "path">> & {
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
  readonly transport: "undici" | "http-proxy";
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
    transport: resolveWord(options.transport ?? BALANCER_DEFAULTS.transport, ["undici", "http-proxy"], "transport"),
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
    throw new BalancerOptionsError(`health.active.path: expected a path like "/health", got ${JSON.stringify(path)}.`);
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
    throw new BalancerOptionsError(
      `backendTls.servername: expected a host name, like "app.internal", and no address; got ${JSON.stringify(servername)}.`,
    );
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
