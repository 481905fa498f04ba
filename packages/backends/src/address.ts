import { BackendStartError } from "./backend-start-error.js";
import { BACKEND_DEFAULTS } from "./defaults.js";

/** Where a server is to listen. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Checks an address and fills in the defaults; throws a `BackendStartError`. */
export function resolveAddress(options: { readonly host?: string; readonly port?: number }): Address {
  const { host = BACKEND_DEFAULTS.host, port = BACKEND_DEFAULTS.port } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new BackendStartError(`port: expected a whole number from 0 to 65535 (0 takes any free port), got ${port}.`);
  }
  return { host, port };
}

/** A URL at which a client on the same machine reaches the address. */
export function urlOf({ host, port }: Address): string {
  return `http://${reachableHost(host)}:${port}`;
}

function reachableHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
