import { expect, it } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { exchangeIdentities, startIdentityBackend } from "../test-support/identity-load.js";
import { startBefore } from "../test-support/servers.js";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { optionsFor, WAYS_OF_SOCKETS } from "../test-support/transports.js";

it.each([
  ...WAYS_OF_SOCKETS.map((transport) => [`by ${transport}`, optionsFor(transport)] as const),
  ["over TLS", { tls: LOCALHOST }] as const,
])("four thousand answers %s go to those who asked", async (_, options) => {
  const mistakes: string[] = [];
  const backend = await startIdentityBackend(mistakes, 4);
  const balancer = await startBefore(backend, { ...options, health: { passive: false } });
  await exchangeIdentities(balancer.url, 4000, mistakes, { seed: 5, slow: 40 });
  expect(mistakes).toEqual([]);
  await expectSoon(() => balancer.snapshot().backends[0]?.inFlight).toBe(0);
});
