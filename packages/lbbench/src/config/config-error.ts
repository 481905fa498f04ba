import { getSystemErrorMap, inspect } from "node:util";
import didYouMean from "didyoumean2";

/** Something asked for that cannot be done: a value, a flag, a combination. Nothing has been started. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "BAD_CONFIG";
}

/** Throws a {@link ConfigError} with a message unless something holds. */
export function insist(holds: boolean, message: string): asserts holds {
  if (!holds) throw new ConfigError(message);
}

/** Throws a {@link ConfigError} with the first problem that there is. Where the types are to know what holds, {@link insist} on it. */
export function refuse(...problems: readonly (string | false | undefined)[]): void {
  const first = problems.find((one) => one !== undefined && one !== false);
  if (first !== undefined) throw new ConfigError(first);
}

/** Waits for something that may fail. Its failure is thrown as an error of another kind, whose message says why. */
export async function explained<T>(
  doing: Promise<T>,
  Kind: new (message: string, options: ErrorOptions) => Error,
  explain: (why: string) => string,
): Promise<T> {
  return doing.catch((cause: unknown) => {
    throw new Kind(explain(describeFailure(cause)), { cause });
  });
}

/** `a, b or c`. */
export function listWords(words: Iterable<string>): string {
  // Intl.ListFormat takes 10 ms to make.
  const all = [...words];
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
}

/** ` Did you mean "x"?` for the known word that is most like the one given, or nothing. */
export function suggest(word: string, known: Iterable<string>): string {
  const best = didYouMean(word, [...known]);
  return best === null ? "" : ` Did you mean "${best}"?`;
}

/**
 * Why something failed, for the end of a message: `no such file or directory (ENOENT)` for an error of the operating
 * system, whose own message repeats the path; the message of any other error, with lines after the first indented.
 */
export function describeFailure(error: unknown): string {
  if (typeof error === "string" && error.trim() !== "") return error;
  if (!(error instanceof Error)) return `it threw ${inspect(error, { depth: 0 })}, where an Error would say why`;
  const [, system] = "errno" in error ? (getSystemErrorMap().get(Number(error.errno)) ?? []) : [];
  if (system !== undefined && "code" in error) return `${system} (${String(error.code)})`;
  return (
    error.message.trim().replaceAll(/\s*\n\s*/g, "\n  ") || `it threw ${error.name || "an Error"} without a message`
  );
}
