import type { Server } from "node:http";

/** How often connections that have become idle are looked for while a server stops, in ms. */
const IDLE_CHECK_MS = 20;

/**
 * Stops accepting, lets requests in flight finish for a grace period, then ends the rest; resolves when no connection
 * is left.
 */
export async function stopServer(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const idleCheck = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const end = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(idleCheck);
  clearTimeout(end);
}
