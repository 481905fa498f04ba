import type { BackendShare } from "../model/measurement.js";
import type { BackendGroup, Target } from "../model/scenario.js";
import { backendNames } from "./backend-names.js";
import { defined } from "./defined.js";

/** Adds up what one backend was given and did; what none of them tells is absent. */
export function addShares(shares: readonly BackendShare[]): BackendShare {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const errors = shares.flatMap((one) => one.errors ?? []);
  const answered = shares.flatMap((one) => one.answered ?? []);
  return {
    requests: sum(shares.map(({ requests }) => requests)),
    ...defined({
      errors: errors.length === 0 ? undefined : sum(errors),
      answered:
        answered.length === 0
          ? undefined
          : {
              count: sum(answered.map(({ count }) => count)),
              totalMs: sum(answered.map(({ totalMs }) => totalMs)),
            },
    }),
  };
}

/** Returns how long an answer of a backend took on average, in ms; `undefined` where that is not told. */
export function meanMsOf({ answered }: BackendShare): number | undefined {
  return answered === undefined || answered.count === 0 ? undefined : answered.totalMs / answered.count;
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
