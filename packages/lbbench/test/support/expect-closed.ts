import { once } from "node:events";
import net from "node:net";
import { expect } from "vitest";

/** Expects that nothing accepts connections at any of the ports of the loopback. */
export async function expectClosed(ports: readonly number[]): Promise<void> {
  const open = await Promise.all(ports.map(async (port) => ((await accepts(port)) ? [port] : [])));
  expect(open.flat(), "ports left open").toEqual([]);
}

async function accepts(port: number): Promise<boolean> {
  const socket = net.connect({ host: "127.0.0.1", port });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
