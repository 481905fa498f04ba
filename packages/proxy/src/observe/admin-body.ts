import type { IncomingMessage } from "node:http";
import { BalancerOptionsError } from "../options/balancer-options-error.js";
import type { BackendOptions } from "../options/options.js";
import { resolveWeight } from "../options/resolve-backend.js";
import { refuseUnknown, show } from "../options/resolve-values.js";
import { AdminRequestError } from "./admin-reply.js";

const MAX_BODY_BYTES = 64 * 1024;

/** Throws an `AdminRequestError` (415) for a body of another type than JSON: the others are what forms can send. */
export function requireJson({ headers }: IncomingMessage): void {
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  const type = headers["content-type"];
  if (!hasBody || /^application\/json\s*(?:;|$)/i.test(type ?? "")) return;
  throw new AdminRequestError(415, `Content-Type: expected application/json, got ${show(type)}.`);
}

/** Reads `{ url, name?, weight? }`. */
export async function readBackend(request: IncomingMessage): Promise<BackendOptions> {
  return checkBackend(parseJson(await readText(request), "url, name, weight"), "body");
}

function checkBackend(value: unknown, where: string): BackendOptions {
  refuseUnknown(value, ["url", "name", "weight"], where);
  const { url, name, weight } = value as Readonly<Partial<Record<"url" | "name" | "weight", unknown>>>;
  if (typeof url !== "string") {
    throw new BalancerOptionsError(`${where}.url: expected a URL like "http://127.0.0.1:4001", got ${show(url)}.`);
  }
  if (name !== undefined && typeof name !== "string") {
    throw new BalancerOptionsError(`${where}.name: expected a text, got ${show(name)}.`);
  }
  return {
    url,
    ...(name === undefined ? {} : { name }),
    ...(weight === undefined ? {} : { weight: resolveWeight(weight, `${where}.weight`) }),
  };
}

/** Reads a list of `{ url, name?, weight? }`. */
export async function readBackendList(request: IncomingMessage): Promise<readonly BackendOptions[]> {
  const list = parseJson(await readText(request), "a list of backends");
  if (!Array.isArray(list)) throw new AdminRequestError(400, `body: expected a list of backends, got ${show(list)}.`);
  return list.map((backend, index) => checkBackend(backend, `body[${index}]`));
}

/** Reads `{ weight }`. */
export async function readWeight(request: IncomingMessage): Promise<number> {
  const { weight } = await readObject(request, ["weight"]);
  return resolveWeight(weight, "body.weight");
}

async function readObject<Name extends string>(
  request: IncomingMessage,
  names: readonly Name[],
): Promise<Readonly<Partial<Record<Name, unknown>>>> {
  const value = parseJson(await readText(request), names.join(", "));
  refuseUnknown(value, names, "body");
  return value as Readonly<Partial<Record<Name, unknown>>>;
}

function parseJson(text: string, expected: string): unknown {
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
