import { foreseePressure, type ProcessBefore } from "../../judge/foresee-pressure.js";
import { NEAR_LIMIT } from "../../judge/operating-system.js";
import { holdMs, isLoopback, portNeed, portSupply } from "../../judge/port-need.js";
import type { Finding } from "../../model/finding.js";
import type { Environment, StepResult } from "../../model/result.js";
import type { Scenario } from "../../model/scenario.js";
import type { Load, RunningServer } from "../../plugin.js";
import { countDescriptors, readDescriptorLimit } from "./read-descriptors.js";
import { portOf } from "./port-account.js";
import { readDestinations } from "./read-destinations.js";
import { readSockets } from "./read-sockets.js";

/** What is known before the load of a step. */
export interface ForesightInput {
  readonly load: Load;
  readonly server: RunningServer;
  readonly scenario: Scenario;
  readonly environment: Environment;
  /** Steps of the same target that were executed before. */
  readonly earlier: readonly StepResult[];
}

/** What a step will need, and what to warn of. */
export interface Foresight {
  /** Ports for connections to the target, at most at a time; `null` when nobody can tell. */
  readonly portsNeeded: number | null;
  readonly findings: readonly Finding[];
}

/** Compares what a step needs of ports and descriptors with what there is, just before its load is sent. */
export async function foreseeStep(input: ForesightInput): Promise<Foresight> {
  const { load, server, scenario, environment, earlier } = input;
  const ports = portSupply(environment);
  const rest = holdMs(environment.network, isLoopback(new URL(load.url).hostname));
  const portsNeeded = portNeed({ scenario, level: load.level, holdMs: rest, earlier });
  const findings = foreseePressure({
    level: load.level,
    generators: load.generators,
    generatorLimit: environment.fdLimit,
    processes: (await Promise.all(server.processes.map(readProcess))).flat(),
    ports,
    portsTaken: ports === null || portsNeeded === null ? 0 : await takenTo(load.url, ports, portsNeeded, environment),
    portsNeeded,
  });
  return { portsNeeded, findings };
}

async function readProcess({ pid, name, role }: RunningServer["processes"][number]): Promise<readonly ProcessBefore[]> {
  const [counted, limit] = await Promise.all([countDescriptors(pid), readDescriptorLimit(pid)]);
  return counted === null || limit === undefined ? [] : [{ name, role, open: counted.open, limit: limit.soft }];
}

/** Ports that earlier steps, or others, have left taken; not looked up where all sockets together would not matter. */
async function takenTo(url: string, ports: number, needed: number, { network }: Environment): Promise<number> {
  const sockets = await readSockets();
  if (network === undefined || sockets === null) return 0;
  if (sockets.inUse + sockets.timeWait + needed <= ports * NEAR_LIMIT) return 0;
  return (await readDestinations(network)).find(({ port }) => port === portOf(url))?.taken ?? 0;
}
