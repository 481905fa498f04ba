import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ResolvedBackend, ResolvedBackendTls } from "../options/resolve-options.js";

/** Begins a connection to a backend; it is made when the socket says so: see `connectedEvent`. */
export function connectBackend(backend: ResolvedBackend, tls: ResolvedBackendTls): Socket {
  const { hostname, port, socketPath } = backend;
  if (socketPath !== undefined) return connectTcp({ path: socketPath });
  const where = { host: hostname, port, noDelay: true };
  if (!backend.secure) return connectTcp(where);
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
