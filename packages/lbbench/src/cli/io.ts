import type { Readable, Writable } from "node:stream";
import type { WriteStream } from "node:tty";

/** A stream that a command prints to; what is known of a terminal is missing where it is none. */
export type Output = Writable & Partial<Pick<WriteStream, "isTTY" | "columns" | "rows">>;

/** The signals that end a program, as an abort. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Gives the signals back. */
  readonly release: () => void;
}

/** What to do beside aborting and exiting. */
export interface InterruptListeners {
  readonly onFirst?: () => void;
  /** Called just before the exit; there is no time for anything that takes any. */
  readonly onSecond?: () => void;
}

/** What a command line has of the process around it, so that several can run in one process, each with its own. */
export interface CommandIo {
  /** Opens the standard input, which a command that reads nothing leaves alone. */
  readonly openStdin: () => Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Absolute path of the folder in which relative paths of the command line begin. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes over from here on what interrupts the command: the first time aborts, the second one ends everything at once. */
  readonly catchInterrupt: (listeners?: InterruptListeners) => Interrupt;
}

/** A command line that runs. */
export interface Invocation extends CommandIo {
  /** Without program and script. */
  readonly argv: readonly string[];
}

/** Called with a command that was chosen, which resolves with its exit code. */
export type RunCommand = (command: (invocation: Invocation) => Promise<number>) => Promise<void> | void;
