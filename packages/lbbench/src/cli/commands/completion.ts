import type { Setting } from "../../config/field.js";
import { readWord } from "../flags.js";
import { ExitCode, type Command } from "../io.js";

/** `lbbench completion`. */
export const completionCommand: Command = {
  name: "completion",
  summary: "print a script that completes command lines",
  about: "Prints the script that lets a shell complete commands, flags and their words. It asks lbbench for them.",
  arguments: [
    { name: "<shell>", about: "bash, zsh or fish", words: ["bash", "zsh", "fish"] },
    { name: "[words...]", about: "behind `words` in place of a shell: print what may follow on a command line" },
  ],
  examples: ["completion bash >> ~/.bashrc", "completion zsh > ~/.zfunc/_lbbench", "completion fish | source"],
  execute: async ({ words: [shell, words = []], stdout, commands }) => {
    if (shell === "words") {
      const lines = completeWords([words].flat(), commands);
      stdout.write(lines.map((line) => `${line}\n`).join(""));
      return ExitCode.pass;
    }
    const given = [shell, words].flat().join(" ");
    stdout.write(SCRIPTS[readWord(given, Object.keys(SCRIPTS), "shell")] ?? "");
    return ExitCode.pass;
  },
};

/** The script that completes the command line in each shell. It asks `lbbench completion words` for what can come next. */
export const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# Completes lbbench in bash: eval "$(lbbench completion bash)"
_lbbench() {
  local IFS=$'\\n' words
  words=$(lbbench completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _lbbench lbbench
`,
  zsh: `#compdef lbbench
# Completes lbbench in zsh: eval "$(lbbench completion zsh)"
_lbbench() {
  local -a entries
  entries=(\${\${\${(f)"$(lbbench completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"}//:/\\\\:}/$'\\t'/:})
  if (( $#entries )); then _describe lbbench entries; else _files; fi
}
if [[ \${funcstack[1]} == _lbbench ]]; then _lbbench "$@"; else compdef _lbbench lbbench; fi
`,
  fish: `# Completes lbbench in fish: lbbench completion fish | source
function __lbbench
  set -l words (lbbench completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if set -q words[1]; printf '%s\\n' $words; else; __fish_complete_path (commandline -ct); end
end
complete -c lbbench -f -a '(__lbbench)'
`,
};

/**
 * What may stand in the place of the last of these words, each with what it is behind a tab; nothing where it may be anything, such as
 * a file.
 */
export function completeWords(words: readonly string[], commands: readonly Command[]): readonly string[] {
  const [name = "", ...others] = words;
  if (others.length === 0) {
    return [
      "--help\tsay what there is",
      "--version\tprint the version",
      ...commands.map((one) => `${one.name}\t${one.summary}`),
    ];
  }
  const { settings = [], arguments: given = [] } = commands.find((one) => one.name === name) ?? {};
  const before = settings.find(
    (setting) => / [<[]/.test(setting.flags ?? "") && namesOf(setting).includes(others.at(-2) ?? ""),
  );
  if (before !== undefined) return before.words ?? [];
  const flags = settings.flatMap((setting) => namesOf(setting).map((flag) => `${flag}\t${setting.about}`));
  const known = given.flatMap((one) => one.words ?? []);
  const takesFile = given.some(({ name: word, words: some }) => some === undefined && word !== "[url]");
  const isFlag = others.at(-1)?.startsWith("-") === true || (known.length === 0 && !takesFile);
  return isFlag ? [...flags, "--help\tsay what there is"] : known;
}

/** `-c`, `--connections`. */
function namesOf({ flags = "" }: Setting): readonly string[] {
  return flags.match(/(?<![\w-])--?[\w-]+/g) ?? [];
}
