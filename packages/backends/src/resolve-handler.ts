import { formatHandler } from "./format-handler.js";
import type { HandlerSpec } from "./handler-spec.js";
import { parseHandler } from "./parse-handler.js";

/** A spec that has been checked, from a spec or its text. Throws a `HandlerSpecError`. */
export function resolveHandler(handler: HandlerSpec | string): HandlerSpec {
  return parseHandler(typeof handler === "string" ? handler : formatHandler(handler));
}
