import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ResolvedBackend, ResolvedBackendTls } from "../options/resolve-options.js";

/**
 * Begins a connection to a backend; it is made when the socket says so: see `connectedEvent`. `onread` is how it is read
 * if not by a stream's own means; TLS is always read by those.
 */
export function connectBackend(backend: ResolvedBackend, tls: ResolvedBackendTls, onread?: OnReadOpts): Socket {
  const { hostname, port, socketPath } = backend;
  const reading = onread === undefined ? {} : { onread };
  if (socketPath !== undefined) return connectTcp({ path: socketPath, ...reading });
  const where = { host: hostname, port, noDelay: true };
  if (!backend.secure) return connectTcp({ ...where, ...reading });
  const servername = tls.servername ?? (isIP(hostname) === 0 ? hostname : undefined);
  return connectTls({
    ...where,
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: tls.verify,
    ...(servername === undefined ? {} : { servername }),
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
  });
}

/** The event with which a connection to a backend is ready for use. */
export function connectedEvent(backend: ResolvedBackend): "connect" | "secureConnect" {
  return backend.secure ? "secureConnect" : "connect";
}
