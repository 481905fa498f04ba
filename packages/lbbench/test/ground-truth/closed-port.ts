import net, { type AddressInfo } from "node:net";
import { once } from "node:events";

let held: Promise<number> | undefined;

/**
 * Returns a port of the loopback at which nothing listens: the near end of a connection that stays open while this process lives,
 * so that no server gets it in the meantime.
 */
export function closedPort(): Promise<number> {
  return (held ??= holdPort());
}

async function holdPort(): Promise<number> {
  const server = net.createServer((far) => void far.unref().on("error", () => {}));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const near = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(near, "connect");
  server.unref();
  near.unref();
  return near.localPort ?? Number.NaN;
}
