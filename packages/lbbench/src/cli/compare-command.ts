import { resolve } from "node:path";
import { compare, ConfigError, readResult, renderComparison, type CompareOptions, type Result } from "../index.js";
import { listWords, suggest } from "../config/config-error.js";
import { parseTargetPair, readMargin, type CompareFlags } from "./compare-flags.js";
import { ExitCode } from "./exit-code.js";
import type { CommandIo } from "./io.js";

const FORMATS = ["md", "text"] as const;

/** Runs `lbbench compare`; resolves with its exit code: 0 not worse, 1 worse beyond the margin, 3 it cannot be said. */
export async function runCompareCommand(
  givenA: string,
  givenB: string,
  flags: CompareFlags,
  { stdout, cwd }: CommandIo,
): Promise<number> {
  const format = chooseFormat(flags.format ?? (stdout.isTTY === true ? "text" : "md"));
  const margin = flags.margin === undefined ? {} : { margin: readMargin(flags.margin) };
  const [{ result: a }, { result: b }] = [
    await readResult(resolve(cwd, givenA)),
    await readResult(resolve(cwd, givenB)),
  ];
  const comparison = compare(a, b, { ...margin, ...chooseTargets(flags, a, b) });
  if (flags.json === true) stdout.write(`${JSON.stringify(comparison, null, 2)}\n`);
  else if (flags.quiet !== true) stdout.write(renderComparison(comparison, format, stdout.columns));
  return ExitCode[comparison.status];
}

function chooseTargets({ target = [] }: CompareFlags, a: Result, b: Result): Pick<CompareOptions, "targets"> {
  return target.length === 0 ? {} : { targets: target.map((text) => parseTargetPair(text, a, b)) };
}

/** A pipe leads to a pull request more often than to a reader. */
function chooseFormat(given: string): (typeof FORMATS)[number] {
  const format = FORMATS.find((one) => one === given);
  if (format !== undefined) return format;
  throw new ConfigError(`-f, --format: expected ${listWords(FORMATS)}, got "${given}".${suggest(given, FORMATS)}`);
}
