import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { BIN } from "../../test/support/run-cli.js";
import { COMMANDS } from "./commands/commands.js";
import { completeWords, SCRIPTS } from "./commands/completion.js";

const LINES: readonly [string, readonly string[], readonly string[]][] = [
  ["lbbench ''", ["sweep", "max", "compare", "completion"], ["--connections"]],
  ["lbbench sweep ''", ["--connections", "--help"], ["bash"]],
  ["lbbench sweep --", ["--connections", "--json-lines", "--warmup"], ["--needed"]],
  ["lbbench max --", ["--by", "--beyond"], ["--connections"]],
  ["lbbench sweep --engine ''", ["autocannon", "ab"], ["--connections"]],
  ["lbbench ramp --restart ''", ["trial", "step"], ["--from"]],
  ["lbbench completion ''", ["bash", "zsh", "fish"], []],
];

it.each(LINES)("after %s is offered what is known there", (line, some, none) => {
  const typed = line.replaceAll("''", "").split(" ").slice(1);
  const words = completeWords(typed, COMMANDS).map((one) => one.split("\t")[0] ?? "");
  expect(words).toEqual(expect.arrayContaining([...some]));
  expect(words.filter((word) => none.includes(word))).toEqual([]);
});

it("nothing is offered where a file is meant, so that the shell completes its name", () => {
  expect(completeWords(["report", ""], COMMANDS)).toEqual([]);
  expect(completeWords(["sweep", "--config", ""], COMMANDS)).toEqual([]);
});

/** How a shell that has read the script is asked for what it offers at the end of a line. */
const ASK: Readonly<Record<string, (line: string) => string>> = {
  bash: (line) =>
    `COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _lbbench; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (line) => `
    _describe() { print -l -- \${(@P)2%%:*} }; _files() { print FILES }
    words=(${line}); CURRENT=\${#words}; _lbbench`,
  fish: (line) => `complete -C ${JSON.stringify(line.replaceAll("''", ""))}`,
};

const installed = Object.keys(SCRIPTS).filter((shell) => spawnSync(shell, ["-c", "exit"]).status === 0);

describe.each(installed)("the script for %s", (shell) => {
  it.each(LINES)("offers after %s what lbbench knows", (line, some) => {
    const own = shell === "fish" ? `function lbbench; "${process.execPath}" "${BIN}" $argv; end` : "";
    const before = own || `compdef() { :; }\nlbbench() { "${process.execPath}" "${BIN}" "$@"; }`;
    const script = `${before}\n${SCRIPTS[shell]}\n${ASK[shell]?.(line)}\n`;
    const { stdout, stderr } = spawnSync(shell, ["-c", script], { encoding: "utf8" });
    expect(stderr).toBe("");
    const words = stdout.split("\n").flatMap((one) => one.split("\t")[0] || []);
    expect(words).toEqual(expect.arrayContaining([...some]));
  });
});
