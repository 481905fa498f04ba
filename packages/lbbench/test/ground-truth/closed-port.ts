import net, { type AddressInfo } from "node:net";
import { once } from "node:events";

let held: Promise<number> | undefined;
let acceptor: Promise<number> | undefined;

/**
 * Returns a port of the loopback at which nothing listens: the near end of a connection that stays open while this process lives,
 * so that no server gets it in the meantime.
 */
export function closedPort(): Promise<number> {
  return (held ??= holdPort());
}

/**
 * Keeps a port of the loopback, one that was closed a moment ago or any, from being given to another server while this process
 * lives: who goes on connecting to it would disturb that one. Connections to the port are refused.
 */
export async function holdPort(port?: number): Promise<number> {
  const near = net.connect({
    host: "127.0.0.1",
    port: await (acceptor ??= listenForHolders()),
    localAddress: "127.0.0.1",
    ...(port === undefined ? {} : { localPort: port }),
  });
  await once(near, "connect");
  near.unref();
  return near.localPort ?? Number.NaN;
}

async function listenForHolders(): Promise<number> {
  const server = net.createServer((far) => void far.unref().on("error", () => {}));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  return (server.address() as AddressInfo).port;
}
