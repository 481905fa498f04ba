import type { ResolvedBackend } from "../options/resolve-options.js";

/** What is known of a backend that is there. */
export interface PresentBackend {
  readonly name: string;
  readonly url: string;
  readonly weight: number;
}

/** What has to be done so that the backends are those of a list. */
export interface ReloadPlan {
  /** Names of those that go, also those that go and come back at another place. */
  readonly remove: readonly string[];
  readonly add: readonly ResolvedBackend[];
  readonly reweight: readonly { readonly name: string; readonly weight: number }[];
}

/** Compares the backends that are there with those that are to be: the same is one of the same name and URL. */
export function planReload(present: readonly PresentBackend[], wanted: readonly ResolvedBackend[]): ReloadPlan {
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
