import type { Readable, Writable } from "node:stream";
import type { WriteStream } from "node:tty";
import type { Setting } from "../config/field.js";

/** A stream that a command prints to; what is known of a terminal is missing where it is none. */
export type Output = Writable & Partial<Pick<WriteStream, "isTTY" | "columns" | "rows">>;

/** What a command line has of the process around it, so that several can run in one process, each with its own. */
export interface CommandIo {
  /** Opens the standard input, which a command that reads nothing leaves alone. */
  readonly openStdin: () => Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Absolute path of the folder in which relative paths of the command line begin. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Takes over from here on what interrupts the command, until it is released: the first time aborts, the second one ends everything
   * at once, for which `onSecond` has no time. With `onHangup` SIGHUP calls that, and interrupts only when it tells of the end of the terminal.
   */
  readonly catchInterrupt: (listeners?: {
    readonly onFirst?: () => void;
    readonly onSecond?: () => void;
    readonly onHangup?: (() => void) | undefined;
  }) => {
    readonly signal: AbortSignal;
    readonly release: () => void;
  };
}

/** A command line that is executed: what was typed, and what it has around it. */
export interface Invocation extends CommandIo {
  /** Without program and script. */
  readonly argv: readonly string[];
  /** What was typed for the arguments of the command. */
  readonly words: readonly Word[];
  readonly flags: Flags;
  /** Reads the flags as the rows of the command ask; paths of the input begin at `folder`, which is `cwd` without it. */
  readonly read: <Own = Readonly<Record<string, unknown>>>(folder?: string) => Promise<ReadFlags<Own>>;
  /** All commands that there are. */
  readonly commands: readonly Command[];
}

/** What flags say, read as the rows of the table ask. */
export interface ReadFlags<Own> {
  /** What a config file would say: settings with a path, which the check of the input reads further. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Of settings without a path, by attribute: for the command itself. */
  readonly own: Own;
}

/** Flags as commander hands them over, by attribute: `--live-port` is `livePort`. */
export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** A word of a command line that is no flag. */
export interface Argument {
  /** As commander takes it: `[url]`, `<file...>`. */
  readonly name: string;
  readonly about: string;
  readonly default?: string;
  readonly words?: readonly string[];
}

/** What was typed for an argument: `undefined` where it is missing, several words for `<file...>`. */
export type Word = string | readonly string[] | undefined;

/** A command of lbbench. What it needs it imports when it is executed, so that help costs little more than starting Node. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly about: string;
  readonly arguments?: readonly Argument[];
  /** Its flags, as its help lists them. */
  readonly settings?: readonly Setting[];
  /** Command lines, without the program. */
  readonly examples: readonly [string, ...string[]];
  /** What stands at the end of its help. */
  readonly notes?: readonly string[];
  /** Resolves with the exit code. */
  readonly execute: (invocation: Invocation) => Promise<number>;
}

/** What the command line says with its exit code. */
export const ExitCode = Object.freeze({
  pass: 0,
  /** A threshold or a comparison failed. */
  fail: 1,
  /** Usage or configuration. */
  usage: 2,
  /** The numbers cannot be trusted. */
  inconclusive: 3,
  /** A target could not be started or reached. */
  unreachable: 4,
  /** A defect of lbbench itself; the code that sysexits.h has for it. */
  bug: 70,
  interrupted: 130,
});
