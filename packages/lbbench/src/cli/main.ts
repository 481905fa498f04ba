import { inspect } from "node:util";
import { Argument, Command as Program, CommanderError, Option } from "commander";
import { type Setting } from "../config/field.js";
import { TOOL } from "../own-package.js";
import { COMMANDS } from "./commands/commands.js";
import { nameByFlag, readFlags, REPEATED } from "./flags.js";
import { ExitCode, type Command, type CommandIo, type Flags, type Word } from "./io.js";
import { columnsOf, toPrintable } from "./terminal.js";

const WIDTH_WITHOUT_TERMINAL = 80;

/** Executes a command line (without program and script) and resolves with its exit code; prints errors to stderr. */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
  let code: number = ExitCode.pass;
  let settings: readonly Setting[] = [];
  const program = createProgram(async (command, words, flags) => {
    const rows = command.settings ?? [];
    settings = rows;
    code = await command.execute({
      ...io,
      argv,
      words,
      flags,
      read: async (folder) => readFlags(flags, rows, { cwd: io.cwd, folder }),
      commands: COMMANDS,
    });
  });
  for (const command of [program, ...program.commands]) {
    command.configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      // It quotes what was typed.
      writeErr: (text) => void io.stderr.write(toPrintable(text)),
      getOutHelpWidth: () => columnsOf(io.stdout) ?? WIDTH_WITHOUT_TERMINAL,
      getErrHelpWidth: () => columnsOf(io.stderr) ?? WIDTH_WITHOUT_TERMINAL,
    });
  }
  try {
    // Commander would print the whole help for `help nosuch`, and not say why.
    const isAskedOfNone = argv[0] === "help" && !program.commands.some((command) => command.name() === argv[1]);
    await program.parseAsync(isAskedOfNone && argv.length > 1 ? argv.slice(1) : [...argv], { from: "user" });
    return code;
  } catch (error) {
    // Commander has printed its own.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.pass : ExitCode.usage;
    const { text, exitCode } = describeError(error, settings);
    io.stderr.write(text);
    return exitCode;
  }
}

/** Called with the command that was chosen. */
type OnCommand = (command: Command, words: readonly Word[], flags: Flags) => Promise<void> | void;

/** Builds the command line from the tables of commands and settings. Errors of usage are thrown after they were printed. */
export function createProgram(onCommand: OnCommand): Program {
  const program = new Program("lbbench")
    .description("Measures HTTP load balancers and the servers behind them.")
    .exitOverride()
    .version(TOOL.version, "-V, --version", "print the version")
    .showHelpAfterError("(lbbench --help says what there is)")
    .addHelpText("after", examplesOf(COMMANDS.map(({ examples: [first] }) => first)));
  for (const command of COMMANDS) addCommand(program, command, onCommand);
  return program;
}

function addCommand(program: Program, command: Command, onCommand: OnCommand): void {
  const { name, summary, about, settings = [], examples, notes = [] } = command;
  const words = command.arguments ?? [];
  const added = program
    .command(name)
    .summary(summary)
    .description(about)
    .showHelpAfterError(`(lbbench ${name} --help says what there is)`)
    .addHelpText("after", [...notes.map((note) => `\n${note}`), examplesOf(examples)].join(""))
    .action((...given: unknown[]) =>
      onCommand(command, given.slice(0, words.length) as readonly Word[], given[words.length] as Flags),
    );
  for (const word of words) added.addArgument(new Argument(word.name, word.about).default(word.default));
  for (const setting of settings) added.addOption(toOption(setting));
}

function examplesOf(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  lbbench ${line}\n`).join("")}`;
}

/** A flag with what it does, an example and its default. */
function toOption({ flags = "", kind, about, example, default: otherwise, ...others }: Setting): Option {
  const { conflicts = [], isRequired = false } = others;
  const such = example === undefined ? "" : `, such as ${example}`;
  const text = `${about}${such}${otherwise === undefined ? "" : ` (default: ${otherwise})`}`.replaceAll("`", "");
  const option = new Option(flags, text).conflicts([...conflicts]).makeOptionMandatory(isRequired);
  if (kind === undefined || !REPEATED.has(kind)) return option;
  return option.argParser((value, earlier: readonly string[] | undefined) => [...(earlier ?? []), value]);
}

/** Exit codes of the errors that a user can act on, by code; errors of the sibling packages by name. */
const CODES = new Map<unknown, number>([
  ["BAD_CONFIG", ExitCode.usage],
  ["IMPORT_FAILED", ExitCode.usage],
  ["OUTPUT_FAILED", ExitCode.usage],
  ["START_FAILED", ExitCode.unreachable],
  ["STOP_FAILED", ExitCode.unreachable],
  ["WORKER_LOST", ExitCode.unreachable],
  ["WORKERS_DIFFER", ExitCode.unreachable],
  ["BalancerOptionsError", ExitCode.usage],
  ["HandlerSpecError", ExitCode.usage],
  ["BalancerListenError", ExitCode.unreachable],
  ["BackendStartError", ExitCode.unreachable],
]);

/**
 * Describes an error for the user: its message, or a stack trace when it is a bug. An option that a server of ours
 * complains of is named by the flag that gave it.
 */
export function describeError(
  error: unknown,
  settings: readonly Setting[] = [],
): { readonly text: string; readonly exitCode: number } {
  const { name, code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (code === "EMFILE" || code === "ENFILE") {
    const expected = "error: expected file descriptors enough for all files and connections";
    const todo = "Raise the limit in this shell, and run lbbench again: ulimit -n 65536";
    return { text: `${expected}, got ${toPrintable(message ?? code)}. ${todo}\n`, exitCode: ExitCode.usage };
  }
  const exitCode = CODES.get(code) ?? CODES.get(name);
  if (exitCode === undefined || message === undefined) {
    return { text: `This is a bug in lbbench, please report it:\n${inspect(error)}\n`, exitCode: ExitCode.bug };
  }
  const named = CODES.has(name) ? nameByFlag(message, settings) : undefined;
  return {
    // A line that is indented continues the one above it.
    text: `${toPrintable(named ?? message).replaceAll(/^(?!\s|$)/gm, "error: ")}\n`,
    exitCode: named === undefined ? exitCode : ExitCode.usage,
  };
}
