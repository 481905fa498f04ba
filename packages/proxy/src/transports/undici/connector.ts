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
    const onError = (error: Error): void => callback(error, null);
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
 * undici unrefs a connection that is idle and refs it when it is used, twice for each request. Whether the process may
 * end is for the listening socket to say here, and `close` ends all connections.
 */
function neverUnref(socket: Socket): void {
  const same = (): Socket => socket;
  socket.ref = same;
  socket.unref = same;
}
