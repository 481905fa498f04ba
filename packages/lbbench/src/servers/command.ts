import { resolve } from "node:path";
import { parseArgsStringToArgv } from "string-argv";
import { z } from "zod";
import { builtEntry } from "../child/built-entry.js";
import { describeExit } from "../child/child-died-error.js";
import { forkChild, whileAlive, type Child } from "../child/fork.js";
import { DEFAULTS } from "../config/defaults.js";
import type { RunningServer, Server, ServerContext } from "../plugin.js";
import type { CommandSupervisor } from "./command-supervisor.js";
import { connectOnce } from "./connect-once.js";
import { findFreePort } from "./free-port.js";
import { StartError } from "./start-error.js";
import { waitUntilAnswers } from "./wait-until-answers.js";

const ENTRY = builtEntry(import.meta.url, "./command-supervisor.js");

const options = z.strictObject({
  /** One line that is split into words (no shell is involved), or the words. `{port}` stands for the port. */
  command: z.union([z.string().trim().min(1), z.array(z.string()).min(1)]),
  /** Where it answers; `{port}` stands for the port. */
  url: z
    .string()
    .refine(isHttpUrl, "expected a URL such as http://127.0.0.1:{port}")
    .default(`http://${DEFAULTS.host}:{port}`),
  /** Fixed port; without it a free one is chosen. The command finds it in the environment variable PORT as well. */
  port: z.int().min(1).max(65_535).optional(),
  env: z.record(z.string(), z.string()).default({}),
  /** From the folder of the config file, or else the working folder. */
  cwd: z.string().default("."),
  /** Path that is asked until there is an answer of any status. */
  readyPath: z.string().startsWith("/").default(DEFAULTS.command.readyPath),
  readyTimeoutMs: z.int().min(1).default(DEFAULTS.command.readyTimeoutMs),
});

/** Placeholder of the port in arguments and URL. */
const PORT_PLACE = "{port}";

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text.replaceAll(PORT_PLACE, "1"));
}

type CommandOptions = z.infer<typeof options>;

/** A program in any language, run without a shell. Options: `command`, `url`, `port`, `env`, `cwd`, `readyPath`, `readyTimeoutMs`. */
export const commandServer: Server<CommandOptions> = { name: "command", options, needsOptions: true, start };

async function start(chosen: CommandOptions, context: ServerContext): Promise<RunningServer> {
  if (chosen.port !== undefined) return startAt(chosen.port, chosen, context);
  const { port, release } = await findFreePort();
  try {
    return await startAt(port, chosen, context);
  } finally {
    release();
  }
}

async function startAt(port: number, chosen: CommandOptions, context: ServerContext): Promise<RunningServer> {
  const { signal } = context;
  const fill = (text: string): string => text.replaceAll(PORT_PLACE, String(port));
  const argv = (typeof chosen.command === "string" ? parseArgsStringToArgv(chosen.command) : chosen.command).map(fill);
  const url = new URL(fill(chosen.url));
  await expectNobody(url, argv, signal);
  const supervisor = forkChild<CommandSupervisor>(ENTRY, { name: `supervisor of ${argv[0]}`, ownGroup: true });
  try {
    const { pid } = await whileAlive(supervisor, run(supervisor, argv, { ...chosen, port }, context), signal);
    await whileAlive(supervisor, becomeReady(supervisor, argv, new URL(chosen.readyPath, url), chosen, signal), signal);
    return {
      url: url.href,
      processes: [{ pid, role: "backend", name: context.name ?? String(argv[0]), tree: true }],
      died: Promise.race([
        // Rejects when the supervisor ends; that is told below.
        supervisor.call.ended().then(
          (exit) => `${argv[0]} ended with ${describeExit(exit)}`,
          () => new Promise<string>(() => {}),
        ),
        supervisor.died.then((exit) => `${supervisor.name} ended with ${describeExit(exit)}`),
      ]),
      stop: supervisor.stop,
    };
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

/** Another server at the command's address would be taken for it, and measured in its place. */
async function expectNobody(url: URL, argv: readonly string[], signal: AbortSignal): Promise<void> {
  try {
    await connectOnce(url, signal);
  } catch {
    signal.throwIfAborted();
    return;
  }
  throw new StartError(
    `Expected nothing at ${url.origin} before the command "${argv.join(" ")}" is started, but something accepts ` +
      "connections there: the port is in use. Stop what uses it, choose another port, or leave the port out.",
  );
}

async function run(
  supervisor: Child<CommandSupervisor>,
  argv: readonly string[],
  chosen: CommandOptions & { readonly port: number },
  context: ServerContext,
): Promise<{ readonly pid: number }> {
  const [program = "", ...args] = argv;
  const cwd = resolve(context.folder, chosen.cwd);
  try {
    return await supervisor.call.start({
      argv: [program, ...args],
      env: { ...context.env, ...chosen.env, PORT: String(chosen.port) },
      cwd,
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new StartError(
      `The command "${argv.join(" ")}" could not be run in ${cwd}: ${message}. Is the program installed, and is the folder right?`,
      { cause: error },
    );
  }
}

async function becomeReady(
  supervisor: Child<CommandSupervisor>,
  argv: readonly string[],
  url: URL,
  { readyTimeoutMs }: CommandOptions,
  signal: AbortSignal,
): Promise<void> {
  const ended = new AbortController();
  const exit = supervisor.call.ended().then((how) => {
    ended.abort();
    throw new StartError(
      `The command "${argv.join(" ")}" ended before it answered at ${url.href}, with ${describeExit(how)}`,
    );
  });
  const stop = AbortSignal.any([signal, ended.signal]);
  const limit = AbortSignal.timeout(readyTimeoutMs);
  try {
    await Promise.race([exit, waitUntilAnswers(url, AbortSignal.any([stop, limit]))]);
  } catch (error) {
    if (!limit.aborted || stop.aborted) throw error;
    const output = await supervisor.call.output();
    throw new StartError(
      `The command "${argv.join(" ")}" runs, but nothing answered at ${url.href} within ${readyTimeoutMs} ms. ` +
        "It should listen on the port in the environment variable PORT (or {port} in its arguments); a slow start needs a larger readyTimeoutMs. " +
        (output.length === 0 ? "It printed nothing." : `It last printed:\n  ${output.join("\n  ")}`),
      { cause: error },
    );
  } finally {
    exit.catch(() => {});
  }
}
