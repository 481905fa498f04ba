import type { BackendGroup } from "../model/scenario.js";
import type { ServerChoice } from "../plugin.js";

/** One backend to start. */
export interface BackendChoice extends ServerChoice {
  readonly name: string;
  readonly weight: number;
}

/** Every single backend of the groups, in order: `backend-1`, `backend-2` where there is no name, else `NAME` or `NAME-1`. */
export function expandBackends(groups: readonly BackendGroup[]): readonly BackendChoice[] {
  let unnamed = 0;
  return groups.flatMap(({ name, server, options, count, weight }) =>
    Array.from({ length: count }, (_, index) => {
      if (name === null) unnamed += 1;
      return {
        name: name === null ? `backend-${unnamed}` : count === 1 ? name : `${name}-${index + 1}`,
        server,
        options,
        weight,
      };
    }),
  );
}
