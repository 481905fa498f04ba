import type { Socket } from "node:net";

/**
 * Whether a connection that has ended was reset. Node reports an orderly end where the reset came together with the last
 * bytes (libuv takes the hang-up for the end of the stream), but a connection that was closed still has a peer. To be
 * asked while `end` is told, and by nobody who asked for its address before.
 */
export function wasReset(socket: Socket): boolean {
  return socket.remoteAddress === undefined;
}
