import { resolve } from "node:path";
import { parseArgsStringToArgv } from "string-argv";
import * as z from "zod";
import { describeFailure } from "../config/config-error.js";
import { DEFAULTS } from "../config/defaults.js";
import { readBounded } from "../config/read-file.js";
import { isUrl } from "../config/targets.js";
import type { Server, ServerContext } from "../plugin.js";
import { StartError } from "../system/program.js";
import type { ForegroundProgram } from "../system/supervise.js";
import { startProgramLives } from "./program-lives.js";
import { waitUntilAccepts, waitUntilAnswers } from "./ready.js";
import { protocolOfUrl } from "./url.js";
import { defined } from "../stats/defined.js";

const options = z.strictObject({
  /** One line that is split into words (no shell is involved), or the words. `{port}` stands for the port. */
  command: z.union([z.string().trim().min(1), z.array(z.string()).min(1)]),
  /** Where it answers; `{port}` stands for the port. */
  url: z
    .string()
    .refine(isServerUrl, "expected a URL such as http://127.0.0.1:{port} or grpc://127.0.0.1:{port}")
    .default(`http://${DEFAULTS.host}:{port}`),
  /** Fixed port; without it a free one is chosen. The command finds it in the environment variable PORT as well. */
  port: z.int().min(1).max(65_535).optional(),
  env: z.record(z.string(), z.string()).default({}),
  /** From the folder of the config file, or else the working folder. */
  cwd: z.string().default("."),
  /**
   * Files in a folder of its own that lives as long, by name: each a file of the user's, from the same folder as `cwd`. `{port}` and
   * `{folder}` stand for the port and that folder in them, and in arguments.
   */
  files: z
    .record(z.string().regex(/^\w[\w.-]*$/, "expected the name of a file, without folders"), z.string())
    .default({}),
  /** Path that is asked until there is an answer of any status. A gRPC service is ready when it accepts connections. */
  readyPath: z.string().startsWith("/").default(DEFAULTS.command.readyPath),
  readyTimeoutMs: z.int().min(1).default(DEFAULTS.command.readyTimeoutMs),
});

/** Placeholder of the port in arguments and URL. */
const PORT_PLACE = "{port}";

function isServerUrl(text: string): boolean {
  return isUrl(text) && URL.canParse(text.replaceAll(PORT_PLACE, "1"));
}

type CommandOptions = z.infer<typeof options>;

/** A program in any language, run without a shell. */
export const commandServer: Server<CommandOptions> = {
  name: "command",
  options,
  needsOptions: true,
  protocol: ({ url }) => protocolOfUrl(url),
  start: async (chosen, context) => {
    const sources = Object.entries(chosen.files).map(
      ([name, path]) => [name, readSource(context.folder, path)] as const,
    );
    const describe = (port: number): ForegroundProgram => describeCommand(port, chosen, sources, context);
    const { name, role } = describe(chosen.port ?? 0).watched;
    const part = { name, role, finishBy: "SIGTERM" } as const;
    return (await startProgramLives(part, chosen.port ?? 0, describe, context)).server;
  },
};

/** The text of a file of the user's; a `StartError` names one that cannot be read. */
function readSource(folder: string, given: string): string {
  const path = resolve(folder, given);
  try {
    return readBounded(path).bytes.toString("utf8");
  } catch (cause) {
    const message = `Expected a file for the command at ${path}, but got: ${describeFailure(cause)}.`;
    throw new StartError(`${message} Is the option "files" right?`, { cause });
  }
}

function describeCommand(
  port: number,
  chosen: CommandOptions,
  sources: readonly (readonly [name: string, text: string])[],
  context: ServerContext,
): ForegroundProgram {
  const fill = (text: string): string => text.replaceAll(PORT_PLACE, String(port));
  const words = typeof chosen.command === "string" ? parseArgsStringToArgv(chosen.command) : chosen.command;
  const [program = "", ...args] = words.map(fill);
  const title = `command "${[program, ...args].join(" ")}"`;
  const url = new URL(fill(chosen.url));
  const cwd = resolve(context.folder, chosen.cwd);
  // Ours lets its event loop be seen; an empty text of the user's leaves it out.
  const [own, ours] = [chosen.env["NODE_OPTIONS"], context.env["NODE_OPTIONS"]];
  const both = own && ours ? { NODE_OPTIONS: `${own} ${ours}` } : {};
  return {
    title: `the ${title}`,
    command: {
      argv: [program, ...args],
      env: { ...context.env, ...chosen.env, ...both, PORT: String(port) },
      cwd,
      ...defined({
        files: sources.length === 0 ? undefined : Object.fromEntries(sources.map(([name, text]) => [name, fill(text)])),
      }),
    },
    url,
    watched: { role: "backend", name: context.name ?? program },
    shortName: program,
    readyTimeoutMs: chosen.readyTimeoutMs,
    waitUntilReady: (signal) =>
      protocolOfUrl(chosen.url) === "grpc"
        ? waitUntilAccepts(url, signal)
        : waitUntilAnswers(new URL(chosen.readyPath, url), signal),
    slowAdvice:
      "It should listen on the port in the environment variable PORT (or {port} in its arguments); a slow start needs a larger readyTimeoutMs.",
    explainRunError: (message) =>
      `The ${title} could not be run in ${cwd}: ${message}. Is the program installed, and is the folder right?`,
  };
}
