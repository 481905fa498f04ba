import type { HandlerSpec } from "./handler-spec.js";
import { kindOf } from "./handlers/handler-kinds.js";
import type { Handler } from "./handlers/handler-kind.js";

/**
 * A handler for `http.createServer`, with a state of its own. `worker` numbers the workers of a cluster from 0, so that
 * each draws random numbers of its own from the same seed.
 */
export function createHandler(spec: HandlerSpec, worker = 0): Handler {
  return kindOf(spec).create(spec, worker);
}
