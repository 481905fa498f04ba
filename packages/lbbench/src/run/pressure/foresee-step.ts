import { foreseePressure, type ProcessBefore } from "../../judge/foresee-pressure.js";
import { NEAR_LIMIT } from "../../judge/operating-system.js";
import { holdMs, isLoopback, portNeed, portSupply } from "../../judge/port-need.js";
import type { Finding } from "../../model/finding.js";
import type { Environment, StepResult } from "../../model/result.js";
import type { Scenario } from "../../model/scenario.js";
import type { Load, RunningServer } from "../../plugin.js";
import { addressOf } from "../../stats/url-address.js";
import type { DestinationWatch } from "./destination-watch.js";
import { countDescriptors, readDescriptorLimit } from "./read-descriptors.js";
import { readSockets } from "./read-sockets.js";

/** What is known before the load of a step. */
export interface ForesightInput {
  readonly load: Load;
  readonly server: RunningServer;
  readonly scenario: Scenario;
  readonly environment: Environment;
  /** Steps of the same target that were executed before. */
  readonly earlier: readonly StepResult[];
  /** Without it nobody looks who has ports taken: where the system does not tell of its sockets. */
  readonly destinations?: DestinationWatch | undefined;
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
    portsTaken:
      ports === null || portsNeeded === null ? 0 : await takenTo(load.url, ports, portsNeeded, input.destinations),
    portsNeeded,
  });
  return { portsNeeded, findings };
}

async function readProcess({ pid, name, role }: RunningServer["processes"][number]): Promise<readonly ProcessBefore[]> {
  const [counted, limit] = await Promise.all([countDescriptors(pid), readDescriptorLimit(pid)]);
  return counted === null || limit === undefined ? [] : [{ name, role, open: counted.open, limit: limit.soft }];
}

/** Ports that earlier steps, or others, have left taken; 0 where they are too few to matter. */
async function takenTo(
  url: string,
  ports: number,
  needed: number,
  destinations: DestinationWatch | undefined,
): Promise<number> {
  const sockets = await readSockets();
  if (sockets === null) return 0;
  const busiest = await destinations?.lookBeyond(ports * NEAR_LIMIT - needed, sockets);
  return busiest?.find(({ port }) => port === addressOf(url).port)?.taken ?? 0;
}
