import { closeSync, openSync, writeSync } from "node:fs";
import { killLivingChildren } from "../system/fork.js";
import { ExitCode, type CommandIo } from "./io.js";
import { main } from "./main.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The terminal that this process belongs to; it cannot be opened where there is none, or none any more. */
const TERMINAL = "/dev/tty";

/** Runs the command line of this process with its streams and signals, and ends it with the exit code. */
export async function runProcess(): Promise<never> {
  const { stdout, stderr, env } = process;
  let lost: NodeJS.ErrnoException | undefined;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    // A reader that has gone away (`lbbench proxy --log | head`) is no reason to stop, and wants no more.
    if (error.code !== "EPIPE") lost ??= error;
  });
  stderr.on("error", () => {});
  const releaseExit = guardExit();
  const io = { openStdin: () => process.stdin, stdout, stderr, cwd: process.cwd(), env, catchInterrupt };
  let exitCode = await main(process.argv.slice(2), io).finally(releaseExit);
  // A timer of a plugin may end the process while a slow reader is waited for, but not change what came out.
  process.on("exit", () => {
    process.exitCode = exitCode;
  });
  // What was loaded for the command may hold timers or sockets, and is not waited for; what was printed is.
  await flush(stdout);
  if (lost !== undefined) {
    stderr.write(
      `error: Standard output could not be written: ${lost.message}. Make room, or print to another place\n`,
    );
    if (exitCode === ExitCode.pass) exitCode = ExitCode.usage;
  }
  await flush(stderr);
  process.exit(exitCode);
}

/** Resolves when all that was printed has been read, or can be no more. */
async function flush(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise((resolve) => stream.write("", resolve));
}

/** The same signal so soon after the first is no second one: `timeout` sends it to its child, and to the group of that. */
const ECHO_MS = 200;

/** The first signal aborts, so that what was measured can be written; the second kills every child and exits at once. */
const catchInterrupt: CommandIo["catchInterrupt"] = ({ onFirst, onSecond, onHangup } = {}) => {
  const hadTerminal = onHangup !== undefined && hasTerminal();
  const controller = new AbortController();
  let first: { readonly signal: NodeJS.Signals; readonly atMs: number } | undefined;
  const interrupt = (signal: NodeJS.Signals): void => {
    if (signal === "SIGHUP" && onHangup !== undefined && hadTerminal === hasTerminal()) return onHangup();
    const atMs = performance.now();
    if (first?.signal === signal && atMs - first.atMs < ECHO_MS) return;
    if (first !== undefined) {
      killLivingChildren();
      onSecond?.();
      process.exit(ExitCode.interrupted);
    }
    first = { signal, atMs };
    onFirst?.();
    controller.abort();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  const release = (): void => {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  };
  return { signal: controller.signal, release };
};

function hasTerminal(): boolean {
  try {
    closeSync(openSync(TERMINAL, "r"));
    return true;
  } catch {
    return false;
  }
}

const MESSAGE =
  "error: expected the command to come to its end, but the process ended before: a plugin or a config file that calls process.exit, " +
  "throws where nobody can catch it, or waits for what never comes. Nothing was judged; mend what is named above, or look for such a call\n";

/**
 * Makes any end of this process an error, since its code would pass for a verdict; returns a function that allows it again. An
 * interruption has a code of its own and stays one.
 */
function guardExit(): () => void {
  const refuse = (code: number): void => {
    if (code === ExitCode.interrupted) return;
    writeSync(process.stderr.fd, MESSAGE);
    process.exitCode = ExitCode.usage;
  };
  process.once("exit", refuse);
  return () => void process.off("exit", refuse);
}
