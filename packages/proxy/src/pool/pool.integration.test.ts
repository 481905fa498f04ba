import { describe, expect, it } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { startExamplePool } from "../test-support/pool-example.js";
import { GONE_URL, startHolding, startNamed } from "../test-support/servers.js";
import { exampleRequest } from "../testing/example-pool.js";

const active = { path: "/health", intervalMs: 20, timeoutMs: 600_000, healthyAfter: 2, unhealthyAfter: 2 };

describe("a pool with active checks", () => {
  it("may leave out all of them, and says to come back after the next check", async () => {
    const health = { active: { ...active, intervalMs: 1200, unhealthyAfter: 1 } };
    const { pool } = startExamplePool([], { backends: [{ url: GONE_URL }], health });
    await expectSoon(() => pool.pick(exampleRequest(0))).toBeUndefined();
    expect(pool.retryAfterSeconds()).toBe(2);
  });

  it("checks a backend that is added, and one that is removed no more; mode tcp asks for connections", async () => {
    for (const mode of ["http", "tcp"] as const) {
      const [first, added] = await startNamed("first", "added");
      const backends = [{ url: first.url, name: "first" }];
      const { pool, conditions } = startExamplePool([], { mode, backends, health: { active } });
      pool.add({ url: added.url, name: "added" });
      await expectSoon(added.connections).toBeGreaterThan(2);
      await pool.remove("added");
      await added.quiet();
      const [checks, before] = [added.connections(), first.connections()];
      await expectSoon(first.connections).toBeGreaterThan(before + 3);
      expect([added.connections(), conditions()]).toEqual([checks, ["first up"]]);
      await first.close();
      await expectSoon(conditions).toEqual(["first unhealthy"]);
    }
  });

  it("ends a check that hangs when it closes, and leaves no connection", async () => {
    const { url, held, quiet, connections } = await startHolding();
    const { pool, closed } = startExamplePool([], { backends: [{ url, name: "hangs" }], health: { active } });
    await expectSoon(() => held.length).toBe(1);
    await pool.close();
    await quiet();
    expect([connections(), closed]).toEqual([1, ["link to hangs"]]);
  });
});
