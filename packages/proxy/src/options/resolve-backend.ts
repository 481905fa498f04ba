import { validateHeaderValue } from "node:http";
import { BalancerOptionsError } from "./balancer-options-error.js";
import { BALANCER_DEFAULTS } from "./defaults.js";
import type { BackendOptions } from "./options.js";
import { refuseUnknown, show } from "./resolve-values.js";

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
  throw new BalancerOptionsError(
    `${where}: expected a number above 0, got ${show(weight)}. To give a backend nothing, leave it out.`,
  );
}

/** Checks a text that is to stand in a header. */
export function checkName(name: unknown, where: string): void {
  try {
    if (typeof name !== "string" || name.trim() === "") throw new TypeError("not a text");
    validateHeaderValue("x-backend", name);
  } catch {
    throw new BalancerOptionsError(
      `${where}: expected a non-empty text that can stand in a header, got ${show(name)}.`,
    );
  }
}

function resolvePlace(text: unknown, mode: "http" | "tcp", where: string): Place {
  if (typeof text === "string" && text.startsWith("unix:")) return resolveSocket(text, where);
  if (typeof text !== "string" || !URL.canParse(text)) {
    throw new BalancerOptionsError(`${where}: expected a URL like "http://127.0.0.1:4001", got ${show(text)}.`);
  }
  const url = new URL(text);
  const protocols = mode === "tcp" ? ["http:", "https:", "tcp:"] : ["http:", "https:"];
  if (!protocols.includes(url.protocol)) {
    const known = [...protocols, "unix:"].map((protocol) => (protocol === "unix:" ? protocol : `${protocol}//`));
    throw new BalancerOptionsError(`${where}: expected a URL of ${known.join(", ")}; got "${text}".`);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new BalancerOptionsError(
      `${where}: expected an origin with an optional path, got "${text}". ` +
        "Leave out the user name, the password, the query and the fragment.",
    );
  }
  const port = url.port === "" ? PORTS.get(url.protocol) : Number(url.port);
  if (port === undefined || url.hostname === "") {
    throw new BalancerOptionsError(`${where}: expected a host and a port, got "${text}".`);
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
    throw new BalancerOptionsError(
      `${where}: expected "unix:" and an absolute path of at most 107 bytes, like "unix:/run/app.sock"; got "${text}".`,
    );
  }
  return { defaultName: socketPath, secure: false, hostname: "localhost", port: 0, socketPath, basePath: "" };
}
