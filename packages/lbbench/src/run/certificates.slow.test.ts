import { describe, expect, it } from "vitest";
import { sweep } from "../api/sweep.js";
import type { SweepInput } from "../config/sweep-input.js";

/** Measures one level of a balancer, over backends, that speaks TLS with a certificate of its own. */
async function measure(backends: readonly unknown[], load: SweepInput) {
  const targets = [{ name: "secure", server: "balanced", options: { backends, tls: true } }];
  const { result } = await sweep({ connections: 2, requests: 20, warmup: "0", ...load, targets });
  return result.steps[0];
}

describe("a certificate that a target was given at its start", () => {
  it.each<[engine: string, backend: string, load: SweepInput]>([
    ["autocannon", "single", {}],
    ["wire", "single", { engine: "wire" }],
    ["wire at a rate", "single", { connections: undefined, rate: 20 }],
    ["wire over HTTP/2", "single", { httpVersion: "2" }],
    ["grpc", "grpc", {}],
  ])("is trusted by %s", async (_, backend, load) => {
    const step = await measure([backend], load);
    expect([step?.state, step?.measurement?.errorCodes]).toEqual(["completed", {}]);
    expect(step?.measurement?.requests.ok).toBeGreaterThan(0);
  });

  it("is trusted by a balancer that the target stands behind", async () => {
    const step = await measure([{ server: "balanced", options: { backends: 1, tls: true } }], {});
    expect(step).toMatchObject({ state: "completed", measurement: { requests: { sent: 20, ok: 20 } } });
  });
});
