import { validateHeaderName } from "node:http";
import { BalancerOptionsError } from "../options/balancer-options-error.js";
import type { PolicyRequest } from "./policy.js";

/**
 * What requests are told apart by: the path without the query, the value of a header (its name in any case), or the
 * value of a cookie.
 */
export type HashKey = "path" | `header:${string}` | `cookie:${string}`;

/** Returns a function that reads a key from a request, `undefined` when it has none; throws a `BalancerOptionsError`. */
export function keyReader(key: HashKey): (request: PolicyRequest) => string | undefined {
  const [kind, name] = splitKey(key);
  if (kind === "path" && name === undefined) return readPath;
  if (kind === "header" && isToken(name)) return headerReader(name.toLowerCase());
  if (kind === "cookie" && isToken(name)) return cookieReader(name);
  throw new BalancerOptionsError(
    `key: expected "path", "header:NAME" or "cookie:NAME", like "header:x-user"; got ${JSON.stringify(key) ?? "none"}.`,
  );
}

function splitKey(key: unknown): readonly [kind: string, name: string | undefined] {
  const text = typeof key === "string" ? key : "";
  const colon = text.indexOf(":");
  return colon === -1 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
}

function isToken(name: string | undefined): name is string {
  try {
    validateHeaderName(name ?? "");
    return true;
  } catch {
    return false;
  }
}

function readPath({ url }: PolicyRequest): string | undefined {
  const query = url?.indexOf("?") ?? -1;
  return query === -1 ? url : url?.slice(0, query);
}

function headerReader(name: string) {
  return ({ headers }: PolicyRequest): string | undefined => {
    // Headers are a plain object, which has a "constructor" that nobody sent.
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return typeof value === "object" ? value.join(", ") : value;
  };
}

function cookieReader(name: string) {
  return ({ headers }: PolicyRequest): string | undefined => {
    for (const pair of headers.cookie?.split(";") ?? []) {
      const equals = pair.indexOf("=");
      if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
    }
    return undefined;
  };
}
