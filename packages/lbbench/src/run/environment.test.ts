import { cpus } from "node:os";
import { expect, it } from "vitest";
import { captureEnvironment } from "./environment.js";

it.runIf(process.platform === "linux")(
  "the environment has the machine, its limits and the settings of its network",
  async () => {
    const { fdLimit, portRange, network, ...machine } = await captureEnvironment();
    const [cpuModel, number] = [expect.stringMatching(/./), expect.any(Number)];
    expect(machine).toMatchObject({ cores: cpus().length, node: process.version, cpuModel, loadAverage: number });
    expect(machine.memoryBytes).toBeGreaterThan(0);
    expect(fdLimit === null || fdLimit > 0).toBe(true);
    const [first, last] = portRange ?? [0, 0];
    expect(last).toBeGreaterThan(first);
    expect(network?.ephemeralPorts).toBeLessThanOrEqual(last - first + 1);
    expect(network?.somaxconn).toBeGreaterThan(0);
    expect([0, 1, 2]).toContain(network?.tcpTwReuse);
  },
);
