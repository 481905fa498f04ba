import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import type { ResolvedBackend, ResolvedBackendTls } from "../options/resolve-options.js";
import { latestSession, rememberSessions } from "../tls/backend-sessions.js";

/** Small pieces leave at once, and a peer that has vanished is noticed: it is asked for a sign of life when it is silent. */
export const TCP_OPTIONS = {
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: BALANCER_DEFAULTS.probeAfterMs,
};

interface ConnectOptions {
  readonly allowHalfOpen: boolean;
  readonly protocols?: readonly string[];
}

/** Backends with which a connection was made once. */
const reached = new WeakSet<ResolvedBackend>();
/** Errors which say that this machine has no way to a backend's address. */
const wayless = new WeakSet<Error>();

/**
 * Begins a connection to a backend; it is made when the socket says so: see `connectedEvent`. With `allowHalfOpen` it
 * may be written to when the backend has ended its side. `protocols` are offered to a backend under TLS (ALPN), by default HTTP/1.1. So is the
 * session that it gave last.
 */
export function connectBackend(
  backend: ResolvedBackend,
  tls: ResolvedBackendTls,
  { allowHalfOpen, protocols = ["http/1.1"] }: ConnectOptions,
): Socket {
  const { hostname, port, socketPath } = backend;
  if (socketPath !== undefined) return connectTcp({ path: socketPath, allowHalfOpen });
  const where = { host: hostname, port, allowHalfOpen, ...TCP_OPTIONS };
  if (!backend.secure) return noteReached(backend, connectTcp(where));
  const servername = tls.servername ?? (isIP(hostname) === 0 ? hostname : undefined);
  const socket = connectTls({
    ...where,
    ALPNProtocols: [...protocols],
    rejectUnauthorized: tls.verify,
    servername,
    ca: tls.ca,
    session: latestSession(backend),
  });
  rememberSessions(backend, socket);
  // Of these it takes no options.
  return noteReached(backend, socket.setNoDelay().setKeepAlive(true, TCP_OPTIONS.keepAliveInitialDelay));
}

/** The code for want of a local port is that of an address without a way to it, too, such as `[::1]` without IPv6: then it is never reached. */
function noteReached(backend: ResolvedBackend, socket: Socket): Socket {
  if (reached.has(backend)) return socket;
  socket.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EADDRNOTAVAIL" && !reached.has(backend)) wayless.add(error);
  });
  return socket.once("connect", () => reached.add(backend));
}

/** The event with which a connection to a backend is ready for use. */
export function connectedEvent(backend: ResolvedBackend): "connect" | "secureConnect" {
  return backend.secure ? "secureConnect" : "connect";
}

/** What this machine, and not the backend, is short of, by the system's code. */
export const SHORTAGES: ReadonlyMap<unknown, string> = new Map([
  ["EMFILE", "descriptors for this process (see ulimit -n)"],
  ["ENFILE", "descriptors (see sysctl fs.file-max)"],
  ["EADDRNOTAVAIL", "local ports (see sysctl net.ipv4.ip_local_port_range)"],
  ["ENOBUFS", "memory for sockets"],
]);

/** The system's code if a connection could not be made for want of something on this machine. */
export function shortageIn(error: unknown): string | undefined {
  if (!(error instanceof Error) || wayless.has(error)) return undefined;
  if (error instanceof AggregateError) {
    // One address of several that was reached, and refused, is an answer.
    const codes = error.errors.map(shortageIn);
    return codes.includes(undefined) ? undefined : codes[0];
  }
  return "code" in error && SHORTAGES.has(error.code) ? String(error.code) : undefined;
}

/** What went wrong, in words. */
export function describeError(error: unknown): string {
  // An address with several candidates fails with one error for each, and no message of its own.
  if (error instanceof AggregateError) return error.errors.map(describeError).join("; ");
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  const isUntrusted = /CERT|SIGNATURE|UNABLE_TO_/.test(code);
  return isUntrusted
    ? `${error.message} (see backendTls: which certificates to trust, and for which name)`
    : error.message;
}
