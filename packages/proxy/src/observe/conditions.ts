import type { BackendCondition, BackendSnapshot } from "../options/options.js";

/** Every condition of a backend, from the best to the worst. */
export const CONDITIONS: readonly BackendCondition[] = ["up", "slow-start", "ejected", "unhealthy", "draining"];

/** Whether a backend is given requests. */
export function isUp({ condition }: Pick<BackendSnapshot, "condition">): boolean {
  return condition === "up" || condition === "slow-start";
}
