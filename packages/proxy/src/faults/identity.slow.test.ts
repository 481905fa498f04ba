import { expect, it } from "vitest";
import { exchangeIdentities, startIdentityBackend } from "../test-support/identity-load.js";
import { sumOf } from "../test-support/load.js";
import { startBalancerProcess } from "./test-support/processes.js";

it.each(["direct", "public"] as const)(
  "half a million answers by %s sockets go to those who asked",
  async (sockets) => {
    const mistakes: string[] = [];
    const backends = [await startIdentityBackend(mistakes, 1), await startIdentityBackend(mistakes, 2)];
    const health = { passive: false as const };
    const balancer = await startBalancerProcess({ backends: backends.map(({ url }) => ({ url })), sockets, health });
    const { answers, errors } = await exchangeIdentities(balancer.port, 500_000, mistakes, { seed: 3, slow: 1000 });
    expect(mistakes).toEqual([]);
    expect(answers).toBeGreaterThanOrEqual(500_000);
    expect(errors).toBeLessThan(answers / 100);
    await expect.poll(async () => sumOf((await balancer.snapshot()).backends, ({ inFlight }) => inFlight)).toBe(0);
    for (const { requests, errors: failed, aborted, answers: counts } of (await balancer.snapshot()).backends) {
      expect(requests).toBe(Object.values(counts).reduce((sum, one) => sum + one, failed + aborted));
    }
  },
);
