/**
 * Whether a slow test can run here: false where one of the programs is missing. `npm run test:slow` looks for them, says what is missing and
 * how to install it, and fails at once in CI; the names are those of `.ci/slow-groups.json`.
 */
export function needs(...programs: readonly string[]): boolean {
  const missing = (process.env["LBBENCH_MISSING_PROGRAMS"] ?? "").split(",");
  return programs.every((program) => !missing.includes(program));
}
