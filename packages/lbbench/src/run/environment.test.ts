import { cpus } from "node:os";
import { describe, expect, it } from "vitest";
import { captureEnvironment } from "./environment.js";

describe("captureEnvironment", () => {
  it("describes the machine", async () => {
    const environment = await captureEnvironment();
    expect(environment).toMatchObject({ cores: cpus().length, node: process.version });
    expect(environment.cpuModel).not.toBe("");
    expect(environment.memoryBytes).toBeGreaterThan(0);
    expect(environment.loadAverage).toBeGreaterThanOrEqual(0);
  });

  it.runIf(process.platform === "linux")("has the limits that the system tells", async () => {
    const { fdLimit, portRange } = await captureEnvironment();
    expect(fdLimit === null || fdLimit > 0).toBe(true);
    expect(portRange?.[0]).toBeGreaterThan(0);
    expect(portRange?.[1]).toBeGreaterThan(portRange?.[0] ?? Infinity);
  });

  it.runIf(process.platform === "linux")("has the settings of the network", async () => {
    const { network, portRange } = await captureEnvironment();
    expect(network?.ephemeralPorts).toBeGreaterThan(0);
    expect(network?.ephemeralPorts).toBeLessThanOrEqual((portRange?.[1] ?? 0) - (portRange?.[0] ?? 0) + 1);
    expect(network?.somaxconn).toBeGreaterThan(0);
    expect([0, 1, 2]).toContain(network?.tcpTwReuse);
  });
});
