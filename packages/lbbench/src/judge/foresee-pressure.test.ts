import { expect, it } from "vitest";
import { foreseePressure, type PressureBefore } from "./foresee-pressure.js";

function before(overrides: Partial<PressureBefore> = {}): PressureBefore {
  return {
    level: { connections: 400, durationMs: 3000 },
    generators: 1,
    generatorLimit: 10_000,
    processes: [],
    ports: 1000,
    portsTaken: 0,
    portsNeeded: 400,
    ...overrides,
  };
}

it("foresees nothing where there is enough of everything", () => {
  expect(foreseePressure(before())).toEqual([]);
});

it("warns that the client may run out of ports, counting those that earlier steps have left taken", () => {
  expect(foreseePressure(before({ portsTaken: 401 }))).toEqual([
    { code: "PORTS_EXHAUSTED", severity: "warning", args: { process: "generator", needed: 801, ports: 1000 } },
  ]);
  expect(foreseePressure(before({ portsTaken: 400 }))).toEqual([]);
});

it("foresees nothing of what is unknown", () => {
  expect(foreseePressure(before({ ports: null, portsNeeded: 1e6 }))).toEqual([]);
  expect(foreseePressure(before({ portsNeeded: null, portsTaken: 1000 }))).toEqual([]);
  expect(foreseePressure(before({ generatorLimit: null, processes: [] }))).toEqual([]);
});

it("warns of a generator that holds its share of the connections", () => {
  const args = { process: "generator", role: "generator", connections: 400, needed: 464, fdLimit: 512 };
  expect(foreseePressure(before({ generatorLimit: 512 }))).toEqual([{ code: "FD_LIMIT", severity: "warning", args }]);
  expect(foreseePressure(before({ generatorLimit: 512, generators: 2 }))).toEqual([]);
});

it("takes a user of a ramp for a connection", () => {
  const args = { process: "generator", role: "generator", connections: 400, needed: 464, fdLimit: 512 };
  const ramp = before({ level: { users: 400, durationMs: 3000 }, generatorLimit: 512 });
  expect(foreseePressure(ramp)).toEqual([{ code: "FD_LIMIT", severity: "warning", args }]);
});

it("warns of the balancer first, which needs two descriptors for each connection", () => {
  const processes = [
    { name: "balancer", role: "balancer", open: 25, limit: 1000 },
    { name: "backend-1", role: "backend", open: 25, limit: 1000 },
    { name: "backend-2", role: "backend", open: 25, limit: 1000 },
  ] as const;
  expect(foreseePressure(before({ processes }))).toMatchObject([
    { args: { process: "balancer", role: "balancer", connections: 400, needed: 825, fdLimit: 1000 } },
  ]);
  expect(foreseePressure(before({ processes: processes.slice(1) }))).toEqual([]);
});
