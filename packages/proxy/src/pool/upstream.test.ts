import { describe, expect, it } from "vitest";
import { resolveOptions, type ResolvedBackend } from "../options/resolve-options.js";
import { Upstream } from "./upstream.js";

function example(): Upstream<string> {
  const { backends, limits } = resolveOptions({
    backends: [{ url: "http://127.0.0.1:4001", name: "a", weight: 2 }],
    limits: { connectionsPerBackend: 1 },
  });
  return new Upstream(backends[0] as ResolvedBackend, "link", limits);
}

describe("Upstream", () => {
  it("begins available, with its weight and no counts", () => {
    const upstream = example();
    expect(upstream).toMatchObject({ name: "a", weight: 2, baseWeight: 2, available: true, link: "link" });
    expect(upstream.snapshot()).toMatchObject({
      name: "a",
      url: "http://127.0.0.1:4001",
      weight: 2,
      condition: "up",
      requests: 0,
      errors: 0,
      aborted: 0,
      inFlight: 0,
      queued: 0,
      retries: 0,
      answers: { "1xx": 0, "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 },
    });
  });

  it("counts each request in one way: requests are answers, errors, aborted ones and those in flight", () => {
    const upstream = example();
    for (const isRetry of [false, false, true, true, false]) upstream.begin(isRetry);
    upstream.endAnswered(200, 3);
    upstream.endAnswered(503, 3);
    upstream.endFailed();
    upstream.endAborted();
    const { requests, errors, aborted, inFlight, retries, answers, latency } = upstream.snapshot();
    expect({ requests, errors, aborted, inFlight, retries }).toEqual({
      requests: 5,
      errors: 1,
      aborted: 1,
      inFlight: 1,
      retries: 2,
    });
    expect(answers).toEqual({ "1xx": 0, "2xx": 1, "3xx": 0, "4xx": 0, "5xx": 1 });
    expect(latency.counts.reduce((sum, count) => sum + count)).toBe(2);
  });

  it.each([
    [101, "1xx"],
    [204, "2xx"],
    [304, "3xx"],
    [499, "4xx"],
    [599, "5xx"],
  ] as const)("counts status %s among %s", (status, statusClass) => {
    const upstream = example();
    upstream.begin(false);
    upstream.endAnswered(status, 1);
    expect(upstream.snapshot().answers[statusClass]).toBe(1);
  });

  it("takes a status of no class for an answer without one", () => {
    const upstream = example();
    upstream.begin(false);
    upstream.endAnswered(999, 1);
    expect(Object.values(upstream.snapshot().answers)).toEqual([0, 0, 0, 0, 0]);
    expect(upstream.inFlight).toBe(0);
  });

  it("shows who waits, and the weight as it was given", () => {
    const upstream = example();
    upstream.weight = 0.2;
    for (const _ of ["first", "second"]) upstream.slots.take({ takeTurn: () => undefined });
    expect(upstream.snapshot()).toMatchObject({ queued: 1, weight: 2 });
  });

  it("is idle at once with nothing in flight, and else when the last request has ended", async () => {
    const upstream = example();
    await upstream.idle();
    upstream.begin(false);
    upstream.begin(false);
    let idle = 0;
    const waiting = [upstream.idle(), upstream.idle()].map((promise) => promise.then(() => (idle += 1)));
    upstream.endAborted();
    await Promise.resolve();
    expect(idle).toBe(0);
    upstream.endFailed();
    await Promise.all(waiting);
    expect(idle).toBe(2);
  });
});
