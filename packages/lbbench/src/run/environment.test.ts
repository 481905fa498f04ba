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
});
