import { HandlerSpecError } from "./handler-spec-error.js";
import type { HandlerSpec } from "./handler-spec.js";
import { describeHandlers, handlerKinds } from "./handlers/handler-kinds.js";
import { ExpectationError } from "./spec/expectation-error.js";
import { splitSpec } from "./spec/spec-text.js";

/**
 * What a handler's text means: `NAME[:ARGUMENT][,key=value...]`, like `sleep:10ms,size=1kB`. Throws a
 * `HandlerSpecError`.
 */
export function parseHandler(text: string): HandlerSpec {
  try {
    return understand(text);
  } catch (error) {
    if (!(error instanceof ExpectationError)) throw error;
    throw new HandlerSpecError(`Handler "${text}": ${error.message}. Handlers:\n${describeHandlers()}`);
  }
}

function understand(text: string): HandlerSpec {
  const parts = splitSpec(text);
  const kind = handlerKinds.get(parts.name);
  if (kind === undefined) {
    throw new ExpectationError(`one of ${[...handlerKinds.keys()].join(", ")}`, parts.name);
  }
  if (!kind.takesArgument && parts.argument !== undefined) {
    throw new ExpectationError(`nothing after "${kind.name}:"`, parts.argument);
  }
  for (const key of parts.options.keys()) {
    if (!kind.options.includes(key)) throw new ExpectationError(describeOptions(kind.name, kind.options), key);
  }
  return kind.parse(parts);
}

function describeOptions(name: string, options: readonly string[]): string {
  return options.length === 0 ? `no option for ${name}` : `an option of ${name} (${options.join(", ")})`;
}
