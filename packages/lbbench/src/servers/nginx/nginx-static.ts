import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { parseHandler } from "@lbbench/backends/options";
import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";
import type { Server, ServerContext } from "../../plugin.js";
import { chooseTemplate } from "../config-template.js";
import { portOption, processesOption, programOption, templateOption } from "../options.js";
import { StartError } from "../../system/program.js";
import { runNginx } from "./run-nginx.js";
import { canBeQuoted, nginxStaticConfig } from "./static-config.js";
import { STATIC_TEMPLATE } from "./static-template.js";

const MOST_SIZE_BYTES = 2 ** 24;

const sizeOption = z.string().superRefine((text, context) => {
  const sizeBytes = parseSize(text);
  if (sizeBytes !== undefined && sizeBytes <= MOST_SIZE_BYTES) return;
  context.addIssue({ code: "custom", message: "expected a size of at most 16MB, like 512, 10kB or 1MB", input: text });
});

const options = z
  .strictObject({
    /** Folder that is served, from that of the configuration. */
    root: z
      .string()
      .min(1)
      .refine(
        canBeQuoted,
        'expected a path without ", $, \\ and line breaks, which the configuration of nginx cannot say',
      )
      .optional(),
    /** Size of the one file that is served at `/` without a root. */
    size: sizeOption.optional(),
    workers: processesOption.default(DEFAULTS.balancerProgram.workers),
    /** Connections of each worker; more are closed at once. */
    clientConnections: z.int().min(1).max(1_000_000).default(DEFAULTS.nginxStatic.clientConnections),
    /** Requests after which a connection is closed. */
    keepAliveRequests: z.int().min(1).max(1_000_000_000).default(DEFAULTS.nginxStatic.keepAliveRequests),
    /** Connections that wait to be accepted. */
    backlog: z.int().min(1).max(65_535).default(DEFAULTS.nginxStatic.backlog),
    template: templateOption,
    program: programOption.default(DEFAULTS.nginx.program),
    port: portOption,
  })
  .superRefine(({ root, size }, context) => {
    if (root === undefined || size === undefined) return;
    context.addIssue({ code: "custom", path: ["size"], message: "expected no size beside a root", input: size });
  })
  .transform((chosen) => (chosen.root === undefined ? { size: DEFAULTS.nginxStatic.size, ...chosen } : chosen));

type NginxStaticOptions = z.infer<typeof options>;

/**
 * nginx alone, which serves the files of a folder, or one file of a size. It has to be installed (1.19.5 or newer).
 * Options: `root`, `size`, `workers`, `clientConnections`, `keepAliveRequests`, `backlog`, `template`, `program`, `port`.
 */
export const nginxStaticServer: Server<NginxStaticOptions> = {
  name: "nginx-static",
  options,
  start: async (chosen, context) => {
    const template = await chooseTemplate(chosen.template, STATIC_TEMPLATE, context.folder);
    const { root, files } = await chooseContent(chosen, context);
    return runNginx(
      {
        program: chosen.program,
        port: chosen.port,
        watched: { role: "backend", name: context.name ?? "nginx-static" },
        config: (place) => nginxStaticConfig({ ...chosen, root }, place, template),
        files,
      },
      context,
    );
  },
};

/** What is served: a folder of the user's, or a file in the folder of the configuration. */
async function chooseContent(
  { root, size = DEFAULTS.nginxStatic.size }: NginxStaticOptions,
  { folder }: ServerContext,
): Promise<{ readonly root: string; readonly files: Readonly<Record<string, string>> }> {
  if (root === undefined) return { root: "www", files: { "www/index.html": contentOf(parseSize(size) ?? 0) } };
  const path = resolve(folder, root);
  const found = await stat(path).catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  if (typeof found !== "string" && found.isDirectory() && canBeQuoted(path)) return { root: path, files: {} };
  throw new StartError(
    `Expected a folder at ${path}, which nginx-static is to serve, but got: ` +
      `${typeof found === "string" ? found : found.isDirectory() ? "a path that its configuration cannot say" : "a file"}. ` +
      'Is the option "root" right?',
  );
}

/** A size as the handlers of the sample servers understand it; `undefined` for what they do not. */
function parseSize(text: string): number | undefined {
  try {
    const handler = parseHandler(`hello,size=${text}`);
    return handler.name === "hello" ? handler.sizeBytes : undefined;
  } catch {
    return undefined;
  }
}

function contentOf(sizeBytes: number): string {
  const line = "A line of text that nginx serves from a file.\n";
  return line.repeat(Math.ceil(sizeBytes / line.length)).slice(0, sizeBytes);
}
