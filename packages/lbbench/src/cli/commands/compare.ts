import { resolve } from "node:path";
import { nameFlag, settingsOf } from "../../config/settings.js";
import type { Result } from "../../index.js";
import { ExitCode, type Command } from "../io.js";
import { columnsOf, printJson } from "../terminal.js";
import { defined } from "../../stats/defined.js";

interface OwnFlags {
  readonly target?: readonly string[];
  readonly format?: "md" | "text";
  readonly json?: boolean;
  readonly quiet?: boolean;
}

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
  execute: async ({ words: [givenA, givenB], read, stdout, cwd }) => {
    const { compare, parseSweepInput, readResult, renderComparison } = await import("../../index.js");
    const { input, own } = await read<OwnFlags>();
    const { margin } = parseSweepInput(input, nameFlag);
    // A pipe leads to a pull request more often than to a reader.
    const { target = [], format = stdout.isTTY === true ? "text" : "md", json, quiet } = own;
    const { result: a } = await readResult(resolve(cwd, String(givenA)));
    const { result: b } = await readResult(resolve(cwd, String(givenB)));
    const targets = target.map((text) => parseTargetPair(text, a, b));
    const comparison = compare(a, b, defined({ margin, targets: targets.length === 0 ? undefined : targets }));
    if (json === true) stdout.write(printJson(comparison));
    else if (quiet !== true) stdout.write(renderComparison(comparison, format, columnsOf(stdout)));
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
