import { BALANCER_DEFAULTS } from "./options/defaults.js";
import {
  type BackendOptions,
  BalancerOptionsError,
  type BalancerSnapshot,
  type RemoveOptions,
} from "./options/options.js";
import { resolveBackends } from "./options/resolve-options.js";

/** What can be reloaded: a `Balancer`, or the workers of one. */
export interface Reloadable {
  readonly snapshot: () => BalancerSnapshot | Promise<BalancerSnapshot>;
  readonly addBackend: (backend: BackendOptions) => void | Promise<void>;
  readonly removeBackend: (name: string, options?: RemoveOptions) => Promise<void>;
  readonly setBackendWeight: (name: string, weight: number) => void | Promise<void>;
}

/** How backends are reloaded. */
export interface ReloadOptions extends RemoveOptions {
  /** The mode of the balancer, which says what URLs there may be; `http` by default. */
  readonly mode?: "http" | "tcp";
}

/**
 * Makes the backends those of a list, as after a change of configuration: adds what is new, drains and removes what is
 * gone, changes weights in place and leaves the rest alone. No request is lost: what is new is there before anything
 * goes, but for a backend that keeps its name and changes its URL. Resolves when what was removed has ended what it had.
 *
 * Rejects with a `BalancerOptionsError`, and nothing has changed, when the list is wrong.
 */
export async function reloadBackends(
  balancer: Reloadable,
  backends: readonly BackendOptions[],
  { mode = BALANCER_DEFAULTS.mode, ...removal }: ReloadOptions = {},
): Promise<void> {
  if (!Array.isArray(backends) || backends.length === 0) {
    throw new BalancerOptionsError("backends: expected a list with at least one backend; got none.");
  }
  const wanted = resolveBackends(backends, mode).map(({ name, url, weight }) => ({ name, url, weight }));
  const present = (await balancer.snapshot()).backends;
  // The same is one of the same name and URL.
  const leaving = present.filter(({ name, url }) => find(wanted, name)?.url !== url);
  const coming = wanted.filter(({ name, url }) => find(present, name)?.url !== url);
  for (const backend of coming) if (find(leaving, backend.name) === undefined) await balancer.addBackend(backend);
  for (const { name, weight } of wanted) {
    const before = find(present, name);
    if (before === undefined || leaving.includes(before) || before.weight === weight) continue;
    await balancer.setBackendWeight(name, weight);
  }
  const removals: Promise<void>[] = [];
  for (const { name } of leaving) {
    removals.push(balancer.removeBackend(name, removal));
    const again = find(coming, name);
    if (again !== undefined) await balancer.addBackend(again);
  }
  await Promise.all(removals);
}

function find<Backend extends { readonly name: string }>(backends: readonly Backend[], name: string) {
  return backends.find((backend) => backend.name === name);
}
