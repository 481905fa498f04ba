import { createServer, type ServerResponse } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { serveChecks } from "../test-support/health-servers.js";
import { startExamplePool } from "../test-support/pool-example.js";
import { exampleRequest } from "../testing/example-pool.js";

const request = exampleRequest(0);
const active = { path: "/health", intervalMs: 20, timeoutMs: 10_000, healthyAfter: 2, unhealthyAfter: 2 };

/** A backend whose status can be changed, and that tells which checks it has had. */
async function startBackend() {
  const state = { status: 200, checks: 0 };
  const server = createServer((_, response) => {
    state.checks += 1;
    response.writeHead(state.status).end();
  });
  return { state, ...(await serveChecks(server)) };
}

describe("a pool with active checks", () => {
  it("leaves out a backend that is not well, takes it back when it is, and hands over those that wait", async () => {
    const [one, other] = await Promise.all([startBackend(), startBackend()]);
    const { pool, upstream, conditions, dismissed } = startExamplePool([], {
      backends: [one, other].map(({ port }, index) => ({ url: `http://127.0.0.1:${port}`, name: `${index}` })),
      limits: { connectionsPerBackend: 0 },
      health: { active },
    });
    expect(conditions()).toEqual(["0 up", "1 up"]);
    const waiter = { takeTurn: () => undefined };
    upstream("0").slots.take(waiter);
    one.state.status = 503;
    await vi.waitFor(() => expect(conditions()).toEqual(["0 unhealthy", "1 up"]), { timeout: 20_000 });
    expect(dismissed).toEqual([waiter]);
    expect([pool.pick(request)?.name, pool.pick(request)?.name]).toEqual(["1", "1"]);
    one.state.status = 200;
    await vi.waitFor(() => expect(conditions()).toEqual(["0 up", "1 up"]), { timeout: 20_000 });
  });

  it("may leave out all of them, and says to come back after the next check", async () => {
    const { port, close } = await startBackend();
    const { pool } = startExamplePool([], {
      backends: [{ url: `http://127.0.0.1:${port}` }],
      health: { active: { ...active, intervalMs: 1200, unhealthyAfter: 1 } },
    });
    await close();
    await vi.waitFor(() => expect(pool.pick(request)).toBeUndefined(), { timeout: 20_000 });
    expect(pool.retryAfterSeconds()).toBe(2);
  });

  it("checks a backend that is added, and one that is removed no more", async () => {
    const [first, added] = await Promise.all([startBackend(), startBackend()]);
    const { pool } = startExamplePool([], {
      backends: [{ url: `http://127.0.0.1:${first.port}` }],
      health: { active },
    });
    pool.add({ url: `http://127.0.0.1:${added.port}`, name: "added" });
    await vi.waitFor(() => expect(added.state.checks).toBeGreaterThan(2), { timeout: 20_000 });
    await pool.remove("added");
    await added.quiet();
    const { checks } = added.state;
    const before = first.state.checks;
    await vi.waitFor(() => expect(first.state.checks).toBeGreaterThan(before + 5), { timeout: 20_000 });
    expect(added.state.checks).toBe(checks);
  });

  it("ends a check that hangs when it closes, and leaves no connection", async () => {
    const hanging: ServerResponse[] = [];
    const { port, quiet, accepted } = await serveChecks(createServer((_, response) => void hanging.push(response)));
    const { pool, closed } = startExamplePool([], {
      backends: [{ url: `http://127.0.0.1:${port}`, name: "hangs" }],
      health: { active },
    });
    await vi.waitFor(() => expect(hanging).toHaveLength(1), { timeout: 20_000 });
    await pool.close();
    await quiet();
    expect([accepted(), closed]).toEqual([1, ["link to hangs"]]);
  });

  it("checks connections in mode tcp", async () => {
    const { port, close, accepted } = await startBackend();
    const { conditions } = startExamplePool([], {
      mode: "tcp",
      backends: [{ url: `tcp://127.0.0.1:${port}`, name: "a" }],
      health: { active },
    });
    await vi.waitFor(() => expect(accepted()).toBeGreaterThan(2), { timeout: 20_000 });
    expect(conditions()).toEqual(["a up"]);
    await close();
    await vi.waitFor(() => expect(conditions()).toEqual(["a unhealthy"]), { timeout: 20_000 });
  });
});
