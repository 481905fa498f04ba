import type { Socket } from "node:net";
import type { buildConnector } from "undici";
import type { ResolvedBackend, ResolvedBackendTls } from "../../options/resolve-options.js";
import { connectBackend, connectedEvent } from "../connect-backend.js";
import { createDirectReader } from "./read-directly.js";

/**
 * How undici connects to a backend: always to this one, by its own name. (Left to itself it would ask for, and check, a
 * certificate of the name in the client's `Host`.)
 */
export function createConnector(backend: ResolvedBackend, tls: ResolvedBackendTls): buildConnector.connector {
  return (_options, callback) => {
    const reader = backend.secure ? undefined : createDirectReader();
    const socket = connectBackend(backend, tls, reader?.onread);
    reader?.join(socket);
    const onError = (error: Error): void => callback(asOrdinary(error), null);
    socket.once("error", onError);
    socket.once(connectedEvent(backend), () => {
      socket.off("error", onError);
      neverUnref(socket);
      callback(null, socket);
    });
    return socket;
  };
}

/**
 * A certificate of another name is for undici an error of those requests only that ask for that name in their Host, and
 * the others would wait. Here it is one of the connection, as every other.
 */
function asOrdinary(error: Error): Error {
  if (!("code" in error) || error.code !== "ERR_TLS_CERT_ALTNAME_INVALID") return error;
  return Object.assign(new Error(error.message, { cause: error }), { code: "CERT_OF_ANOTHER_NAME" });
}

/**
 * undici unrefs a connection that is idle and refs it when it is used, twice for each request. Whether the process may
 * end is for the listening socket to say here, and `close` ends all connections.
 */
function neverUnref(socket: Socket): void {
  const same = (): Socket => socket;
  socket.ref = same;
  socket.unref = same;
}
