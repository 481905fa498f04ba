import { getSystemErrorMap, inspect } from "node:util";

/**
 * Why something failed, for the end of a message: `no such file or directory (ENOENT)` for an error of the operating
 * system, whose own message repeats the path; the message of any other error, with lines after the first indented. Of what is
 * no error it says what was thrown.
 */
export function describeFailure(error: unknown): string {
  if (typeof error === "string" && error.trim() !== "") return error;
  if (!(error instanceof Error)) return `it threw ${inspect(error, { depth: 0 })}, where an Error would say why`;
  const [, system] = "errno" in error ? (getSystemErrorMap().get(Number(error.errno)) ?? []) : [];
  if (system !== undefined && "code" in error) return `${system} (${String(error.code)})`;
  if (error.message.trim() === "") return `it threw ${error.name === "" ? "an Error" : error.name} without a message`;
  return error.message.trimEnd().replaceAll(/\s*\n\s*/g, "\n  ");
}
