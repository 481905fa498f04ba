import { once } from "node:events";
import net from "node:net";
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
