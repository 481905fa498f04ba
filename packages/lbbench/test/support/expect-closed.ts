import { expect } from "vitest";
import { acceptsConnections } from "../../src/testing/contract.js";

/** Expects that nothing accepts connections at any of the ports of the loopback. */
export async function expectClosed(ports: readonly number[]): Promise<void> {
  const accepting = await Promise.all(ports.map((port) => acceptsConnections(`http://127.0.0.1:${port}`)));
  const open = ports.filter((_, index) => accepting[index]);
  expect(open, "ports left open").toEqual([]);
}
