/** Whether and where something listens. */
import { once } from "node:events";
import net from "node:net";
import { DEFAULTS } from "../config/defaults.js";
import { addressOf } from "../stats/url-address.js";

const CONNECT_LIMIT_MS = 5000;

/**
 * Resolves when a URL's address accepts a connection, which is closed at once. Rejects with the system's error, with
 * one that says how long nothing happened (5 s), or with the reason of an aborted signal.
 */
export async function connectOnce(url: URL, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const socket = net.connect({ ...addressOf(url) });
  const limit = AbortSignal.timeout(CONNECT_LIMIT_MS);
  try {
    await once(socket, "connect", { signal: AbortSignal.any([signal, limit]) });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (limit.aborted) throw new Error(`no connection within ${CONNECT_LIMIT_MS / 1000} s`, { cause: error });
    throw error;
  } finally {
    socket.destroy();
  }
}

/** Whether a URL's address accepts a connection. */
export async function isListening(url: URL, signal: AbortSignal): Promise<boolean> {
  return connectOnce(url, signal).then(
    () => true,
    () => false,
  );
}

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
