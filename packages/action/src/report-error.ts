import { inspect } from "node:util";
import { setFailed } from "@actions/core";

/** Codes of the errors that a user can do something about; any other is a bug and keeps its stack trace. */
const EXPECTED: ReadonlySet<unknown> = new Set(["BAD_CONFIG", "OUTPUT_FAILED", "START_FAILED"]);

/** Fails the step with what an error says. */
export function reportError(error: unknown): void {
  setFailed(describeError(error));
}

/** What is said of an error: its message and what to do next, or a stack trace when it is a bug. */
export function describeError(error: unknown): string {
  const isExpected = error instanceof Error && "code" in error && EXPECTED.has(error.code);
  if (!isExpected) return `This is a bug in lbbench, please report it:\n${inspect(error)}`;
  return `${error.message}${adviseOnImport(error.message)}`;
}

/** The bundle of the action has no packages beside it that code of the user could import. */
function adviseOnImport(message: string): string {
  const [, name] = /Cannot find (?:package|module) '([^'./][^']*)'/.exec(message) ?? [];
  return name === undefined ? "" : ` Install ${name} in a step before this one, such as \`npm ci\`.`;
}
