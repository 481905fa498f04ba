import { once } from "node:events";
import net, { type AddressInfo } from "node:net";

/** A port at which something listens that accepts connections and says nothing. */
export interface OccupiedPort {
  readonly port: number;
  readonly free: () => Promise<void>;
}

/** Occupies a port of the loopback. */
export async function occupyPort(): Promise<OccupiedPort> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    free: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
