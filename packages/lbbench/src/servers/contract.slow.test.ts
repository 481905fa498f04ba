import { afterAll, describe, expect, it } from "vitest";
import type { Server } from "../plugin.js";
import { type FailingStart, serverContract, type ServerContractSubject } from "../testing/server-contract.js";
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
  websocket: {},
  balanced: { backends: 1 },
};

const FAILING: Readonly<Record<string, readonly FailingStart[]>> = {
  balanced: [
    {
      when: "what is to stand behind it cannot be started",
      options: () => ({
        backends: ["single", { name: "second", server: "single", options: { port: occupied.port } }],
      }),
      says: ["second", /in use/i],
    },
  ],
};

describe.each(Object.entries(SMALLEST))("server %s", (name, options) => {
  const portInUse: FailingStart = {
    when: "its port is in use",
    options: () => ({ ...options, port: occupied.port }),
    says: [String(occupied.port), /in use/i],
  };
  const subject: ServerContractSubject = { options: () => options, failing: [portInUse, ...(FAILING[name] ?? [])] };
  it.each(serverContract(builtInServers.get(name) as Server, subject))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
