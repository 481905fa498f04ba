import type { Finding } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { Role } from "../model/usage.js";
import { descriptorWarning, NEAR_LIMIT, portWarning, SPARE_DESCRIPTORS } from "./operating-system.js";

/** A process as it is before the load. */
export interface ProcessBefore {
  readonly name: string;
  readonly role: Role;
  readonly open: number;
  /** Descriptors it may have open; `null` for no limit. */
  readonly limit: number | null;
}

/** What is known just before the load of a step. */
export interface PressureBefore {
  readonly level: Level;
  /** Processes the load is split over; they need not have been started. */
  readonly generators: number;
  /** Descriptors one of them may have; `null` when that is not told. */
  readonly generatorLimit: number | null;
  /** The processes of the target. */
  readonly processes: readonly ProcessBefore[];
  /** Ports that one address has for connections to the target; `null` when that is not told. */
  readonly ports: number | null;
  /** How many of them are taken already. */
  readonly portsTaken: number;
  /** How many the load will take at most at a time; `null` when nobody can tell. */
  readonly portsNeeded: number | null;
}

/**
 * Warns before a step of what its load may run out of: `PORTS_EXHAUSTED` {process, needed, ports} when it may take more
 * than 80 % of the ports, `FD_LIMIT` {process, role, connections, needed, fdLimit} for the process that may come closest
 * to its limit, or beyond, from 80 % on.
 */
export function foreseePressure(before: PressureBefore): readonly Finding[] {
  return [...foreseePorts(before), ...foreseeDescriptors(before)];
}

function foreseePorts({ ports, portsTaken, portsNeeded }: PressureBefore): readonly Finding[] {
  if (ports === null || portsNeeded === null) return [];
  const needed = portsTaken + portsNeeded;
  return needed > ports * NEAR_LIMIT ? [portWarning({ process: "generator", needed, ports })] : [];
}

function foreseeDescriptors({ level, generators, generatorLimit, processes }: PressureBefore): readonly Finding[] {
  // Each user of a ramp has a connection.
  const connections = level.connections ?? level.users;
  if (connections === undefined) return [];
  const backends = processes.filter(({ role }) => role === "backend").length;
  const needs = [
    {
      name: "generator",
      role: "generator" as const,
      needed: Math.ceil(connections / generators) + SPARE_DESCRIPTORS,
      limit: generatorLimit,
    },
    ...processes.map(({ name, role, open, limit }) => ({
      name,
      role,
      // A balancer has one connection to a client and one to a backend; backends share what it relays.
      needed: open + (role === "balancer" ? connections * 2 : Math.ceil(connections / Math.max(1, backends))),
      limit,
    })),
  ];
  const [tightest] = needs
    .flatMap(({ limit, ...need }) => (limit === null ? [] : [{ ...need, limit }]))
    .toSorted((a, b) => b.needed / b.limit - a.needed / a.limit);
  if (tightest === undefined || tightest.needed <= tightest.limit * NEAR_LIMIT) return [];
  const { name, role, needed, limit } = tightest;
  return [descriptorWarning({ process: name, role, connections, needed, fdLimit: limit })];
}
