import type { Setting } from "../config/settings.js";
import type { Command } from "./io.js";

/** Shells that there are scripts for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
/** One of {@link SHELLS}. */
export type Shell = (typeof SHELLS)[number];

/** A flag as a script needs it. */
interface Flag {
  /** `-c`, `--connections`. */
  readonly names: readonly string[];
  readonly about: string;
  /** What follows it: one of a few words, a file, or something else; nothing without it. */
  readonly value?: readonly string[] | "file" | "other";
}

interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** What may stand beside the flags. */
  readonly words: readonly string[] | "file" | "other";
}

const HELP: Flag = { names: ["--help"], about: "say what there is" };

/** The script that completes the command line in a shell, made from the table of commands and their settings. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const completed = commands.map(({ name, summary, settings = [], arguments: given = [] }): Completed => {
    const words = given.flatMap((one) => one.words ?? []);
    const other = given.some((one) => /url/.test(one.name)) || given.length === 0 ? "other" : "file";
    return { name, summary, flags: [...settings.map(toFlag), HELP], words: words.length > 0 ? words : other };
  });
  return WRITERS[shell](completed);
}

function toFlag({ flags = "", about, words }: Setting): Flag {
  const [, value] = / [<[](\S+)[>\]]$/.exec(flags) ?? [];
  const names = flags.match(/(?<![\w-])--?[\w-]+/g) ?? [];
  if (value === undefined) return { names, about };
  return { names, about, value: words ?? (/file|dir|path/.test(value) ? "file" : "other") };
}

const WRITERS: Readonly<Record<Shell, (commands: readonly Completed[]) => string>> = {
  bash: (commands) => `# Completes lbbench in bash: eval "$(lbbench completion bash)"
_lbbench() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quote(["--help", "--version", ...commands.map(({ name }) => name)].join(" "))} -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]} $before" in
${valueCases(commands, {
  words: (words) => `COMPREPLY=($(compgen -W ${quote(words.join(" "))} -- "$word")); return ;;`,
  file: `COMPREPLY=($(compgen -f -- "$word")); return ;;`,
  other: "return ;;",
})}
  esac
  case "\${COMP_WORDS[1]}" in
${commands
  .map(({ name, flags, words }) => {
    const files = words === "file" ? `; [[ $word == -* ]] || COMPREPLY=($(compgen -f -- "$word"))` : "";
    const all = [...flags.flatMap(({ names }) => names), ...(typeof words === "string" ? [] : words)];
    return `    ${name}) COMPREPLY=($(compgen -W ${quote(all.join(" "))} -- "$word"))${files} ;;`;
  })
  .join("\n")}
  esac
}
complete -o filenames -F _lbbench lbbench
`,
  zsh: (commands) => `#compdef lbbench
# Completes lbbench in zsh: eval "$(lbbench completion zsh)"
_lbbench() {
  local -a entries
  if (( CURRENT == 2 )); then
    entries=(${commands.map(({ name, summary }) => quote(`${name}:${summary}`)).join(" ")})
    _describe command entries
    return
  fi
  case "\${words[2]} \${words[CURRENT-1]}" in
${valueCases(commands, { words: (words) => `compadd -- ${words.map(quote).join(" ")}; return ;;`, file: "_files; return ;;", other: "return ;;" })}
  esac
  case "\${words[2]}" in
${commands
  .map(({ name, flags, words }) => {
    const entries = flags.flatMap(({ names, about }) => names.map((one) => quote(`${one}:${about}`)));
    const others = words === "file" ? "_files" : words === "other" ? ":" : `compadd -- ${words.map(quote).join(" ")}`;
    return `    ${name}) entries=(${entries.join(" ")}); [[ \${words[CURRENT]} == -* ]] && _describe flag entries || ${others} ;;`;
  })
  .join("\n")}
  esac
}
if [[ \${funcstack[1]} == _lbbench ]]; then _lbbench "$@"; else compdef _lbbench lbbench; fi
`,
  fish: (commands) => `# Completes lbbench in fish: lbbench completion fish | source
complete -c lbbench -f
${commands
  .flatMap(({ name, summary, flags, words }) => {
    const isChosen = `complete -c lbbench -n '__fish_seen_subcommand_from ${name}'`;
    const others =
      words === "file" ? [`${isChosen} -F`] : words === "other" ? [] : [`${isChosen} -a ${fish(words.join(" "))}`];
    return [
      `complete -c lbbench -n __fish_use_subcommand -a ${name} -d ${fish(summary)}`,
      ...others,
      ...flags.map((flag) => `${isChosen} ${fishFlag(flag)}`),
    ];
  })
  .join("\n")}
`,
};

interface ValueActions {
  readonly words: (words: readonly string[]) => string;
  readonly file: string;
  readonly other: string;
}

/** The branches of a `case` over a command and the flag before the word that is completed. */
function valueCases(commands: readonly Completed[], actions: ValueActions): string {
  const lines = commands.flatMap(({ name, flags }) =>
    flags.flatMap(({ names, value }) => {
      if (value === undefined) return [];
      const action = typeof value === "string" ? actions[value] : actions.words(value);
      return [`    ${names.map((one) => quote(`${name} ${one}`)).join("|")}) ${action}`];
    }),
  );
  return lines.join("\n");
}

function fishFlag({ names, about, value }: Flag): string {
  const letters = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const takes =
    value === undefined
      ? ""
      : value === "file"
        ? " -r -F"
        : value === "other"
          ? " -x"
          : ` -x -a ${fish(value.join(" "))}`;
  return `${letters.join(" ")}${takes} -d ${fish(about)}`;
}

/** A word in quotes for bash and zsh. */
function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A word in quotes for fish. */
function fish(word: string): string {
  return `'${word.replaceAll(/['\\]/g, "\\$&")}'`;
}
