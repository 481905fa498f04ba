import { getSystemErrorMap } from "node:util";

/**
 * Why something failed, for the end of a message: `no such file or directory (ENOENT)` for an error of the operating
 * system, whose own message repeats the path; the message of any other error, with lines after the first indented.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [, system] = "errno" in error ? (getSystemErrorMap().get(Number(error.errno)) ?? []) : [];
  if (system !== undefined && "code" in error) return `${system} (${String(error.code)})`;
  return error.message.trimEnd().replaceAll(/\s*\n\s*/g, "\n  ");
}
