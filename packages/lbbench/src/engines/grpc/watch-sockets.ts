import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

/** A connection as the operating system has it. */
export interface Connection {
  /** Whether it has ended by a reset of the other side. */
  readonly wasReset: () => boolean;
}

/** What is known of the sockets that this process connects. */
export interface SocketWatch {
  /** Bytes read and written so far, as they were on the wire: frames of HTTP/2, and with TLS what it made of them. */
  readonly bytes: () => { readonly received: number; readonly sent: number };
  /** Whether one of them is connected, whatever is spoken on it. */
  readonly isConnected: () => boolean;
  /**
   * The connection on which a channel has just become ready: the server has spoken on it, and no channel has claimed it. The
   * library tells of each channel as soon as it has read what makes it ready, so there is no other.
   */
  readonly claim: () => Connection | undefined;
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
  let received = 0;
  let sent = 0;
  const add = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    const closed = new Promise<void>((resolve) => {
      socket.once("close", () => {
        open.delete(socket);
        unclaimed.delete(socket);
        received += socket.bytesRead;
        sent += socket.bytesWritten;
        resolve();
      });
    });
    open.set(socket, closed);
    unclaimed.add(socket);
  };
  subscribe(NEW_SOCKET, add);
  return {
    bytes: () => {
      const all = [...open.keys()];
      return {
        received: all.reduce((sum, socket) => sum + socket.bytesRead, received),
        sent: all.reduce((sum, socket) => sum + socket.bytesWritten, sent),
      };
    },
    isConnected: () => [...open.keys()].some((socket) => !socket.connecting),
    claim: () => {
      const socket = [...unclaimed].find((one) => one.bytesRead > 0);
      if (socket === undefined) return undefined;
      unclaimed.delete(socket);
      return followEnd(socket);
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

function followEnd(socket: Socket): Connection {
  let reset = false;
  socket.once("error", (error: NodeJS.ErrnoException) => {
    reset ||= error.code === "ECONNRESET";
  });
  // A reset that comes with the last bytes is told as an orderly end, but such a connection has no peer any more.
  socket.once("end", () => {
    reset ||= socket.remoteAddress === undefined;
  });
  return { wasReset: () => reset };
}
