import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { startExamplePool } from "../test-support/pool-example.js";
import { startBackend } from "../test-support/servers.js";
import { exampleRequest } from "../testing/example-pool.js";

const request = exampleRequest(0);
const active = { path: "/health", intervalMs: 20, timeoutMs: 600_000, healthyAfter: 2, unhealthyAfter: 2 };

/** A backend whose status can be changed, and that tells which checks it has had. */
async function startChecked() {
  const state = { status: 200, checks: 0 };
  const server = await startBackend((_, response) => {
    state.checks += 1;
    response.writeHead(state.status).end();
  });
  return { state, ...server };
}

describe("a pool with active checks", () => {
  it("may leave out all of them, and says to come back after the next check", async () => {
    const { url, close } = await startChecked();
    const health = { active: { ...active, intervalMs: 1200, unhealthyAfter: 1 } };
    await close();
    const { pool } = startExamplePool([], { backends: [{ url }], health });
    await expectSoon(() => pool.pick(request)).toBeUndefined();
    expect(pool.retryAfterSeconds()).toBe(2);
  });

  it("checks a backend that is added, and one that is removed no more; mode tcp asks for connections", async () => {
    for (const mode of ["http", "tcp"] as const) {
      const [first, added] = await Promise.all([startChecked(), startChecked()]);
      const { pool, conditions } = startExamplePool([], {
        mode,
        backends: [{ url: first.url, name: "a" }],
        health: { active },
      });
      pool.add({ url: added.url, name: "added" });
      await expectSoon(added.connections).toBeGreaterThan(2);
      await pool.remove("added");
      await added.quiet();
      const [checks, before] = [added.connections(), first.connections()];
      await expectSoon(first.connections).toBeGreaterThan(before + 3);
      expect([added.connections(), conditions()]).toEqual([checks, ["a up"]]);
      await first.close();
      await expectSoon(conditions).toEqual(["a unhealthy"]);
    }
  });

  it("ends a check that hangs when it closes, and leaves no connection", async () => {
    const hanging: ServerResponse[] = [];
    const { url, quiet, connections } = await startBackend((_, response) => void hanging.push(response));
    const { pool, closed } = startExamplePool([], { backends: [{ url, name: "hangs" }], health: { active } });
    await expectSoon(() => hanging.length).toBe(1);
    await pool.close();
    await quiet();
    expect([connections(), closed]).toEqual([1, ["link to hangs"]]);
  });
});
