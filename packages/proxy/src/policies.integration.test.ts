import { describe, expect, it } from "vitest";
import { parsePolicy } from "./policies/parse-policy.js";
import type { Policy } from "./policies/policy.js";
import { send } from "./test-support/client.js";
import { startBackend, startBalancer } from "./test-support/servers.js";

async function startWeighted(policy: Policy, weights: Readonly<Record<string, number>>) {
  const backends = await Promise.all(
    Object.entries(weights).map(async ([name, weight]) => {
      const { url } = await startBackend((_, response) => response.end(name));
      return { url, name, weight };
    }),
  );
  return startBalancer({ backends, policy });
}

describe("a balancer with a policy", () => {
  it("gives its backends requests by weight", async () => {
    const { url } = await startWeighted(parsePolicy("weighted-round-robin"), { a: 5, b: 1, c: 1 });
    let bodies = "";
    for (let i = 0; i < 7; i++) bodies += (await send(url)).body;
    expect(bodies).toBe("aabacaa");
  });

  it.each([
    ["consistent-hash:header:X-User", { path: "/" }, { "X-User": "ann" }],
    ["consistent-hash:cookie:session", { path: "/" }, { cookie: "a=b; session=1" }],
    ["consistent-hash:path", { path: "/item?n=1" }, {}],
    ["ip-hash", { path: "/" }, {}],
  ])("sends what is the same for %s to the same backend", async (text, where, headers) => {
    const { url } = await startWeighted(parsePolicy(text), { a: 1, b: 1, c: 1, d: 1 });
    const bodies = new Set<string>();
    for (let i = 0; i < 6; i++) bodies.add((await send(url, { ...where, headers: { ...headers, "x-turn": i } })).body);
    expect(bodies.size).toBe(1);
  });

  it("spreads what differs", async () => {
    const { url } = await startWeighted(parsePolicy("consistent-hash:header:x-user"), { a: 1, b: 1 });
    const bodies = new Set<string>();
    for (let i = 0; i < 30; i++) bodies.add((await send(url, { headers: { "x-user": `user-${i}` } })).body);
    expect(bodies).toEqual(new Set(["a", "b"]));
  });

  it("leaves busy backends alone with least-connections", async () => {
    const waiting: (() => void)[] = [];
    const servers = await Promise.all(
      [1, 2, 3, 4].map(() => startBackend((_, response) => void waiting.push(() => response.end()))),
    );
    const { url, stats } = await startBalancer({
      backends: servers.map(({ url: at }) => ({ url: at })),
      policy: parsePolicy("least-connections"),
    });
    const sent = Array.from({ length: 8 }, () => send(url));
    await expect.poll(() => waiting.length).toBe(8);
    expect(Object.values(stats()).map(({ inFlight }) => inFlight)).toEqual([2, 2, 2, 2]);
    for (const answer of waiting) answer();
    await Promise.all(sent);
  });
});
