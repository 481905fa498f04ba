/** What became of connections that are held. */
import type { Finding } from "../model/finding.js";
import type { HeldConnections } from "../model/measurement.js";
import type { StepResult } from "../model/result.js";
import { medianIfAny } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import type { ProcessUsage } from "../model/usage.js";
import { loadValue } from "../stats/load.js";
import { found, type Run, type StepRule } from "./found.js";
import { measuredSteps } from "./metrics.js";

/** Connections that were lost, in whatever way. */
export function lostConnections({ lost: { closed, reset, givenUp } }: HeldConnections): number {
  return closed + reset + givenUp;
}

/** `CONNECTIONS_LOST`: an info where faults were done. */
export const findLostConnections: StepRule = ({ measurement, faults }, { hold }) => {
  const held = measurement?.hold;
  const lost = held === undefined ? 0 : lostConnections(held);
  if (held === undefined || lost === 0) return [];
  const args = { lost, ...held.lost, established: held.established, everyMs: hold?.everyMs };
  return found("CONNECTIONS_LOST", faults === undefined ? "warning" : "info", args);
};

/** Part of the memory of a process that it may have had free for the first connections. */
const SPARE = 0.1;

/**
 * Resident memory that a connection takes in some processes together, in bytes: what they have in the middle of the measurement beyond what
 * they had before, divided by the connections. `null` where that is not known of all of them, or no more than the noise: a tenth of what
 * they had, how far looks before were apart, and what changed since the last connection was opened.
 */
export function connectionBytes(
  processes: readonly Pick<ProcessUsage, "memory" | "beforeHold">[],
  connections: number,
) {
  let [added, noise] = [0, 0];
  for (const { memory, beforeHold } of processes) {
    if (memory === undefined || beforeHold === undefined) return null;
    added += memory.middleBytes - beforeHold.bytes;
    noise += SPARE * beforeHold.bytes + beforeHold.spreadBytes + Math.abs(memory.middleBytes - memory.startBytes);
  }
  return connections > 0 && added > noise ? added / connections : null;
}

/** The bytes of a connection in each part of the target, of one step; `null` where they are not known, or within the noise. */
export function connectionMemory({ measurement, usage }: Pick<StepResult, "measurement" | "usage">) {
  const connections = measurement?.hold?.atStart ?? 0;
  return {
    balancer: connectionBytes(usage?.balancer ?? [], connections),
    backend: connectionBytes(usage?.backends ?? [], connections),
  };
}

/** `CONNECTIONS_HELD` of the level of each target with the most connections: medians over its trials, as far as they are known. */
export function concludeHeld({ steps, scenario }: Run): readonly Finding[] {
  if (scenario.hold === undefined) return [];
  return [...groupBy(steps, ({ target }) => target)].flatMap(([target, own]) => {
    // What was cut short says nothing of the end.
    const measured = own.filter(({ state, measurement }) => state !== "aborted" && measurement?.hold !== undefined);
    const most = Math.max(...measured.map(({ level }) => loadValue(level)));
    const trials = measuredSteps(measured.filter(({ level }) => loadValue(level) === most));
    if (trials.length === 0) return [];
    const of = (figure: (held: HeldConnections, step: StepResult) => number | null | undefined): number | undefined =>
      medianIfAny(trials.flatMap((step) => (step.measurement?.hold && figure(step.measurement.hold, step)) ?? []));
    return found("CONNECTIONS_HELD", "info", {
      target,
      connections: most,
      opened: of((_, { measurement }) => measurement?.connections.opened),
      alive: of(({ alive }) => alive),
      lost: of(lostConnections),
      balancerBytes: of((_, step) => connectionMemory(step).balancer),
      backendBytes: of((_, step) => connectionMemory(step).backend),
    });
  });
}
