import { request } from "node:http";
import { describe, expect, it, vi } from "vitest";
import type { BalancerSnapshot } from "../options/options.js";
import { readAnswer, send } from "../test-support/client.js";
import { errorOf, json, recordingControl, startAdmin } from "../test-support/observe-admin.js";
import { exampleBackend, exampleSnapshot } from "../test-support/observe-example.js";
import { createAdminServer } from "./admin-server.js";
import { OPEN_METRICS_CONTENT_TYPE, renderOpenMetrics } from "./open-metrics.js";

describe("reading", () => {
  it("gives the metrics, the snapshot and the health, on the loopback interface by default", async () => {
    const { url, host } = await startAdmin();
    expect(host).toBe("127.0.0.1");
    const metrics = await send(`${url}/metrics`);
    expect(metrics).toMatchObject({ status: 200, body: await renderOpenMetrics(exampleSnapshot()) });
    expect(metrics.headers["content-type"]).toBe(OPEN_METRICS_CONTENT_TYPE);
    const stats = await send(`${url}/stats?any=thing`);
    expect(stats).toMatchObject({ status: 200, headers: { ...json, "x-content-type-options": "nosniff" } });
    expect(JSON.parse(stats.body)).toEqual(exampleSnapshot());
    expect(await send(`${url}/health`)).toMatchObject({ status: 200, body: "ok" });
  });

  it("takes a snapshot that has to be waited for, and reads it anew each time", async () => {
    let connections = 0;
    const { url } = await startAdmin({ snapshot: async () => exampleSnapshot({ connections: (connections += 1) }) });
    for (const count of [1, 2]) {
      expect(JSON.parse((await send(`${url}/stats`)).body)).toMatchObject({ connections: count });
    }
  });

  it.each([
    ["up", 200],
    ["slow-start", 200],
    ["ejected", 503],
    ["unhealthy", 503],
    ["draining", 503],
  ] as const)(
    "answers the question for health, when all but one drain and that one is %s, with %s",
    async (condition, status) => {
      const backends = [exampleBackend({ condition: "draining" }), exampleBackend({ name: "b", condition })];
      const { url } = await startAdmin({ snapshot: () => exampleSnapshot({ backends }) });
      expect((await send(`${url}/health`)).status).toBe(status);
    },
  );

  it("answers HEAD with the same head and no body", async () => {
    const { url } = await startAdmin();
    const { status, headers, body } = await send(`${url}/stats`, { method: "HEAD" });
    expect({ status, body }).toEqual({ status: 200, body: "" });
    expect(headers["content-length"]).toBe(String(JSON.stringify(exampleSnapshot()).length + 1));
  });

  it.each(["/metrics", "/stats", "/health"])(
    "answers %s with 500 when there is no snapshot, and goes on",
    async (path) => {
      const snapshot = vi.fn<() => Promise<BalancerSnapshot>>().mockRejectedValueOnce(new Error("Worker 2 is gone."));
      const { url } = await startAdmin({ snapshot: snapshot.mockResolvedValue(exampleSnapshot()) });
      const failed = await send(url + path);
      expect(failed.status).toBe(500);
      expect(errorOf(failed)).toBe("Worker 2 is gone.");
      expect((await send(url + path)).status).toBe(200);
    },
  );
});

describe("paths and methods", () => {
  it.each([
    "/",
    "/metrics/",
    "/Metrics",
    "//metrics",
    "/backends/a/b",
    "/backends/",
    "/backends/a/b/drain",
    "/constructor",
  ])("answers %s with 404", async (path) => {
    const { port } = await startAdmin({ backends: recordingControl() });
    const answer = await send("http://127.0.0.1", { port, path });
    expect(answer.status).toBe(404);
    expect(errorOf(answer)).toBe(`There is nothing at "${path}".`);
  });

  it("answers a target with a host of its own with 404", async () => {
    const { port } = await startAdmin();
    expect((await send("http://127.0.0.1", { port, path: "http://127.0.0.1/stats" })).status).toBe(404);
  });

  it.each([
    ["POST", "/metrics", "GET, HEAD"],
    ["DELETE", "/stats", "GET, HEAD"],
    ["OPTIONS", "/health", "GET, HEAD"],
    ["GET", "/backends", "POST"],
    ["HEAD", "/backends/a", "DELETE"],
    ["DELETE", "/backends/a/drain", "POST"],
    ["GET", "/backends/a/restore", "POST"],
    ["POST", "/backends/a/weight", "PUT"],
  ])("answers %s %s with 405 and what is allowed", async (method, path, allow) => {
    const { url } = await startAdmin({ backends: recordingControl() });
    expect(await send(url + path, { method })).toMatchObject({ status: 405, headers: { allow } });
  });
});

describe("its life", () => {
  it("ends also with a request under way, and any number of times", async () => {
    let asked: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => (asked = resolve));
    const snapshot = async () => {
      asked();
      return new Promise<BalancerSnapshot>(() => undefined);
    };
    const server = await startAdmin({ snapshot });
    const sent = request(`${server.url}/stats`);
    const answer = readAnswer(sent).catch((error: unknown) => error);
    sent.end();
    await reached;
    await Promise.all([server.close(), server.close()]);
    expect(await answer).toMatchObject({ code: "ECONNRESET" });
    await expect(server.close()).resolves.toBeUndefined();
  });

  it("may be closed without having listened", async () => {
    await expect(createAdminServer({ snapshot: () => exampleSnapshot() }).close()).resolves.toBeUndefined();
  });

  it("says that a port is in use", async () => {
    const { port } = await startAdmin();
    const second = createAdminServer({ snapshot: () => exampleSnapshot() });
    await expect(second.listen({ port })).rejects.toMatchObject({ name: "BalancerListenError", code: "EADDRINUSE" });
    await second.close();
  });
});
