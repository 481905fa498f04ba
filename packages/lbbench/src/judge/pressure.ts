import type { Finding } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { DescriptorUse } from "../model/pressure.js";
import type { Environment } from "../model/result.js";
import type { ToldScenario } from "../model/scenario.js";
import type { Role } from "../model/usage.js";
import { connectedTo, isLoopback } from "../stats/url-address.js";
import { holdMs, portNeed, portSupply } from "./port-need.js";
import { found, type StepRule, type UnjudgedStep } from "./found.js";
import { defined } from "../stats/defined.js";

/** Descriptors a Node process needs beside its connections: standard streams, event loop, modules, channels. */
export const SPARE_DESCRIPTORS = 64;

/** From this share of a limit on, a little more load runs into it. */
export const NEAR_LIMIT = 0.8;

/** The machine that generates the load; `null` where it is not known, as where workers do. */
function machineOfGenerator({ workers }: UnjudgedStep, environment: Environment | null): Environment | null {
  return workers === undefined ? environment : null;
}

/** `FD_LIMIT`: an error where descriptors ran out; a warning of the process that came closest, or else of what is needed. */
export const findDescriptorLimit: StepRule = (step, { hold }, environment) => {
  const { level, measurement, pressure } = step;
  const fdLimit = machineOfGenerator(step, environment)?.fdLimit ?? null;
  const ofGenerator = pressure?.descriptors.find(({ role }) => role === "generator")?.limit ?? fdLimit;
  for (const [code, limit] of [["EMFILE", ofGenerator] as const, ["ENFILE", null] as const]) {
    const count = measurement?.errorCodes[code] ?? 0;
    const args = { code, count, process: "generator", fdLimit: limit ?? undefined };
    if (count > 0) return found("FD_LIMIT", "error", args);
  }
  const [fullest] = (pressure?.descriptors ?? []).toSorted((a, b) => usedShare(b) - usedShare(a));
  if (fullest !== undefined && fullest.limit !== null && usedShare(fullest) > NEAR_LIMIT) {
    const { name, role, most, limit } = fullest;
    return found("FD_LIMIT", "warning", { process: name, role, used: most, fdLimit: limit });
  }
  const connections = connectionsOf(level);
  const needed = connections + SPARE_DESCRIPTORS;
  // Connections that are held are shared out to as many generators as it takes.
  const isTooMany = hold === undefined && connections > 0 && fdLimit !== null && needed > fdLimit;
  return isTooMany ? found("FD_LIMIT", "warning", { connections, needed, fdLimit }) : [];
};

/** `PORTS_EXHAUSTED`: an error where ports ran out; a warning where many were taken, or where destinations were not looked at, are needed. */
export const findExhaustedPorts: StepRule = (step, scenario, environment) => {
  const { measurement, pressure } = step;
  const machine = machineOfGenerator(step, environment);
  const count = measurement?.errorCodes["EADDRNOTAVAIL"] ?? 0;
  if (count > 0 && mayHaveRunOut(step)) {
    const [first, last] = machine?.portRange ?? [];
    return found("PORTS_EXHAUSTED", "error", { process: "generator", count, first, last });
  }
  const ports = pressure?.ports ?? (machine === null ? null : portSupply(machine));
  if (ports === null) return [];
  if (pressure === undefined || pressure.timeWait === null) {
    return machine === null ? [] : findUnseenNeed(step, scenario, machine, ports);
  }
  return (pressure.portsTaken ?? [])
    .filter(({ taken }) => taken > ports * NEAR_LIMIT)
    .flatMap(({ process, taken, destination }) =>
      found("PORTS_EXHAUSTED", "warning", { process, taken, ports, destination }),
    );
};

/** The same error comes when there is no address to connect from: then not one connection was made, and few sockets are there. */
function mayHaveRunOut({ measurement, pressure, workers }: UnjudgedStep): boolean {
  if (measurement === undefined || (measurement.connections.established ?? 0) > 0) return true;
  if (workers !== undefined) return true;
  if (pressure === undefined || pressure.ports === null || pressure.timeWait === null) return true;
  return pressure.timeWait.most + (pressure.socketsMost ?? 0) > pressure.ports * NEAR_LIMIT;
}

