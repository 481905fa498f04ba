import { performance } from "node:perf_hooks";
import type { DescriptorUse } from "../../model/pressure.js";
import type { WatchedProcess } from "../../model/usage.js";
import { processTree } from "../../system/proc.js";
import { countDescriptors, readDescriptorLimit } from "./read-descriptors.js";

/** The descriptors of one watched process, with its descendants where that was asked for. */
export interface DescriptorAccount {
  /** First look: finds the descendants and their limits. */
  readonly open: () => Promise<void>;
  readonly look: () => Promise<void>;
  /** Most that were seen; `undefined` when nothing could be. */
  readonly used: () => DescriptorUse | undefined;
}

/** Where descriptors have to be visited one by one: they are again after this time for each, which is 0.5 % of a core. */
const REST_PER_VISIT_MS = 0.4;

/** Creates the account of a watched process; a process that cannot be seen adds nothing and is no error. */
export function createDescriptorAccount({ pid, name, role, tree }: WatchedProcess): DescriptorAccount {
  const members = new Map<number, { limit: number | null; most: number; restUntilMs: number }>();
  const lookAt = async (member: number): Promise<void> => {
    const known = members.get(member);
    if (known === undefined || performance.now() < known.restUntilMs) return;
    const counted = await countDescriptors(member);
    if (counted === null) return;
    known.most = Math.max(known.most, counted.open);
    if (counted.visited) known.restUntilMs = performance.now() + counted.open * REST_PER_VISIT_MS;
  };
  const look = async (): Promise<void> => {
    await Promise.all([...members.keys()].map(lookAt));
  };
  return {
    open: async () => {
      for (const member of tree ? processTree(pid) : [pid]) {
        const limit = await readDescriptorLimit(member);
        if (limit !== undefined) members.set(member, { limit: limit.soft, most: 0, restUntilMs: 0 });
      }
      await look();
    },
    look,
    used: () => {
      const seen = [...members.values()].filter(({ most }) => most > 0);
      const [fullest] = seen.toSorted((a, b) => share(b) - share(a) || b.most - a.most);
      return fullest === undefined ? undefined : { name, role, most: fullest.most, limit: fullest.limit };
    },
  };
}

function share({ most, limit }: { readonly most: number; readonly limit: number | null }): number {
  return limit === null || limit === 0 ? 0 : most / limit;
}
