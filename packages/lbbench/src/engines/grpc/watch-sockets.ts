import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { endOf, RESET } from "../sockets.js";

/** What is known of the sockets that this process connects. */
export interface SocketWatch {
  /** Bytes read and written so far, as they were on the wire: frames of HTTP/2, and with TLS what it made of them. */
  readonly bytes: () => { readonly received: number; readonly sent: number };
  /** Whether one of them is connected, whatever is spoken on it. */
  readonly isConnected: () => boolean;
  /**
   * Takes the connection on which a channel has just become ready: the server has spoken on it, and no channel has claimed it. The
   * library tells of each channel as soon as it has read what makes it ready, so there is no other. What is returned tells whether
   * the connection has ended by a reset of the other side.
   */
  readonly claim: () => (() => boolean) | undefined;
  /** Waits until all sockets are closed, and closes those that are not after half a second. */
  readonly close: () => Promise<void>;
}

/** Of Node; the gRPC library itself neither counts bytes nor shows its sockets. */
const NEW_SOCKET = "net.client.socket";
const CLOSE_GRACE_MS = 500;

/** Watches the sockets that are opened from now on. */
export function watchSockets(): SocketWatch {
  const open = new Map<Socket, Promise<void>>();
  const unclaimed = new Set<Socket>();
  const closed = { received: 0, sent: 0 };
  const add = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    unclaimed.add(socket);
    const end = new Promise<void>((resolve) => {
      socket.once("close", () => {
        open.delete(socket);
        unclaimed.delete(socket);
        closed.received += socket.bytesRead;
        closed.sent += socket.bytesWritten;
        resolve();
      });
    });
    open.set(socket, end);
  };
  subscribe(NEW_SOCKET, add);
  return {
    bytes: () => {
      const all = [...open.keys()];
      return {
        received: all.reduce((sum, { bytesRead }) => sum + bytesRead, closed.received),
        sent: all.reduce((sum, { bytesWritten }) => sum + bytesWritten, closed.sent),
      };
    },
    isConnected: () => [...open.keys()].some(({ connecting }) => !connecting),
    claim: () => {
      const socket = [...unclaimed].find(({ bytesRead }) => bytesRead > 0);
      if (socket === undefined) return undefined;
      unclaimed.delete(socket);
      let wasReset = false;
      socket.once("error", ({ code }: NodeJS.ErrnoException) => {
        wasReset ||= code === RESET.code;
      });
      socket.once("end", () => {
        wasReset ||= endOf(socket) === RESET;
      });
      return () => wasReset;
    },
    close: async () => {
      unsubscribe(NEW_SOCKET, add);
      const destroy = setTimeout(() => {
        for (const socket of open.keys()) socket.destroy();
      }, CLOSE_GRACE_MS);
      await Promise.all(open.values());
      clearTimeout(destroy);
    },
  };
}
