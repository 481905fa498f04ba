import net from "node:net";
import { closeAll, listen, trackSockets } from "../../../test/ground-truth/ground-truth-server.js";

/** A port at which something listens that accepts connections and says nothing. */
export interface OccupiedPort {
  readonly port: number;
  readonly free: () => Promise<void>;
}

/** Occupies a port of the loopback. */
export async function occupyPort(): Promise<OccupiedPort> {
  const sockets = trackSockets();
  const server = net.createServer((socket) => sockets.add(socket.on("error", () => {})));
  const authority = await listen(server);
  return { port: Number(authority.split(":")[1]), free: () => closeAll(server, sockets) };
}
