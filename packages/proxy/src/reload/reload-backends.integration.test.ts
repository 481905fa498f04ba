import { describe, expect, it } from "vitest";
import { send, keepAliveAgent } from "../test-support/client.js";
import { startBackend, startBalancer } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";
import { reloadBackends } from "./reload-backends.js";

async function startNamed(name: string) {
  const { url } = await startBackend((_, response) => response.end(name));
  return { url, name };
}

describe.each(TRANSPORTS)("reloadBackends of a balancer by %s", (transport) => {
  it("loses no request while the list is changed under load", async () => {
    const [a, b, c, movedA] = await Promise.all(["a", "b", "c", "moved a"].map(startNamed));
    if (a === undefined || b === undefined || c === undefined || movedA === undefined) throw new Error("expected four");
    const balancer = await startBalancer({ transport, backends: [a, b], retries: 0 });
    const agent = keepAliveAgent({ maxSockets: 10 });
    const statuses = new Map<number, number>();
    let stopped = false;
    const load = Array.from({ length: 10 }, async () => {
      while (!stopped) {
        const { status } = await send(balancer.url, { agent });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    const lists = [
      [a, b, c],
      [c],
      [
        { ...a, url: movedA.url },
        { ...c, weight: 3 },
      ],
      [a, b],
    ];
    for (const list of [...lists, ...lists, ...lists]) {
      await reloadBackends(balancer, list);
      expect(balancer.snapshot().backends.map(({ name, url }) => ({ name, url }))).toEqual(
        expect.arrayContaining(list.map(({ name, url }) => ({ name, url }))),
      );
      expect(balancer.snapshot().backends).toHaveLength(list.length);
      const before = statuses.get(200) ?? 0;
      await expect.poll(() => statuses.get(200) ?? 0).toBeGreaterThan(before + 20);
    }
    stopped = true;
    await Promise.all(load);
    expect([...statuses.keys()]).toEqual([200]);
  });

  it("changes nothing when the list is wrong", async () => {
    const a = await startNamed("a");
    const balancer = await startBalancer({ transport, backends: [a] });
    await expect(reloadBackends(balancer, [a, a])).rejects.toThrow(/"a" for the second time/);
    await expect(reloadBackends(balancer, [])).rejects.toThrow(/at least one backend/);
    expect((await send(balancer.url)).body).toBe("a");
  });
});
