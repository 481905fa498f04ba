import { afterAll, describe, expect, it } from "vitest";
import type { Server } from "../plugin.js";
import { serverContract } from "../testing/server-contract.js";
import { builtInServers } from "./built-in-servers.js";
import { occupyPort } from "./test-support/occupied-port.js";

// Cases are made before hooks run, and their options name this.
const occupied = await occupyPort();
afterAll(() => occupied.free());

/** The smallest of each server that needs Node alone and is not in `contract.integration.test.ts`. */
const SMALLEST: Readonly<Record<string, object>> = {
  cluster: { workers: 1 },
  pool: { pool: 1 },
  grpc: {},
  "grpc-gateway": {},
};

describe.each(Object.entries(SMALLEST))("server %s", (name, options) => {
  const contract = serverContract(builtInServers.get(name) as Server, {
    options: () => options,
    failing: [
      {
        when: "its port is in use",
        options: () => ({ ...options, port: occupied.port }),
        says: [String(occupied.port), /in use/i],
      },
    ],
  });
  it.each(contract)("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
