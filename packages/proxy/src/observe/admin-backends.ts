import { setImmediate } from "node:timers/promises";
import type { BackendOptions, RemoveOptions } from "../options/options.js";
import { show } from "../options/resolve-values.js";
import { readBackend, readBackendList, readWeight } from "./admin-body.js";
import { AdminRequestError, jsonReply } from "./admin-reply.js";
import type { AdminRequest, AdminRoute, ReadSnapshot } from "./admin-route.js";

/** What changes the backends of a balancer: its `addBackend` and so on, or what does the same for all its workers. */
export interface BackendControl {
  readonly add: (backend: BackendOptions) => void | Promise<void>;
  readonly remove: (name: string, options?: RemoveOptions) => Promise<void>;
  readonly drain: (name: string) => Promise<void>;
  readonly restore: (name: string) => void | Promise<void>;
  readonly setWeight: (name: string, weight: number) => void | Promise<void>;
  /** Makes the backends those of a list; see `reloadBackends`. Without it the admin server offers no such thing. */
  readonly reload?: (backends: readonly BackendOptions[]) => Promise<void>;
}

/** The routes under `/backends`. */
export function backendRoutes(snapshot: ReadSnapshot, backends: BackendControl): readonly AdminRoute[] {
  /** An unknown name is told from bad input before anything is done. */
  const known = async (name: string): Promise<string> => {
    const names = (await snapshot()).backends.map((backend) => backend.name);
    if (names.includes(name)) return name;
    throw new AdminRequestError(404, `There is no backend ${show(name)}. There are ${names.map(show).join(", ")}.`);
  };
  return [
    {
      path: /^\/backends$/,
      method: "POST",
      answer: async ({ request }) => {
        const backend = await readBackend(request);
        await backends.add(backend);
        return jsonReply(201, backend);
      },
    },
    ...(backends.reload === undefined ? [] : [reloadRoute(backends.reload)]),
    {
      path: /^\/backends\/([^/]+)$/,
      method: "DELETE",
      answer: async ({ name, query }) => {
        const options = readGrace(query);
        await known(name);
        await begin(async () => backends.remove(name, options));
        return jsonReply(202, { name });
      },
    },
    {
      path: /^\/backends\/([^/]+)\/drain$/,
      method: "POST",
      answer: async ({ name }) => {
        await known(name);
        await begin(async () => backends.drain(name));
        return jsonReply(202, { name });
      },
    },
    {
      path: /^\/backends\/([^/]+)\/restore$/,
      method: "POST",
      answer: async ({ name }) => {
        await backends.restore(await known(name));
        return jsonReply(200, { name });
      },
    },
    {
      path: /^\/backends\/([^/]+)\/weight$/,
      method: "PUT",
      answer: async ({ name, request }: AdminRequest) => {
        const weight = await readWeight(request);
        await backends.setWeight(await known(name), weight);
        return jsonReply(200, { name, weight });
      },
    },
  ];
}

function reloadRoute(reload: (backends: readonly BackendOptions[]) => Promise<void>): AdminRoute {
  return {
    path: /^\/backends$/,
    method: "PUT",
    answer: async ({ request }) => {
      const list = await readBackendList(request);
      await begin(async () => reload(list));
      return jsonReply(202, list);
    },
  };
}

/** Begins what may take long, and throws what is wrong with it at once; how it ends, nobody is left to be told. */
async function begin(work: () => Promise<void>): Promise<void> {
  const running = work();
  running.catch(() => undefined);
  await Promise.race([running, setImmediate()]);
}

function readGrace(query: URLSearchParams): RemoveOptions {
  const unknown = [...query.keys()].find((key) => key !== "graceMs");
  if (unknown !== undefined)
    throw new AdminRequestError(400, `${show(unknown)}: expected no other parameter than graceMs.`);
  const text = query.get("graceMs");
  if (text === null) return {};
  // A timer of Node takes no more than 31 bits.
  if (/^\d{1,9}$/.test(text)) return { graceMs: Number(text) };
  throw new AdminRequestError(400, `graceMs: expected a whole number of ms of at most 9 digits, got ${show(text)}.`);
}
