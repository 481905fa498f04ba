import { writeSync } from "node:fs";
import { inspect, stripVTControlCharacters } from "node:util";
import { setSecret } from "@actions/core";
import { describeFinding, describeLoad, renderStepLine, secretsOf, type SweepListener } from "lbbench";

/** Does nothing to the eye, and parts what the runner would read as a command. */
const PARTED = "\u200B";

/**
 * Returns a line for the log of a job that may quote anything. The runner takes commands from the log, where a line begins with
 * `::` or contains `##[`; nothing in this one is a command, or ends the line.
 */
export function toLogLine(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, " ")
    .replace(/^(\s*):(?=:)/u, `$1:${PARTED}`)
    .replaceAll("##[", `##${PARTED}[`);
}

/** Prints lines that may quote anything to the log of the job. */
export function printLines(text: string): void {
  for (const line of text.trimEnd().split("\n")) process.stdout.write(`${toLogLine(line)}\n`);
}

/** Returns a listener that prints a line for each step of a sweep that is done, and for what a step may run out of. */
export function createProgressLog(): SweepListener {
  let total = 0;
  return (event) => {
    if (event.type === "start" || event.type === "plan") total = event.total;
    if (event.type === "warning") {
      const { step, finding } = event;
      const at = `${step.target} at ${describeLoad(step.level)}`;
      printLines(`warning ${finding.code}: ${at}: ${describeFinding(finding).text}`);
    }
    if (event.type === "step-done") {
      printLines(`[${event.index + 1}/${total}] ${renderStepLine(event.step)}`);
    }
  };
}

/** What the runner gives to the action alone: its inputs, of which one is a token, and the keys to its own services. */
const FOR_THE_ACTION = /^(?:INPUT_|ACTIONS_(?:\w+_)?(?:TOKEN|URL)$)/;

/** Files by which the runner is told what later steps believe. */
const FILES = ["GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"] as const;

/**
 * Removes from the environment what must not reach the config and the servers under test, which are started with it: inputs and the
 * tokens of the runner for ever, the files that it reads until the function returned is called.
 */
export function withholdEnvironment(): () => void {
  const { env } = process;
  for (const name of Object.keys(env)) if (FOR_THE_ACTION.test(name.toUpperCase())) delete env[name];
  const kept = FILES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  for (const name of FILES) delete env[name];
  return () => Object.assign(env, Object.fromEntries(kept));
}

/** Shorter texts occur in ordinary words, and are no secrets. */
const SHORTEST_SECRET = 4;

/** The secrets of a run, which nothing that it says may show. */
export class Secrets {
  readonly #known = new Set<string>();

  /** Takes the secrets in data. The runner masks new ones in the log. */
  learn(data: unknown): void {
    const found = secretsOf(data).filter((one) => one.length >= SHORTEST_SECRET && !this.#known.has(one));
    for (const secret of new Set(found)) setSecret(secret);
    for (const secret of found) this.#known.add(secret);
  }

  /** Returns a text, which may be Markdown, with `***` for each secret. */
  conceal(text: string): string {
    // The longest first, because another may be a part of it.
    const longestFirst = [...this.#known].toSorted((a, b) => b.length - a.length);
    return longestFirst.reduce((hidden, one) => hidden.replaceAll(asWritten(one), "***"), text);
  }
}

/** Finds a text as it is, and as Markdown has it: with a backslash before what would be markup. */
function asWritten(text: string): RegExp {
  const signs = Array.from(text, (sign) => sign.replace(/[\\^$.*+?()[\]{}|]/, String.raw`\$&`));
  return new RegExp(signs.map((sign) => String.raw`\\?${sign}`).join(""), "g");
}

const ENDED_EARLY =
  "::error::The process ended before the step was done, and nothing was judged. A plugin or a config file calls process.exit, " +
  "throws outside of any catch, or waits for ever.\n";

/** Fails the step where this process ends before it is done; returns what allows it to end. */
export function guardExit(): () => void {
  const fail = (code: number): void => {
    writeSync(process.stdout.fd, ENDED_EARLY);
    if (code === 0) process.exitCode = 1;
  };
  process.once("exit", fail);
  return () => void process.off("exit", fail);
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
const INTERRUPTED = 130;

/**
 * Does some work with a signal that aborts when the job is cancelled. The runner sends SIGINT, and SIGTERM some seconds later. The first
 * aborts, so that what was measured can be shown; the second ends this process at once, and with it all that it has started.
 */
export async function untilCancelled<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const cancel = (): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, cancel);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of SIGNALS) process.off(name, cancel);
  }
}

/** Codes of the errors that a user can do something about; any other is a bug and keeps its stack trace. */
const EXPECTED: ReadonlySet<unknown> = new Set([
  "BAD_CONFIG",
  "OUTPUT_FAILED",
  "START_FAILED",
  "STOP_FAILED",
  "WORKER_LOST",
  "WORKERS_DIFFER",
]);

/** What is said of an error: its message and what to do next, or a stack trace when it is a bug. */
export function describeError(error: unknown): string {
  const isExpected = error instanceof Error && "code" in error && EXPECTED.has(error.code);
  if (!isExpected) return `This is a bug in lbbench, please report it:\n${inspect(error)}`;
  // The bundle of the action has no packages beside it that code of the user could import.
  const [, name] = /Cannot find (?:package|module) '([^'./][^']*)'/.exec(error.message) ?? [];
  const advice = name === undefined ? "" : ` Install ${name} in a step before this one, such as \`npm ci\`.`;
  return `${error.message}${advice}`;
}
