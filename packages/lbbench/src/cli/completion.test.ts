import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "./commands/commands.js";
import { completionScript, SHELLS, type Shell } from "./completion.js";

/** How a shell that has read the script is asked for what it offers at the end of a line. */
const ASK: Readonly<Record<Shell, (line: string) => string>> = {
  bash: (line) =>
    `COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _lbbench; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (line) => `
    _describe() { print -l -- \${(@P)2%%:*} }; compadd() { shift; print -l -- "$@" }; _files() { print FILES }
    words=(${line}); CURRENT=\${#words}; _lbbench`,
  fish: (line) => `complete -C ${JSON.stringify(line.replaceAll("''", ""))}`,
};

function offered(shell: Shell, line: string): readonly string[] {
  const before = shell === "zsh" ? "compdef() { : }\n" : "";
  const script = `${before}${completionScript(shell, COMMANDS)}\n${ASK[shell](line)}\n`;
  const { stdout, stderr } = spawnSync(shell, ["-c", script], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").flatMap((one) => one.split("\t")[0] || []);
}

const installed = SHELLS.filter((shell) => spawnSync(shell, ["-c", "exit"]).status === 0);

describe.each(installed)("the script for %s", (shell) => {
  it.each([
    ["lbbench ''", ["sweep", "max", "compare", "completion"], ["--connections"]],
    ["lbbench sweep --", ["--connections", "--json-lines", "--warmup"], ["--by"]],
    ["lbbench max --", ["--by", "--beyond"], ["--connections"]],
    ["lbbench sweep --engine ''", ["autocannon", "wrk"], ["--connections"]],
    ["lbbench ramp --restart ''", ["trial", "step"], ["--from"]],
    ["lbbench completion ''", ["bash", "zsh", "fish"], []],
  ])("offers after %s what is known there", (line, some, none) => {
    const words = offered(shell, line);
    expect(words).toEqual(expect.arrayContaining(some));
    expect(words.filter((word) => none.includes(word))).toEqual([]);
  });
});

it.each(SHELLS)("the script for %s names every command and every flag", (shell) => {
  const flags = COMMANDS.flatMap(({ settings = [] }) => settings.map((one) => /--([\w-]+)/.exec(one.flags ?? "")?.[1]));
  const script = completionScript(shell, COMMANDS);
  const missing = [...COMMANDS.map(({ name }) => name), ...flags].filter((word = "") => !script.includes(word));
  expect(missing).toEqual([]);
});