function findUnseenNeed(
  step: UnjudgedStep,
  { targets, keepAlive, requestsPerConnection, warmupMs, connectTo }: ToldScenario,
  { network }: Environment,
  ports: number,
): readonly Finding[] {
  if (keepAlive === null || warmupMs === null) return [];
  const url = targets.find(({ name }) => name === step.target)?.options["url"];
  const isTold = typeof url === "string" && URL.canParse(url);
  const { host = "localhost" } = (isTold ? connectedTo(url, connectTo) : undefined) ?? {};
  const toLoopback = isLoopback(host);
  const rest = holdMs(network, toLoopback);
  const needed = portNeed({
    scenario: { keepAlive, ...defined({ requestsPerConnection }), warmupMs },
    level: step.level,
    holdMs: rest,
    earlier: [{ ...step, findings: [] }],
  });
  return foreseePorts(needed, ports);
}

function usedShare({ most, limit }: DescriptorUse): number {
  return limit === null || limit === 0 ? 0 : most / limit;
}

/** Connections of a level: each user of a ramp has one; 0 of a rate. */
function connectionsOf({ connections, users = 0 }: Level): number {
  return connections ?? users;
}

/** What is known just before the load of a step. */
export interface PressureBefore {
  readonly level: Level;
  /** Processes the load is split over; they need not have been started. */
  readonly generators: number;
  /** Descriptors one of them may have; `null` when that is not told. */
  readonly generatorLimit: number | null;
  /** The processes of the target. */
  readonly processes: readonly {
    readonly name: string;
    readonly role: Role;
    /** Descriptors it has open, and may have; `null` for no limit. */
    readonly open: number;
    readonly limit: number | null;
    readonly keepsNone?: true | undefined;
  }[];
  /** Whether the connections are held, with a request on each now and then. */
  readonly isHeld: boolean;
  /** Ports that one address has for connections to the target; `null` when that is not told. */
  readonly ports: number | null;
  /** How many of them are taken already. */
  readonly portsTaken: number;
  /** How many the load will take at most at a time; `null` when that is unknown. */
  readonly portsNeeded: number | null;
}

/**
 * Warns before a step of what its load may run out of, from 80 % on: `PORTS_EXHAUSTED`, and `FD_LIMIT` of the process that may come closest to
 * its limit.
 */
export function foreseePressure(before: PressureBefore): readonly Finding[] {
  const { ports, portsTaken, portsNeeded } = before;
  return [
    ...foreseePorts(portsNeeded === null ? null : portsTaken + portsNeeded, ports),
    ...foreseeDescriptors(before),
  ];
}

function foreseePorts(needed: number | null, ports: number | null): readonly Finding[] {
  const isNear = needed !== null && ports !== null && needed > ports * NEAR_LIMIT;
  return isNear ? found("PORTS_EXHAUSTED", "warning", { process: "generator", needed, ports }) : [];
}

function foreseeDescriptors(before: PressureBefore): readonly Finding[] {
  const { generators, generatorLimit, processes, isHeld } = before;
  const connections = connectionsOf(before.level);
  if (connections === 0) return [];
  const backends = processes.filter(({ role }) => role === "backend").length;
  const perGenerator = Math.ceil(connections / generators) + SPARE_DESCRIPTORS;
  const needs = [
    { name: "generator", role: "generator" as const, needed: perGenerator, limit: generatorLimit },
    ...processes.flatMap(({ name, role, open, limit, keepsNone }) => {
      if (keepsNone) return [];
      // A balancer has a connection to a client and, while that waits for an answer, one to a backend; backends share what it relays.
      const each = role === "balancer" ? (isHeld ? 1 : 2) : 1 / Math.max(1, backends);
      return [{ name, role, needed: open + Math.ceil(connections * each), limit }];
    }),
  ];
  const [tightest] = needs
    .flatMap(({ limit, ...need }) => (limit === null ? [] : [{ ...need, limit }]))
    .toSorted((a, b) => b.needed / b.limit - a.needed / a.limit);
  if (tightest === undefined || tightest.needed <= tightest.limit * NEAR_LIMIT) return [];
  const { name, role, needed, limit } = tightest;
  return found("FD_LIMIT", "warning", { process: name, role, connections, needed, fdLimit: limit });
}
