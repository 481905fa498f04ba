import type { BackendGroup } from "../model/scenario.js";
import type { ServerChoice } from "../plugin.js";
import { backendNames } from "../stats/backend-names.js";

/** One backend to start. */
export interface BackendChoice extends ServerChoice {
  readonly name: string;
  readonly weight: number;
}

/** Every single backend of the groups, in order, named by `backendNames`. */
export function expandBackends(groups: readonly BackendGroup[]): readonly BackendChoice[] {
  const names = backendNames(groups);
  return groups.flatMap(({ server, options, weight }, group) =>
    (names[group] ?? []).map((name) => ({ name, server, options, weight })),
  );
}
