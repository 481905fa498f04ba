import { once } from "node:events";
import type { Agent } from "node:http";

/** Ends every connection of an agent; resolves when they are closed. */
export async function destroyAgent(agent: Agent): Promise<void> {
  const sockets = [...Object.values(agent.sockets), ...Object.values(agent.freeSockets)].flatMap((list) => list ?? []);
  const closed = sockets.filter((socket) => !socket.closed).map((socket) => once(socket, "close"));
  agent.destroy();
  await Promise.all(closed);
}
