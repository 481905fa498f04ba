import type { BackendConnections, BackendShare, Measurement } from "../model/measurement.js";
import type { BackendGroup, Target } from "../model/scenario.js";
import { defined } from "./defined.js";
import { sum, sumOf } from "./descriptive.js";
import { isRecord } from "./plain-data.js";

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

/** Adds up what one backend was given and did; what none of them tells is absent. */
export function addShares(shares: readonly BackendShare[]): BackendShare {
  const together = <Key extends keyof BackendShare>(
    key: Key,
    combine: (told: readonly NonNullable<BackendShare[Key]>[]) => BackendShare[Key],
  ): BackendShare[Key] | undefined => {
    const told = shares.map(({ [key]: value }) => value).filter((value) => value !== undefined && value !== null);
    return told.length === 0 ? undefined : combine(told);
  };
  return {
    requests: sumOf(shares, ({ requests }) => requests),
    ...defined({
      errors: together("errors", sum),
      answered: together("answered", (told) => ({
        count: sumOf(told, ({ count }) => count),
        totalMs: sumOf(told, ({ totalMs }) => totalMs),
      })),
      received: together("received", sum),
      connections: together("connections", (told) => addConnections(told, (values) => Math.max(...values))),
    }),
  };
}

/** Adds up connections. Combines the known numbers of open and of active ones; absent if none is known. */
function addConnections(told: readonly BackendConnections[], combine: (values: readonly number[]) => number) {
  const of = (key: "open" | "active"): number | undefined => {
    const values = told.flatMap((one) => one[key] ?? []);
    return values.length === 0 ? undefined : combine(values);
  };
  return {
    before: sumOf(told, ({ before }) => before),
    accepted: sumOf(told, ({ accepted }) => accepted),
    ...defined({ open: of("open"), active: of("active") }),
  };
}

/** Returns the mean number of requests on a connection; `null` if it is not known, and without a connection. */
export function requestsPerConnection(share: BackendShare): number | null {
  const { connections } = share;
  const all = connections === undefined ? 0 : connections.before + connections.accepted;
  return all === 0 ? null : receivedRequests(share) / all;
}

/** Returns how many requests came to a backend, by its own count if there is one: a balancer may also count abandoned ones. */
export function receivedRequests({ requests, received = requests }: BackendShare): number {
  return received;
}

/**
 * Adds up what all backends of a measurement got, with their connections, as long as all of them tell these; of a server without
 * backends, what itself got. `undefined` where connections are not counted.
 */
export function connectionsOf({ backends, server }: Measurement) {
  const shares = backends === undefined ? (server === undefined ? [] : [server]) : Object.values(backends);
  const told = shares.flatMap((share) => share.connections ?? []);
  if (told.length < shares.length || told.length === 0) return undefined;
  return { requests: sumOf(shares, receivedRequests), connections: addConnections(told, sum) };
}

/** Returns how long an answer of a backend took on average, in ms; `undefined` where that is not told. */
export function meanMsOf({ answered }: BackendShare): number | undefined {
  return answered === undefined || answered.count === 0 ? undefined : answered.totalMs / answered.count;
}

/** The share (0 to 1) that each backend is to get by the weights of a target; even shares where these do not tell of exactly those. */
export function expectedShares(target: Target | undefined, names: readonly string[]): ReadonlyMap<string, number> {
  const weights = weightsOf(target?.options["backends"]);
  const isTold = weights.size === names.length && names.every((name) => weights.has(name));
  const total = isTold ? sum([...weights.values()]) : names.length;
  return new Map(names.map((name) => [name, (isTold ? (weights.get(name) ?? 0) : 1) / total]));
}

function weightsOf(groups: unknown): ReadonlyMap<string, number> {
  const told = backendGroups(groups);
  const names = backendNames(told);
  return new Map(told.flatMap(({ weight }, group) => (names[group] ?? []).map((name) => [name, weight] as const)));
}

/** Whether a process of a role of balancers is of the target's own, and not of one of its backends: these may balance as well. */
export function isInFront({ options }: Target, process: string): boolean {
  const behind = backendNames(backendGroups(options["backends"])).flat();
  return !behind.some((name) => process.startsWith(`${name} `));
}

/** Returns the backends in an option, none where it is no list of them: a plugin may call anything by that name. */
export function backendGroups(value: unknown): readonly BackendGroup[] {
  return Array.isArray(value) && value.every(isGroup) ? value : [];
}

function isGroup(group: unknown): group is BackendGroup {
  if (!isRecord(group)) return false;
  const { name, server, options, count, weight } = group;
  const isNamed = (name === null || typeof name === "string") && typeof server === "string";
  return isNamed && isRecord(options) && Number.isSafeInteger(count) && typeof weight === "number";
}
