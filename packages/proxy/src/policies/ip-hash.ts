import { createHighestScore } from "./highest-score.js";
import type { Policy, PolicyRequest } from "./policy.js";

/**
 * A policy that sends the requests of one client address to the same backend, as long as it is available; shares are by
 * weight over many addresses. The address is that of the connection, all of it, never what a header claims.
 * Connections without an address (Unix sockets) are shared by `weighted-round-robin`.
 */
export function ipHash(): Policy {
  return { name: "ip-hash", create: () => createHighestScore(clientAddress) };
}

function clientAddress({ socket }: PolicyRequest): string | undefined {
  const address = socket.remoteAddress;
  // How a server that listens on :: sees a client that came by IPv4.
  return address?.startsWith("::ffff:") === true && address.includes(".") ? address.slice("::ffff:".length) : address;
}
