import { expect, it } from "vitest";
import { expectSoon } from "../test-support/expect-soon.js";
import { exchangeIdentities, startIdentityBackend } from "../test-support/identity-load.js";
import { startBalancer } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";

it.each(TRANSPORTS)("four thousand answers by %s go to those who asked", async (transport) => {
  const mistakes: string[] = [];
  const { url } = await startIdentityBackend(mistakes, 4);
  const { port, snapshot } = await startBalancer({
    transport,
    backends: [{ url, name: "one" }],
    health: { passive: false },
  });
  await exchangeIdentities(port, 4000, mistakes, { seed: 5, slow: 40 });
  expect(mistakes).toEqual([]);
  await expectSoon(() => snapshot().backends[0]?.inFlight).toBe(0);
});
