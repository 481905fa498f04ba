import { expect, it, vi } from "vitest";
import { NETWORK } from "../test-support/fixtures.js";
import { startPressureSampler } from "./ports.js";

/** What the kernel prints, by path, and how often all sockets were visited for it. */
const kernel = vi.hoisted(() => ({ files: new Map<string, string>(), visits: 0 }));

vi.mock(import("./proc.js"), async (original) => ({
  ...(await original()),
  readProcFile: (path) => kernel.files.get(path) ?? "",
  readText: async (path) => {
    kernel.visits += path === "/proc/net/tcp" ? 1 : 0;
    return kernel.files.get(path) ?? "";
  },
}));

const TAKEN = 300;
const OPENED_BY_STEP = 200;
const ROW = "   0: 0100007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100\n";

it("visits all sockets, of which most rest and are free, only when enough connections were opened since to matter", async () => {
  kernel.files.set("/proc/net/sockstat", "TCP: inuse 5 orphan 0 tw 25000 alloc 5 mem 0\n");
  kernel.files.set("/proc/net/tcp", ROW.repeat(TAKEN));
  const step = async (opened: number | undefined) => {
    const counts = opened === undefined ? "" : `Tcp: RtoMin\nTcp: 1 200 120000 -1 ${opened} 77 0\n`;
    kernel.files.set("/proc/net/snmp", counts);
    return startPressureSampler([], 8080, { ...NETWORK, ephemeralPorts: 28_000 }, () => [])();
  };
  const first = await step(0);
  expect(first.portsTaken).toEqual([{ process: "generator", destination: "127.0.0.1:8080", taken: TAKEN }]);
  // What comes close is 80 % of the ports.
  const free = 28_000 * 0.8 - TAKEN;
  for (let opened = OPENED_BY_STEP; opened <= free; opened += OPENED_BY_STEP) {
    expect(await step(opened)).not.toHaveProperty("portsTaken");
  }
  expect(kernel.visits).toBe(1);
  expect(await step(free + 1)).toHaveProperty("portsTaken");
  expect(kernel.visits).toBe(2);
  // Where the kernel does not tell how many were opened.
  for (let count = 0; count < 3; count += 1) expect(await step(undefined)).toHaveProperty("portsTaken");
  expect(kernel.visits).toBe(5);
});
