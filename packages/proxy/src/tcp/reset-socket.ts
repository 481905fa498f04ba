import type { Socket } from "node:net";

/** Ends a connection at once, with a reset where the kind of connection has one; a Unix socket is just closed. */
export function resetSocket(socket: Socket): void {
  if (socket.destroyed) return;
  try {
    // A connection that is still being made would be completed first, only to be reset.
    if (socket.connecting) socket.destroy();
    else socket.resetAndDestroy();
  } catch {
    socket.destroy();
  }
}
