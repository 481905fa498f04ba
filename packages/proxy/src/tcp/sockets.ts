import { type OnReadOpts, type Server, Socket } from "node:net";

/** What a socket has inside when it is made with the option `onread`. */
interface SocketInside {
  [key: symbol]: unknown;
  readonly _handle?: { readonly useUserBuffer?: (buffer: Uint8Array) => void } | null;
}

/** Where Node keeps the option; they are the same for all sockets of a process. */
const inside = new Socket();
const symbolOf = (name: string): symbol | undefined =>
  Object.getOwnPropertySymbols(inside).find(({ description }) => description === name);
const BUFFER = symbolOf("kBuffer");
const CALLBACK = symbolOf("kBufferCb");

/**
 * Reads a socket that was accepted as one is read that was made with `onread`: into memory that is there, not into new
 * memory for each piece. Node offers this for connections that a program makes and not for those that it accepts.
 *
 * Returns false, and leaves the socket as it is, where that cannot be done: under TLS, or in a Node that keeps these
 * things elsewhere. What has been read already is left in the socket's own buffer.
 */
export function readInto(socket: Socket, onread: OnReadOpts): boolean {
  const { buffer } = onread;
  const parts = socket as unknown as SocketInside;
  const handle = parts._handle;
  if (BUFFER === undefined || CALLBACK === undefined || !(buffer instanceof Uint8Array)) return false;
  if (parts[BUFFER] !== null || typeof handle?.useUserBuffer !== "function") return false;
  parts[BUFFER] = buffer;
  parts[CALLBACK] = (size: number, into: Uint8Array) => onread.callback(size, into);
  handle.useUserBuffer(buffer);
  return true;
}

/** Ends a connection at once, with a reset where the kind of connection has one; a Unix socket is just closed. */
export function resetSocket(socket: Socket): void {
  if (socket.destroyed) return;
  try {
    // A connection that is still being made would be completed first, only to be reset. One that is being ended cannot be
    // reset, and Node would never say that it is closed.
    const isEnding = socket.writableEnded && !socket.writableFinished;
    if (socket.connecting || isEnding) socket.destroy();
    else socket.resetAndDestroy();
  } catch {
    socket.destroy();
  }
}

/**
 * Makes what resets connections of a TLS server: Node resets only plain sockets, and does not tell which one is under a
 * TLS socket, so they are found by the client's address and port.
 */
export function resetUnderTls(server: Server): (client: Socket) => void {
  const plain = new Map<string, Socket>();
  server.prependListener("connection", (socket: Socket) => {
    const peer = peerOf(socket);
    if (peer === undefined) return;
    plain.set(peer, socket);
    socket.once("close", () => plain.delete(peer));
  });
  return (client) => {
    const peer = peerOf(client);
    const under = peer === undefined ? undefined : plain.get(peer);
    if (under === undefined) client.destroy();
    else resetSocket(under);
  };
}

/** Who is at the other end; `undefined` for a Unix socket, and when the connection is closed. */
function peerOf({ remoteAddress, remotePort, localAddress }: Socket): string | undefined {
  return remotePort === undefined ? undefined : `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** The way to a backend: its connections, open and being made, until they have told that they are closed. */
export type RelayLink = Set<Socket>;

/** Makes the link of a backend, for a pool's `openLink`. */
export function openRelayLink(): RelayLink {
  return new Set();
}

/** Cuts off whatever is under way with a backend, for a pool's `closeLink`; resolves when its connections are closed. */
export async function closeRelayLink(link: RelayLink): Promise<void> {
  const closed = [...link].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
  for (const socket of link) {
    if (socket.connecting) socket.destroy(new Error("The backend has been removed."));
    else resetSocket(socket);
  }
  await Promise.all(closed);
}
