import { resolve } from "node:path";
import { parseArgsStringToArgv } from "string-argv";
import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";
import { isUrl } from "../config/targets.js";
import type { BackendGroup } from "../model/scenario.js";
import type { RunningServer, Server, ServerContext } from "../plugin.js";
import { FOLDER_PLACE, withServerFolders } from "../system/program.js";
import type { ForegroundProgram } from "../system/supervise.js";
import { commonView, limitOptions } from "./balancer-program.js";
import { backendsOptions, checkBackends, processesOption, withGroups } from "./options.js";
import { startProgramLives } from "./program-lives.js";
import { waitUntilAccepts, waitUntilAnswers } from "./ready.js";
import { nameWithin, startInFront, type StartedBackend } from "./start-in-front.js";
import { readOwnFile, readTemplate } from "./templates.js";
import { protocolOfUrl } from "./url.js";
import { defined } from "../stats/defined.js";
import { isSecure } from "../stats/url-address.js";

/** Files in a folder of its own, by name: each a file of the user's. */
const filesOption = z
  .record(z.string().regex(/^\w[\w.-]*$/, "expected the name of a file, without folders"), z.string())
  .default({});

/** Limits have their defaults where a template says them. */
const limits = z.object(limitOptions);

const shape = z.strictObject({
  /** One line that is split into words (no shell is involved), or the words. `{port}` stands for the port. */
  command: z.union([z.string().trim().min(1), z.array(z.string()).min(1)]),
  /** Where it answers; `{port}` stands for the port. */
  url: z
    .string()
    .refine(
      isServerUrl,
      "expected a URL such as http://127.0.0.1:{port}, grpc://127.0.0.1:{port} or ws://127.0.0.1:{port}",
    )
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
  files: filesOption,
  /** Path that is asked until there is an answer of any status. A server of gRPC or WebSocket is ready when it accepts connections. */
  readyPath: z.string().startsWith("/").default(DEFAULTS.command.readyPath),
  readyTimeoutMs: z.int().min(1).default(DEFAULTS.command.readyTimeoutMs),
  /** What is started and stands behind it, where it is a balancer. */
  backends: backendsOptions.backends.unwrap().optional(),
  handler: backendsOptions.handler,
  /** Files of that folder that are rendered from templates of the user's, as the configurations of balancer programs are. */
  templates: filesOption,
  /** Processes or threads that it is to have: said to its templates and, where it is given, as GOMAXPROCS. */
  workers: processesOption.optional(),
  keepAlive: limitOptions.keepAlive.unwrap().optional(),
  maxConnections: limitOptions.maxConnections,
  clientConnections: limitOptions.clientConnections.unwrap().optional(),
});

const options = shape
  .superRefine((chosen, context) => {
    const { backends } = chosen;
    if (backends === undefined && chosen.handler !== undefined) {
      const message = "expected no handler without backends, whose it is";
      context.addIssue({ code: "custom", path: ["handler"], message, input: chosen.handler });
    }
    if (backends !== undefined) checkBackends({ ...chosen, backends, policy: "its own" }, context);
  })
  .transform(({ backends, handler, ...rest }) =>
    backends === undefined ? rest : withGroups({ ...rest, backends, ...defined({ handler }) }),
  );

/** Placeholder of the port in arguments and URL. */
const PORT_PLACE = "{port}";

function isServerUrl(text: string): boolean {
  return isUrl(text) && URL.canParse(text.replaceAll(PORT_PLACE, "1"));
}

type CommandOptions = z.infer<typeof options> & { readonly backends?: readonly BackendGroup[] };

/** A program in any language, run without a shell. */
export const commandServer: Server<CommandOptions> = {
  name: "command",
  options,
  needsOptions: true,
  balances: "optional",
  protocol: ({ url }) => protocolOfUrl(url),
  start: (chosen, context) =>
    chosen.backends === undefined
      ? startCommand(chosen, undefined, context)
      : startInFront(chosen.backends, context, (backends) => startCommand(chosen, backends, context)),
};

async function startCommand(
  chosen: CommandOptions,
  backends: readonly StartedBackend[] | undefined,
  context: ServerContext,
): Promise<RunningServer> {
  const { folder } = context;
  const sources = Object.entries(chosen.files).map(
    ([name, path]) => [name, readOwnFile(resolve(folder, path), "a file for the command", "files")] as const,
  );
  const templates = Object.entries(chosen.templates).map(
    ([name, path]) => [name, readTemplate(folder, path, "templates")] as const,
  );
  const tls = isSecure(chosen.url.replaceAll(PORT_PLACE, "1"));
  const view = commonView({ ...limits.parse(chosen), tls }, backends ?? [], context);
  const isBalancer = backends !== undefined;
  const cwd = resolve(folder, chosen.cwd);
  const describe = (port: number): ForegroundProgram => {
    const fill = (text: string): string => text.replaceAll(PORT_PLACE, String(port));
    const files = Object.fromEntries([
      ...sources.map(([name, text]) => [name, fill(text)] as const),
      ...templates.map(([name, render]) => [name, render({ ...view, port, folder: FOLDER_PLACE })] as const),
    ]);
    const words = typeof chosen.command === "string" ? parseArgsStringToArgv(chosen.command) : chosen.command;
    const [program = "", ...args] = words.map(fill);
    const title = `command "${[program, ...args].join(" ")}"`;
    const url = new URL(fill(chosen.url));
    // Ours lets its event loop be seen; an empty text of the user's leaves it out.
    const [own, ours] = [chosen.env["NODE_OPTIONS"], context.env["NODE_OPTIONS"]];
    return {
      title: `the ${title}`,
      command: {
        argv: [program, ...args],
        env: withServerFolders({
          ...context.env,
          ...defined({ GOMAXPROCS: chosen.workers === undefined ? undefined : String(chosen.workers) }),
          ...chosen.env,
          ...defined({ NODE_OPTIONS: own && ours ? `${own} ${ours}` : undefined }),
          PORT: String(port),
        }),
        cwd,
        ...defined({ files: Object.keys(files).length === 0 ? undefined : files }),
      },
      url,
      watched: isBalancer
        ? { role: "balancer", name: nameWithin(context, program) }
        : { role: "backend", name: context.name ?? program },
      shortName: program,
      readyTimeoutMs: chosen.readyTimeoutMs,
      waitUntilReady: (signal) =>
        protocolOfUrl(chosen.url) === "http" && context.httpVersion !== "2"
          ? waitUntilAnswers(new URL(chosen.readyPath, url), signal)
          : waitUntilAccepts(url, signal),
      slowAdvice:
        "It should listen on the port in the environment variable PORT (or {port} in its arguments); a slow start needs a larger readyTimeoutMs.",
      explainRunError: (message) =>
        `The ${title} could not be run in ${cwd}: ${message}. Is the program installed, and is the folder right?`,
    };
  };
  const { port = 0 } = chosen;
  const { name, role } = describe(port).watched;
  const part = { name: isBalancer ? nameWithin(context, "balancer") : name, role, finishBy: "SIGTERM" } as const;
  return (await startProgramLives(part, port, describe, context)).server;
}
