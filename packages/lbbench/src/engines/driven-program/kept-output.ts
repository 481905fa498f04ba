import type { ProgramEnd } from "../../system/supervise.js";

const KEPT_LINES = 1000;
const KEPT_LINE_LENGTH = 1000;

/**
 * What a program printed, to be kept with its measurement: standard output, then standard error, equal lines of which are
 * counted. Of each the first and the last 1,000 lines, each cut at 1,000 characters.
 */
export function keptOutput({ stdout, stderr }: Pick<ProgramEnd, "stdout" | "stderr">): string {
  const complaints = stderr.map(({ line, count }) => (count === 1 ? line : `${line} [${count} times]`));
  return [...shorten(stdout.replace(/\n+$/, "").split("\n")), ...shorten(complaints)].join("\n");
}

function shorten(lines: readonly string[]): readonly string[] {
  const cut = lines.map((line) => (line.length > KEPT_LINE_LENGTH ? `${line.slice(0, KEPT_LINE_LENGTH)} [cut]` : line));
  const leftOut = cut.length - 2 * KEPT_LINES;
  return leftOut <= 0 ? cut : [...cut.slice(0, KEPT_LINES), `[${leftOut} lines left out]`, ...cut.slice(-KEPT_LINES)];
}
