import { HandlerSpecError } from "../handler-spec-error.js";
import type { HandlerSpec } from "../handler-spec.js";
import { cpuHandler } from "./cpu.js";
import { echoHandler } from "./echo.js";
import { errorHandler } from "./error.js";
import { fixedWorkHandler } from "./fixed-work.js";
import type { HandlerKind } from "./handler-kind.js";
import { helloHandler } from "./hello.js";
import { jsonHandler } from "./json.js";
import { sleepHandler } from "./sleep.js";

const kinds: readonly HandlerKind[] = [
  helloHandler,
  jsonHandler,
  echoHandler,
  sleepHandler,
  cpuHandler,
  fixedWorkHandler,
  errorHandler,
];

/** All kinds of handlers, by name. */
export const handlerKinds: ReadonlyMap<string, HandlerKind> = new Map(kinds.map((kind) => [kind.name, kind]));

/** The kind of a spec. Throws a `HandlerSpecError` for a name that no kind has. */
export function kindOf(spec: HandlerSpec): HandlerKind {
  const kind = handlerKinds.get(spec.name);
  if (kind === undefined) {
    throw new HandlerSpecError(`Handler: expected one of ${[...handlerKinds.keys()].join(", ")}, got "${spec.name}".`);
  }
  return kind;
}

/** How each handler is written and what it does, one per line. */
export function describeHandlers(): string {
  return [...handlerKinds.values()].map(({ usage, summary }) => `  ${usage}: ${summary}`).join("\n");
}
