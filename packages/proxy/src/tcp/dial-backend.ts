import { connect, type OnReadOpts, type Socket } from "node:net";
import { startTimer } from "../start-timer.js";
import type { ResolvedBackend } from "../options/resolve-options.js";

/**
 * Opens a connection to a backend. `done` is called once, with an error when there is no connection within `connectMs`;
 * never when the socket is destroyed without an error before that. After a success the caller has to listen for errors.
 */
export function dialBackend(
  { hostname, port, socketPath }: ResolvedBackend,
  connectMs: number,
  onread: OnReadOpts,
  done: (error?: Error) => void,
): Socket {
  const place = socketPath === undefined ? { host: hostname, port, noDelay: true } : { path: socketPath };
  const socket = connect({ ...place, allowHalfOpen: true, onread });
  const stopTimer = startTimer(() => {
    socket.destroy(new Error(`there was no connection within ${connectMs} ms`));
  }, connectMs);
  socket.on("error", done);
  socket.on("close", stopTimer);
  socket.once("connect", () => {
    stopTimer();
    socket.off("close", stopTimer);
    socket.off("error", done);
    done();
  });
  return socket;
}
