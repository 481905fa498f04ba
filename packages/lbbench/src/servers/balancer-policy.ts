/** The policy of a balancer that lbbench starts: how it is loaded, and what it picks. */
import type { BackendState, Policy, PolicyRequest } from "@lbbench/proxy";
import { importModule, locateModule } from "../config/modules.js";
import type { BackendTurns } from "../model/measurement.js";

/**
 * Makes a policy from a text as `loadPolicy` of the balancer does, with modules found and imported as those of plugins are:
 * from `folder`, also in TypeScript. Rejects with an `Error` that says what was expected.
 */
export async function loadOwnPolicy(text: string, folder: string): Promise<Policy> {
  // Loading the balancer takes time, and only runs with a balancer need it.
  const { loadPolicy } = await import("@lbbench/proxy");
  const importWord = async (word: string): Promise<object | undefined> => {
    const file = await locateModule(word, folder);
    return file === undefined ? undefined : importModule(file);
  };
  return loadPolicy(text, { importModule: importWord });
}

/** Enough to see a list go round several times. */
const MOST_NAMES = 24;

/**
 * Returns a policy that picks as another one does, and counts which backends it picks one after another. The very first has none
 * before it, and counts as in turn. A request that is sent once more, to another backend, is not counted again.
 */
export function watchTurns(policy: Policy, of: BackendTurns["of"]) {
  let first: string[] = [];
  let byBackend = new Map<string, number>();
  let [picked, inTurn] = [0, 0];
  let last: BackendState | undefined;
  const note = (backends: readonly BackendState[], chosen: BackendState, { isRetry }: PolicyRequest): void => {
    const before = last === undefined ? -1 : backends.indexOf(last);
    const isNext = before === -1 || backends[(before + 1) % backends.length] === chosen;
    last = chosen;
    if (isRetry === true) return;
    picked += 1;
    if (isNext) inTurn += 1;
    if (first.length < MOST_NAMES) first.push(chosen.name);
    byBackend.set(chosen.name, (byBackend.get(chosen.name) ?? 0) + 1);
  };
  const create: Policy["create"] = () => {
    const picker = policy.create();
    return {
      began: picker.began?.bind(picker),
      answering: picker.answering?.bind(picker),
      ended: picker.ended?.bind(picker),
      pick(backends, request) {
        const chosen = picker.pick(backends, request);
        if (chosen !== undefined) note(backends, chosen, request);
        return chosen;
      },
    };
  };
  return {
    policy: { name: policy.name, create, sticks: (request: PolicyRequest) => policy.sticks?.(request) === true },
    /** The turns since the last call. */
    take: (): BackendTurns => {
      const taken = { of, picked, inTurn, first, byBackend: Object.fromEntries(byBackend) };
      [first, byBackend, picked, inTurn] = [[], new Map(), 0, 0];
      return taken;
    },
  };
}
