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
  const { url, name, weight } = await readObject(request, ["url", "name", "weight"]);
  if (typeof url !== "string") {
    throw new BalancerOptionsError(`body.url: expected a URL like "http://127.0.0.1:4001", got ${show(url)}.`);
  }
  if (name !== undefined && typeof name !== "string") {
    throw new BalancerOptionsError(`body.name: expected a text, got ${show(name)}.`);
  }
  return {
    url,
    ...(name === undefined ? {} : { name }),
    ...(weight === undefined ? {} : { weight: resolveWeight(weight, "body.weight") }),
  };
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
  const text = await readText(request);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AdminRequestError(400, `body: expected JSON with ${names.join(", ")}; got ${show(text.slice(0, 80))}.`);
  }
  refuseUnknown(value, names, "body");
  return value as Readonly<Partial<Record<Name, unknown>>>;
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
