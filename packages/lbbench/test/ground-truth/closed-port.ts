import net, { type AddressInfo } from "node:net";
import { once } from "node:events";

/** Returns a port of the loopback at which nothing listens: it was free a moment ago. */
export async function closedPort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
