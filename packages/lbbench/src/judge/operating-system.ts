import type { Finding, FindingArgs } from "../model/finding.js";
import type { DescriptorUse, Pressure } from "../model/pressure.js";
import type { Environment } from "../model/result.js";
import type { ToldScenario } from "../model/scenario.js";
import { holdMs, isLoopback, portNeed, portSupply } from "./port-need.js";
import type { UnjudgedStep } from "./step-rule.js";

/** Descriptors a Node process needs beside its connections: standard streams, event loop, modules, channels. */
export const SPARE_DESCRIPTORS = 64;

/** From this share of a limit on, a little more load runs into it. */
export const NEAR_LIMIT = 0.8;

const DESCRIPTOR_ERRORS = ["EMFILE", "ENFILE"];

/**
 * `FD_LIMIT`, an error {code, count, process, fdLimit} when the load generator ran out of file descriptors. A warning
 * {process, role, used, fdLimit} when a process of the step had more than 80 % of its descriptors open; else
 * {connections, needed, fdLimit} when one that holds all connections of the level, as the target may, would have too few.
 */
export function findDescriptorLimit(
  { level, measurement, pressure }: UnjudgedStep,
  _scenario: ToldScenario,
  environment: Environment | null,
): readonly Finding[] {
  const fdLimit = environment?.fdLimit ?? null;
  for (const code of DESCRIPTOR_ERRORS) {
    const count = measurement?.errorCodes[code] ?? 0;
    if (count > 0) {
      const limit = code === "ENFILE" ? null : (limitOfGenerator(pressure) ?? fdLimit);
      const args = { code, count, process: "generator", ...(limit === null ? {} : { fdLimit: limit }) };
      return [{ code: "FD_LIMIT", severity: "error", args }];
    }
  }
  const [fullest] = (pressure?.descriptors ?? []).toSorted((a, b) => usedShare(b) - usedShare(a));
  if (fullest !== undefined && fullest.limit !== null && usedShare(fullest) > NEAR_LIMIT) {
    const { name, role, most, limit } = fullest;
    return [descriptorWarning({ process: name, role, used: most, fdLimit: limit })];
  }
  // Each user of a ramp has a connection.
  const connections = level.connections ?? level.users;
  if (connections === undefined) return [];
  const needed = connections + SPARE_DESCRIPTORS;
  return fdLimit !== null && needed > fdLimit ? [descriptorWarning({ connections, needed, fdLimit })] : [];
}

/**
 * `PORTS_EXHAUSTED`, an error {process, count, first, last} when the load generator found no free local port. A warning
 * {process, taken, ports, destination} when the generator, or a balancer, had more than 80 % of the ports taken that there
 * are for connections to one destination; {process, needed, ports} when nobody looked, and so many were needed.
 */
export function findExhaustedPorts(
  step: UnjudgedStep,
  scenario: ToldScenario,
  environment: Environment | null,
): readonly Finding[] {
  const { measurement, pressure } = step;
  const count = measurement?.errorCodes["EADDRNOTAVAIL"] ?? 0;
  if (count > 0 && mayHaveRunOut(step)) {
    const portRange = environment?.portRange ?? null;
    const ports = portRange === null ? {} : { first: portRange[0], last: portRange[1] };
    return [{ code: "PORTS_EXHAUSTED", severity: "error", args: { process: "generator", count, ...ports } }];
  }
  const ports = pressure?.ports ?? (environment === null ? null : portSupply(environment));
  if (ports === null) return [];
  if (pressure === undefined || pressure.timeWait === null) {
    return environment === null ? [] : findUnseenNeed(step, scenario, environment, ports);
  }
  return (pressure.portsTaken ?? [])
    .filter(({ taken }) => taken > ports * NEAR_LIMIT)
    .map(({ process, taken, destination }) => portWarning({ process, taken, ports, destination }));
}

/** The same error comes when there is no address to connect from: then not one connection was made, and few sockets are there. */
function mayHaveRunOut({ measurement, pressure }: UnjudgedStep): boolean {
  if (measurement === undefined || (measurement.connections.established ?? 0) > 0) return true;
  if (pressure === undefined || pressure.ports === null || pressure.timeWait === null) return true;
  return pressure.timeWait.most + (pressure.socketsMost ?? 0) > pressure.ports * NEAR_LIMIT;
}

function findUnseenNeed(
  step: UnjudgedStep,
  { targets, keepAlive, warmupMs }: ToldScenario,
  { network }: Environment,
  ports: number,
): readonly Finding[] {
  if (keepAlive === null || warmupMs === null) return [];
  const url = targets.find(({ name }) => name === step.target)?.options["url"];
  const toLoopback = typeof url !== "string" || !URL.canParse(url) || isLoopback(new URL(url).hostname);
  const rest = holdMs(network, toLoopback);
  const needed = portNeed({
    scenario: { keepAlive, warmupMs },
    level: step.level,
    holdMs: rest,
    earlier: [{ ...step, findings: [] }],
  });
  return needed !== null && needed > ports * NEAR_LIMIT ? [portWarning({ process: "generator", needed, ports })] : [];
}

function limitOfGenerator(pressure: Pressure | undefined): number | null {
  return pressure?.descriptors.find(({ role }) => role === "generator")?.limit ?? null;
}

function usedShare({ most, limit }: DescriptorUse): number {
  return limit === null || limit === 0 ? 0 : most / limit;
}

/** A warning that a process comes close to its limit of descriptors. */
export function descriptorWarning(args: FindingArgs): Finding {
  return { code: "FD_LIMIT", severity: "warning", args };
}

/** A warning that somebody comes close to the number of local ports. */
export function portWarning(args: FindingArgs): Finding {
  return { code: "PORTS_EXHAUSTED", severity: "warning", args };
}
