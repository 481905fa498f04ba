import type { HandlerSpec } from "./handler-spec.js";
import { kindOf } from "./handlers/handler-kinds.js";
import { joinSpec } from "./spec/spec-text.js";

/** The canonical text of a handler; `parseHandler` gives the same spec back. */
export function formatHandler(spec: HandlerSpec): string {
  return joinSpec(kindOf(spec).format(spec));
}
