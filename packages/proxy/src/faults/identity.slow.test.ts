import { expect, it } from "vitest";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { exchangeIdentities, startIdentityBackend } from "../test-support/identity-load.js";
import { sumOf } from "../test-support/load.js";
import { startBalancerProcess } from "./test-support/processes.js";

/** In texts, which can be sent to a process. */
const TLS = { cert: String(LOCALHOST.cert), key: String(LOCALHOST.key) };

/** For two cores that others use as well. */
const MOST_MS = 600_000;

it.each([
  ["by direct sockets", 500_000, {}],
  ["by public sockets", 500_000, { sockets: "public" }],
  ["over TLS", 200_000, { tls: TLS }],
] as const)("answers %s go to those who asked: %i of them", { timeout: MOST_MS }, async (_, count, options) => {
  const mistakes: string[] = [];
  const backends = [await startIdentityBackend(mistakes, 1), await startIdentityBackend(mistakes, 2)];
  const health = { passive: false as const };
  const balancer = await startBalancerProcess({ backends: backends.map(({ url }) => ({ url })), ...options, health });
  const { answers, errors } = await exchangeIdentities(balancer.url, count, mistakes, { seed: 3, slow: 1000 });
  expect(mistakes).toEqual([]);
  expect(answers).toBeGreaterThanOrEqual(count);
  expect(errors).toBeLessThan(answers / 100);
  await expect.poll(async () => sumOf((await balancer.snapshot()).backends, ({ inFlight }) => inFlight)).toBe(0);
  for (const { requests, errors: failed, aborted, answers: counts } of (await balancer.snapshot()).backends) {
    expect(requests).toBe(Object.values(counts).reduce((sum, one) => sum + one, failed + aborted));
  }
});
