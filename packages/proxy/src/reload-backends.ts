import {
  type BackendOptions,
  type Balancer,
  BalancerOptionsError,
  type BalancerSnapshot,
  type RemoveOptions,
} from "./options/options.js";
import { checkGrace, resolveBackends, type Speaker } from "./options/resolve-options.js";

/** What can be reloaded: a `Balancer`, or the workers of one. */
export type Reloadable = Pick<Balancer, "reloadBackends">;

/** How backends are reloaded. */
export interface ReloadOptions extends RemoveOptions {
  /** Stands in older programs, and means nothing: the balancer knows its mode. */
  readonly mode?: "http" | "tcp";
}

/** The same as `balancer.reloadBackends(backends, { graceMs })`. */
export async function reloadBackends(
  balancer: Reloadable,
  backends: readonly BackendOptions[],
  { mode: _mode, ...removal }: ReloadOptions = {},
): Promise<void> {
  await balancer.reloadBackends(backends, removal);
}

/** A list of backends to be replaced. Each call has changed the list when it returns; its promise is for what follows. */
export interface ReplaceableList {
  readonly speaker: Speaker;
  readonly backends: readonly Pick<BalancerSnapshot["backends"][number], "name" | "url" | "weight">[];
  readonly add: (backend: BackendOptions) => Promise<void>;
  readonly remove: (name: string, options: RemoveOptions) => Promise<void>;
  readonly setWeight: (name: string, weight: number) => Promise<void>;
}

/**
 * Does what `reloadBackends` of a balancer does. The list is the new one when this returns; the promise is for what
 * follows. So two reloads need no lock: one is whole before the other begins, and none waits for the drains of another.
 */
export async function replaceBackends(
  { speaker, backends: present, add, remove, setWeight }: ReplaceableList,
  backends: readonly BackendOptions[],
  removal: RemoveOptions = {},
): Promise<void> {
  if (!Array.isArray(backends) || backends.length === 0) {
    throw new BalancerOptionsError("backends: expected a list with at least one backend; got none.");
  }
  if (removal.graceMs !== undefined) checkGrace(removal.graceMs);
  const wanted = resolveBackends(backends, speaker).map(({ name, url, weight }) => ({ name, url, weight }));
  // The same is one of the same name and URL.
  const leaving = present.filter(({ name, url }) => find(wanted, name)?.url !== url);
  const coming = wanted.filter(({ name, url }) => find(present, name)?.url !== url);
  const done: Promise<void>[] = [];
  for (const backend of coming) if (find(leaving, backend.name) === undefined) done.push(add(backend));
  for (const { name, weight } of wanted) {
    const before = find(present, name);
    if (before === undefined || leaving.includes(before) || before.weight === weight) continue;
    done.push(setWeight(name, weight));
  }
  for (const { name } of leaving) {
    done.push(remove(name, removal));
    const again = find(coming, name);
    if (again !== undefined) done.push(add(again));
  }
  await Promise.all(done);
}

function find<Backend extends { readonly name: string }>(backends: readonly Backend[], name: string) {
  return backends.find((backend) => backend.name === name);
}
