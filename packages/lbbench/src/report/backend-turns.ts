import type { BackendTurns } from "../model/measurement.js";
import type { SharedRequests } from "./backend-shares.js";
import type { Cell } from "./cells.js";

/** Which backends a balancer picked one after another, over several measurements. */
export interface SummedTurns extends Omit<BackendTurns, "byBackend"> {
  /** Of the picks. */
  readonly byBackend: readonly SharedRequests[];
}

/** Adds up what was picked over all measurements of some cells; the first names are those of the first of them. `undefined` where no balancer tells. */
export function sumTurns(cells: readonly Cell[]): SummedTurns | undefined {
  const all = cells.flatMap(({ measurements }) => measurements.flatMap(({ turns }) => turns ?? []));
  const [begin] = all;
  if (begin === undefined) return undefined;
  const byBackend = new Map<string, number>();
  for (const turns of all) {
    for (const [name, picks] of Object.entries(turns.byBackend))
      byBackend.set(name, (byBackend.get(name) ?? 0) + picks);
  }
  return {
    of: begin.of,
    first: begin.first,
    picked: all.reduce((sum, { picked }) => sum + picked, 0),
    inTurn: all.reduce((sum, { inTurn }) => sum + inTurn, 0),
    byBackend: [...byBackend]
      .map(([name, requests]) => ({ name, requests }))
      .toSorted((a, b) => a.name.localeCompare(b.name, "en", { numeric: true })),
  };
}
