import type { Socket } from "node:net";
import { resetSocket } from "./reset-socket.js";

/** The way to a backend: its connections, open and being made, until they have told that they are closed. */
export type RelayLink = Set<Socket>;

/** Makes the link of a backend, for a pool's `openLink`. */
export function openRelayLink(): RelayLink {
  return new Set();
}

/** Cuts off whatever is under way with a backend, for a pool's `closeLink`; resolves when its connections are closed. */
export async function closeRelayLink(link: RelayLink): Promise<void> {
  const closed = [...link].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
  for (const socket of link) {
    if (socket.connecting) socket.destroy(new Error("The backend has been removed."));
    else resetSocket(socket);
  }
  await Promise.all(closed);
}
