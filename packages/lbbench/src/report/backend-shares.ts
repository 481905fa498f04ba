import type { BackendShare } from "../model/measurement.js";
import { addShares } from "../stats/backend-shares.js";
import { groupBy } from "../stats/group-by.js";
import type { Cell } from "./cells.js";

/** What one backend got of the requests, over several measurements. */
export interface SharedRequests extends BackendShare {
  readonly name: string;
}

/** Adds up what each backend got over all measurements of some cells, in order of first appearance; none without a balancer. */
export function sumShares(cells: readonly Cell[]): readonly SharedRequests[] {
  const all = cells.flatMap(({ measurements }) =>
    measurements.flatMap(({ backends }) => Object.entries(backends ?? {}).map(([name, share]) => ({ name, ...share }))),
  );
  return addUp(all);
}

/** Adds up shares of the same name. */
export function addUp(shares: readonly SharedRequests[]): readonly SharedRequests[] {
  return [...groupBy(shares, ({ name }) => name)].map(([name, those]) => ({ name, ...addShares(those) }));
}
