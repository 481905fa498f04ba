import { once } from "node:events";
import net from "node:net";
import { DEFAULTS } from "../config/defaults.js";

/** A port at which nothing listens, kept from others of this process until it is released. */
export interface FreePort {
  readonly port: number;
  readonly release: () => void;
}

const taken = new Set<number>();

/** Finds a free port for a program that cannot choose one by itself. */
export async function findFreePort(): Promise<FreePort> {
  const probe = net.createServer().listen(0, DEFAULTS.host);
  await once(probe, "listening");
  const { port } = probe.address() as net.AddressInfo;
  const isOurs = !taken.has(port);
  taken.add(port);
  probe.close();
  await once(probe, "close");
  return isOurs ? { port, release: () => void taken.delete(port) } : findFreePort();
}
