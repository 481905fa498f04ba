import { Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import type { CommandIo, Output } from "../../src/cli/io.js";
import { main } from "../../src/cli/main.js";

/** How a command line ended. */
export interface CommandOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What is around a command line. */
export interface CommandSurroundings {
  readonly stdin?: string | Buffer;
  /** Columns of the terminal that it prints to; it prints to pipes without. */
  readonly columns?: number;
  /** Interrupts it when it has printed this on stderr. */
  readonly interruptAt?: RegExp;
}

/** A command line that runs in this process. */
export type RunningCommand = ReturnType<typeof startCommand>;

/** Starts `lbbench` in this process with words, or a line that is split at blanks; it is interrupted when the test has finished. */
export function startCommand(line: string | readonly string[], cwd: string, surroundings?: CommandSurroundings) {
  const { io, ...observed } = aCommandIo(cwd, surroundings);
  const { stdout, stderr, interrupt } = observed;
  const ended = main(typeof line === "string" ? line.split(" ") : line, io).then((code): CommandOutcome => ({
    code,
    stdout: stdout(),
    stderr: stderr(),
  }));
  onTestFinished(async () => {
    interrupt();
    await ended;
  });
  return { ...observed, ended };
}

/** Runs `lbbench` to its end, in this process and with streams of its own. */
export function runCommand(...given: Parameters<typeof startCommand>): Promise<CommandOutcome> {
  return startCommand(...given).ended;
}

/** Streams and signals of a process that is none, to look at; `interrupt` does what the first Ctrl-C does. */
export function aCommandIo(cwd: string, { stdin = "", columns, interruptAt }: CommandSurroundings = {}) {
  const interruption = new AbortController();
  const stdout = collect(columns);
  const stderr = collect(columns, (text) => {
    if (interruptAt?.test(text) === true) interruption.abort();
  });
  let caught = 0;
  const io: CommandIo = {
    openStdin: () => Readable.from([stdin]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    cwd,
    env: {},
    catchInterrupt: ({ onFirst = () => {} } = {}) => {
      caught += 1;
      interruption.signal.addEventListener("abort", onFirst, { once: true });
      return {
        signal: interruption.signal,
        release: () => {
          caught -= 1;
          interruption.signal.removeEventListener("abort", onFirst);
        },
      };
    },
  };
  const interrupt = (): void => interruption.abort();
  return { io, stdout: stdout.text, stderr: stderr.text, interrupt, isInterruptCaught: () => caught > 0 };
}

function collect(columns: number | undefined, onText: (text: string) => void = () => {}) {
  let text = "";
  const stream = new Writable({
    decodeStrings: false,
    write: (piece: string | Buffer, _, done) => {
      text += piece.toString();
      onText(text);
      done();
    },
  });
  const terminal = columns === undefined ? {} : { isTTY: true, columns, rows: 24 };
  return { stream: Object.assign(stream, terminal) as Output, text: () => text };
}
