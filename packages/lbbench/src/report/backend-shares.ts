import type { BackendShare } from "../model/measurement.js";
import type { BackendGroup, Target } from "../model/scenario.js";
import { backendNames } from "../stats/backend-names.js";
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

/** Adds up shares of the same name; errors of those that tell any. */
export function addUp(shares: readonly SharedRequests[]): readonly SharedRequests[] {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return [...groupBy(shares, ({ name }) => name)].map(([name, those]) => {
    const errors = those.flatMap((one) => one.errors ?? []);
    const requests = sum(those.map((one) => one.requests));
    return { name, requests, ...(errors.length === 0 ? {} : { errors: sum(errors) }) };
  });
}

/** The share (0 to 1) that each backend is to get by the weights of a target; even shares where these do not tell of exactly those. */
export function expectedShares(target: Target | undefined, names: readonly string[]): ReadonlyMap<string, number> {
  const weights = weightsOf(target?.options["backends"]);
  const isTold = weights.size === names.length && names.every((name) => weights.has(name));
  const total = isTold ? [...weights.values()].reduce((sum, weight) => sum + weight, 0) : names.length;
  return new Map(names.map((name) => [name, (isTold ? (weights.get(name) ?? 0) : 1) / total]));
}

function weightsOf(groups: unknown): ReadonlyMap<string, number> {
  const told = backendGroups(groups);
  const names = backendNames(told);
  return new Map(told.flatMap(({ weight }, group) => (names[group] ?? []).map((name) => [name, weight] as const)));
}

/** Returns the backends in an option, none where it is no list of them: a plugin may call anything by that name. */
export function backendGroups(value: unknown): readonly BackendGroup[] {
  return Array.isArray(value) && value.every(isGroup) ? value : [];
}

function isGroup(group: unknown): group is BackendGroup {
  if (typeof group !== "object" || group === null) return false;
  const { name, server, options, count, weight } = group as Partial<Record<keyof BackendGroup, unknown>>;
  const isNamed = (name === null || typeof name === "string") && typeof server === "string";
  const hasOptions = typeof options === "object" && options !== null;
  return isNamed && hasOptions && Number.isSafeInteger(count) && typeof weight === "number";
}
