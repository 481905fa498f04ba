/** What became of connections that are held. */
import type { Finding } from "../model/finding.js";
import type { HeldConnections } from "../model/measurement.js";
import type { Result, StepResult } from "../model/result.js";
import { median } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { connectionBytes } from "../stats/held-memory.js";
import { loadValue } from "../stats/load.js";
import { defined } from "../stats/defined.js";
import { found, type StepRule } from "./found.js";

/** Connections that were lost, in whatever way. */
export function lostConnections({ lost: { closed, reset, givenUp } }: HeldConnections): number {
  return closed + reset + givenUp;
}

/** `CONNECTIONS_LOST` {lost, closed, reset, givenUp, established, everyMs}: an info where faults were done. */
export const findLostConnections: StepRule = ({ measurement, faults }, { hold }) => {
  const held = measurement?.hold;
  const lost = held === undefined ? 0 : lostConnections(held);
  if (held === undefined || lost === 0) return [];
  return found("CONNECTIONS_LOST", faults === undefined ? "warning" : "info", {
    lost,
    ...held.lost,
    established: held.established,
    ...defined({ everyMs: hold?.everyMs }),
  });
};

/** The bytes of a connection in each part of the target, of one step; `null` where they are not known, or within the noise. */
export function connectionMemory({ measurement, usage }: Pick<StepResult, "measurement" | "usage">): {
  readonly balancer: number | null;
  readonly backend: number | null;
} {
  const connections = measurement?.hold?.atStart ?? 0;
  const of = (processes: Parameters<typeof connectionBytes>[0] = []): number | null =>
    connectionBytes(processes, connections);
  return { balancer: of(usage?.balancer), backend: of(usage?.backends) };
}

/**
 * `CONNECTIONS_HELD` {target, connections, opened, alive, lost, balancerBytes, backendBytes} of the level of each target with the most
 * connections: medians over its trials, as far as they are known.
 */
export function concludeHeld({ steps, scenario }: Pick<Result, "scenario" | "steps">): readonly Finding[] {
  if (scenario.hold === undefined) return [];
  return [...groupBy(steps, ({ target }) => target)].flatMap(([target, own]) => {
    const measured = own.filter(({ measurement }) => measurement?.hold !== undefined);
    const most = Math.max(...measured.map(({ level }) => loadValue(level)));
    const trials = measured.filter(({ level }) => loadValue(level) === most);
    if (trials.length === 0) return [];
    const of = (figure: (held: HeldConnections, step: StepResult) => number | null | undefined): number | undefined => {
      const values = trials.flatMap((step) => (step.measurement?.hold && figure(step.measurement.hold, step)) ?? []);
      return values.length === 0 ? undefined : median(values);
    };
    return found("CONNECTIONS_HELD", "info", {
      target,
      ...defined({
        connections: most,
        opened: of((_, { measurement }) => measurement?.connections.opened),
        alive: of(({ alive }) => alive),
        lost: of(lostConnections),
        balancerBytes: of((_, step) => connectionMemory(step).balancer),
        backendBytes: of((_, step) => connectionMemory(step).backend),
      }),
    });
  });
}
