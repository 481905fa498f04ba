import type { BackendGroup } from "../model/scenario.js";

/** Returns what every single backend of some groups is called, in order: `backend-1`, `backend-2` where there is no name, else `NAME` or `NAME-1`. */
export function backendNames(groups: readonly Pick<BackendGroup, "name" | "count">[]): readonly (readonly string[])[] {
  let unnamed = 0;
  return groups.map(({ name, count }) =>
    Array.from({ length: count }, (_, index) => {
      if (name === null) unnamed += 1;
      return name === null ? `backend-${unnamed}` : count === 1 ? name : `${name}-${index + 1}`;
    }),
  );
}
