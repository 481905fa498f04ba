import { resolve } from "node:path";
import { settingsOf } from "../../config/settings.js";
import type { Result } from "../../index.js";
import { ExitCode, type Command } from "../io.js";
import { columnsOf } from "../terminal.js";

const FORMATS = ["md", "text"] as const;

/** `lbbench compare`. */
export const compareCommand: Command = {
  name: "compare",
  summary: "judge one result against another",
  about:
    "Judges result B against result A, level by level, over their trials.\n" +
    "Exit code 0: B is not worse; 1: it is, beyond the margin; 3: that cannot be told.",
  arguments: [
    { name: "<A>", about: "the reference: a result.json, or the folder it is in" },
    { name: "<B>", about: "what is judged against it" },
  ],
  settings: settingsOf("compare"),
  examples: ["compare before after", "compare before after --margin 10% -t old=new"],
  run: async ([givenA, givenB], flags, { stdout, cwd }) => {
    const { compare, parseMargin, readResult, renderComparison } = await import("../../index.js");
    const { naming, readWord } = await import("../flags.js");
    // A pipe leads to a pull request more often than to a reader.
    const format = readWord(
      String(flags["format"] ?? (stdout.isTTY === true ? "text" : "md")),
      FORMATS,
      "-f, --format",
    );
    const { margin, target = [] } = flags;
    const margins = margin === undefined ? {} : { margin: naming("--margin", () => parseMargin(String(margin))) };
    const { result: a } = await readResult(resolve(cwd, String(givenA)));
    const { result: b } = await readResult(resolve(cwd, String(givenB)));
    const pairs = [target].flat().map((text) => parseTargetPair(String(text), a, b));
    const comparison = compare(a, b, { ...margins, ...(pairs.length === 0 ? {} : { targets: pairs }) });
    if (flags["json"] === true) stdout.write(`${JSON.stringify(comparison, null, 2)}\n`);
    else if (flags["quiet"] !== true) stdout.write(renderComparison(comparison, format, columnsOf(stdout)));
    return ExitCode[comparison.status];
  },
};

/**
 * Reads which target of A is compared with which of B: `old=new`, or one name that both have. A name may contain an
 * equals sign itself, as URLs do. Whether there are such targets is for `compare` to say.
 */
export function parseTargetPair(text: string, a: Result, b: Result): readonly [string, string] {
  const has = ({ scenario }: Result, name: string): boolean => scenario.targets.some((target) => target.name === name);
  const cuts = [...text.matchAll(/=/g)].map(({ index }) => [text.slice(0, index), text.slice(index + 1)] as const);
  const whole = [text, text] as const;
  const known = [whole, ...cuts].find(([left, right]) => has(a, left) && has(b, right));
  return known ?? cuts[0] ?? whole;
}
