import type { Server, Socket } from "node:net";
import { resetSocket } from "./reset-socket.js";

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
