import type { BackendOptions, RemoveOptions } from "../options/options.js";
import { refuse, refuseUnknown, checkWeight, show } from "../options/resolve-options.js";
import { AdminRequestError, type AdminRoute, jsonReply, type ReadSnapshot } from "./admin-reply.js";
import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";

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
  const { reload } = backends;
  const putList: AdminRoute[2] = async ({ request }) => {
    const list = await readBackendList(request);
    await begin(async () => reload?.(list));
    return jsonReply(202, list);
  };
  return [
    [
      "POST",
      /^\/backends$/,
      async ({ request }) => {
        const backend = checkBackend(await readJson(request, "url, name, weight"), "body");
        await backends.add(backend);
        return jsonReply(201, backend);
      },
    ],
    ...(reload === undefined ? [] : [["PUT", /^\/backends$/, putList] as const]),
    [
      "DELETE",
      /^\/backends\/([^/]+)$/,
      async ({ name, query }) => {
        const options = readGrace(query);
        await known(name);
        await begin(async () => backends.remove(name, options));
        return jsonReply(202, { name });
      },
    ],
    [
      "POST",
      /^\/backends\/([^/]+)\/drain$/,
      async ({ name }) => {
        await known(name);
        await begin(async () => backends.drain(name));
        return jsonReply(202, { name });
      },
    ],
    [
      "POST",
      /^\/backends\/([^/]+)\/restore$/,
      async ({ name }) => {
        await backends.restore(await known(name));
        return jsonReply(200, { name });
      },
    ],
    [
      "PUT",
      /^\/backends\/([^/]+)\/weight$/,
      async ({ name, request }) => {
        const given = await readJson(request, "weight");
        refuseUnknown(given, ["weight"], "body");
        const weight = checkWeight((given as { readonly weight?: unknown }).weight, "body.weight");
        await backends.setWeight(await known(name), weight);
        return jsonReply(200, { name, weight });
      },
    ],
  ];
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

const MAX_BODY_BYTES = 64 * 1024;

/** Throws an `AdminRequestError` (415) for a body of another type than JSON: the others are what forms can send. */
export function requireJson({ headers }: IncomingMessage): void {
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  const type = headers["content-type"];
  if (!hasBody || /^application\/json\s*(?:;|$)/i.test(type ?? "")) return;
  throw new AdminRequestError(415, `Content-Type: expected application/json, got ${show(type)}.`);
}

function checkBackend(value: unknown, where: string): BackendOptions {
  refuseUnknown(value, ["url", "name", "weight"], where);
  const { url, name, weight } = value as Readonly<Partial<Record<"url" | "name" | "weight", unknown>>>;
  if (typeof url !== "string") {
    refuse(`${where}.url`, 'a URL like "http://127.0.0.1:4001"', url);
  }
  if (name !== undefined && typeof name !== "string") {
    refuse(`${where}.name`, "a text", name);
  }
  return {
    url,
    ...(name === undefined ? {} : { name }),
    ...(weight === undefined ? {} : { weight: checkWeight(weight, `${where}.weight`) }),
  };
}

/** Reads a list of `{ url, name?, weight? }`. */
async function readBackendList(request: IncomingMessage): Promise<readonly BackendOptions[]> {
  const list = await readJson(request, "a list of backends");
  if (!Array.isArray(list)) refuse("body", "a list of backends", list);
  return list.map((backend, index) => checkBackend(backend, `body[${index}]`));
}

async function readJson(request: IncomingMessage, expected: string): Promise<unknown> {
  const text = await readText(request);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new AdminRequestError(400, `body: expected JSON with ${expected}; got ${show(text.slice(0, 80))}.`);
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const tooLarge = new AdminRequestError(413, `body: expected at most ${MAX_BODY_BYTES} bytes, got more.`);
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) throw tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  // To leave this loop early would destroy the connection before the answer.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) throw tooLarge;
  return Buffer.concat(chunks).toString();
}
