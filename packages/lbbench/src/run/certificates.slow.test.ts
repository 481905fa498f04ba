import { once } from "node:events";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { sweep } from "../api/sweep.js";
import type { SweepInput } from "../config/sweep-input.js";
import type { StepResult } from "../model/result.js";

/** Measures one level without warm-up. */
async function measure(input: SweepInput): Promise<StepResult> {
  const { result } = await sweep({ ...input, warmup: "0" });
  const [step] = result.steps;
  if (step === undefined) throw new Error("Expected a step");
  return step;
}

const LOADS: readonly [engine: string, load: SweepInput][] = [
  ["autocannon", { connections: 2, requests: 20 }],
  ["wire", { connections: 2, requests: 20, engine: "wire" }],
  ["wire at a rate", { rate: 20, requests: 20 }],
  ["wire over HTTP/2", { connections: 2, requests: 20, httpVersion: "2" }],
  ["grpc", { connections: 2, requests: 20 }],
];

describe("a certificate that a target was given at its start", () => {
  it.each(LOADS)("is trusted by %s", async (name, load) => {
    const backends = [name === "grpc" ? "grpc" : "single"];
    const options = { backends, tls: true };
    const step = await measure({ ...load, targets: [{ name, server: "balanced", options }] });
    expect([step.state, step.measurement?.errorCodes]).toEqual(["completed", {}]);
    expect(step.measurement?.requests.ok).toBeGreaterThan(0);
  });

  it("is trusted by a balancer that the target stands behind", async () => {
    const inner = { server: "balanced", options: { backends: 1, tls: true } };
    const options = { backends: [inner], tls: true };
    const step = await measure({
      requests: 20,
      connections: 2,
      targets: [{ name: "two", server: "balanced", options }],
    });
    expect(step).toMatchObject({ state: "completed", measurement: { requests: { sent: 20, ok: 20 } } });
  });
});

describe("a certificate that nobody vouches for", () => {
  it.each(LOADS)("fails the step of %s with what to do, and is accepted where any is", async (name, load) => {
    const server = createSecureServer({ ...LOCALHOST, allowHTTP1: true }, (_, response) => void response.end());
    onTestFinished(() => void server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const url = `${name === "grpc" ? "grpcs" : "https"}://localhost:${port}`;
    const target = { name, server: "url", options: { url } };
    const step = await measure({ ...load, targets: [target] });
    expect(step).toMatchObject({ state: "failed", error: { code: "CERTIFICATE_REFUSED" } });
    expect(step.error?.message).toMatch(/\(DEPTH_ZERO_SELF_SIGNED_CERT\)\. .*NODE_EXTRA_CA_CERTS .*--insecure/);
    expect(step.findings.map(({ code }) => code)).toEqual(["STEP_FAILED"]);
    const { measurement } = await measure({ ...load, targets: [target], insecure: true });
    expect(measurement?.connections.established).toBeGreaterThan(0);
  });
});
