import net from "node:net";
import { closeAll, listen, trackSockets } from "../../testing/ground-truth/truth-server.js";

/** Listens at a port of the loopback, accepts connections and says nothing. */
export async function occupyPort() {
  const sockets = trackSockets();
  const server = net.createServer((socket) => sockets.add(socket.on("error", () => {})));
  const authority = await listen(server);
  return { port: Number(authority.split(":")[1]), free: () => closeAll(server, sockets) };
}
