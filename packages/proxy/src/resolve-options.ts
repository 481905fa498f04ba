import { validateHeaderName, validateHeaderValue } from "node:http";
import { BalancerOptionsError } from "./balancer-options-error.js";
import { BALANCER_DEFAULTS } from "./defaults.js";
import type { BackendOptions, BalancerOptions, RequestLogEntry } from "./options.js";
import type { Policy } from "./policies/policy.js";
import { roundRobin } from "./policies/round-robin.js";

/** A backend whose URL has been checked and taken apart. */
export interface ResolvedBackend {
  readonly name: string;
  readonly url: string;
  /** Host name or address to connect to, without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** What is put before the path of each request; empty for a plain origin. */
  readonly basePath: string;
  readonly weight: number;
}

/** Options that have been checked, with the defaults filled in. */
export interface ResolvedOptions {
  readonly backends: readonly ResolvedBackend[];
  readonly policy: Policy;
  readonly backendHeader: string | false;
  readonly onRequest: ((entry: RequestLogEntry) => void) | undefined;
}

/** Checks the options of a balancer and fills in the defaults; throws a `BalancerOptionsError`. */
export function resolveOptions(options: BalancerOptions): ResolvedOptions {
  if (!Array.isArray(options?.backends) || options.backends.length === 0) {
    throw new BalancerOptionsError(
      'backends: expected a list with at least one backend, like [{ url: "http://127.0.0.1:4001" }]; got none.',
    );
  }
  const backends = options.backends.map(resolveBackend);
  refuseDuplicates(backends);
  return {
    backends,
    policy: resolvePolicy(options.policy ?? roundRobin()),
    backendHeader: resolveHeader(options.backendHeader ?? false),
    onRequest: resolveOnRequest(options.onRequest),
  };
}

function resolveBackend(backend: BackendOptions, index: number): ResolvedBackend {
  const where = `backends[${index}].url`;
  const url = parseUrl(backend?.url, where);
  if (url.protocol !== "http:") {
    throw new BalancerOptionsError(
      `${where}: expected an http:// URL, got "${backend.url}". The balancer speaks plain HTTP to its backends.`,
    );
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new BalancerOptionsError(
      `${where}: expected an origin with an optional path, got "${backend.url}". ` +
        "Leave out the user name, the password, the query and the fragment.",
    );
  }
  const name = backend.name ?? url.host;
  checkName(name, `backends[${index}].name`);
  return {
    name,
    url: backend.url,
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? 80 : Number(url.port),
    basePath: url.pathname.replace(/\/+$/, ""),
    weight: resolveWeight(backend.weight ?? BALANCER_DEFAULTS.weight, `backends[${index}].weight`),
  };
}

function resolveWeight(weight: unknown, where: string): number {
  if (typeof weight === "number" && Number.isFinite(weight) && weight > 0) return weight;
  throw new BalancerOptionsError(
    `${where}: expected a number above 0, got ${typeof weight === "number" ? weight : JSON.stringify(weight)}. ` +
      "To give a backend nothing, leave it out.",
  );
}

function parseUrl(text: unknown, where: string): URL {
  if (typeof text === "string" && URL.canParse(text)) return new URL(text);
  throw new BalancerOptionsError(
    `${where}: expected a URL like "http://127.0.0.1:4001", got ${JSON.stringify(text) ?? String(text)}.`,
  );
}

function checkName(name: unknown, where: string): void {
  try {
    if (typeof name !== "string" || name.trim() === "") throw new TypeError("not a text");
    validateHeaderValue("x-backend", name);
  } catch {
    throw new BalancerOptionsError(
      `${where}: expected a non-empty text that can stand in a header, got ${JSON.stringify(name)}.`,
    );
  }
}

function refuseDuplicates(backends: readonly ResolvedBackend[]): void {
  const seen = new Set<string>();
  for (const [index, { name }] of backends.entries()) {
    if (seen.has(name)) {
      throw new BalancerOptionsError(
        `backends[${index}].name: expected a name of its own, got "${name}" for the second time. Give each backend a name.`,
      );
    }
    seen.add(name);
  }
}

function resolvePolicy(policy: Policy): Policy {
  if (typeof policy?.create === "function") return policy;
  throw new BalancerOptionsError(
    "policy: expected an object { name, create() }, like roundRobin() or what parsePolicy() makes of a text; " +
      "got something else.",
  );
}

function resolveHeader(header: string | false): string | false {
  if (header === false) return false;
  try {
    validateHeaderName(header);
    return header;
  } catch {
    throw new BalancerOptionsError(
      `backendHeader: expected the name of a header, like "x-backend", or false; got ${JSON.stringify(header)}.`,
    );
  }
}

function resolveOnRequest(onRequest: BalancerOptions["onRequest"]): BalancerOptions["onRequest"] {
  if (onRequest === undefined || typeof onRequest === "function") return onRequest;
  throw new BalancerOptionsError(`onRequest: expected a function, got ${typeof onRequest}.`);
}
