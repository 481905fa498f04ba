import { BALANCER_DEFAULTS } from "./options/defaults.js";
import {
  type BackendOptions,
  BalancerOptionsError,
  type BalancerSnapshot,
  type RemoveOptions,
} from "./options/options.js";
import { resolveBackends, type ResolvedBackend } from "./options/resolve-options.js";

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
  const wanted = resolveBackends(backends, mode);
  const { remove, add, reweight } = planReload((await balancer.snapshot()).backends, wanted);
  const replaced = new Set(add.map(({ name }) => name).filter((name) => remove.includes(name)));
  const removals: Promise<void>[] = [];
  for (const { name, url, weight } of add.filter((backend) => !replaced.has(backend.name))) {
    await balancer.addBackend({ name, url, weight });
  }
  for (const { name, weight } of reweight) await balancer.setBackendWeight(name, weight);
  for (const name of remove) {
    removals.push(balancer.removeBackend(name, removal));
    const again = add.find((backend) => backend.name === name);
    if (again !== undefined) await balancer.addBackend({ name, url: again.url, weight: again.weight });
  }
  await Promise.all(removals);
}

/** What is known of a backend that is there. */
interface PresentBackend {
  readonly name: string;
  readonly url: string;
  readonly weight: number;
}

/** What has to be done so that the backends are those of a list. */
interface ReloadPlan {
  /** Names of those that go, also those that go and come back at another place. */
  readonly remove: readonly string[];
  readonly add: readonly ResolvedBackend[];
  readonly reweight: readonly { readonly name: string; readonly weight: number }[];
}

/** Compares the backends that are there with those that are to be: the same is one of the same name and URL. */
function planReload(present: readonly PresentBackend[], wanted: readonly ResolvedBackend[]): ReloadPlan {
  const before = new Map(present.map((backend) => [backend.name, backend]));
  const after = new Map(wanted.map((backend) => [backend.name, backend]));
  return {
    remove: present.filter(({ name, url }) => after.get(name)?.url !== url).map(({ name }) => name),
    add: wanted.filter(({ name, url }) => before.get(name)?.url !== url),
    reweight: wanted
      .filter(({ name, url, weight }) => before.get(name)?.url === url && before.get(name)?.weight !== weight)
      .map(({ name, weight }) => ({ name, weight })),
  };
}
