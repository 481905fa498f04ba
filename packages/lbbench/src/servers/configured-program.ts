/** Programs that run by a configuration, which is rendered from a template: ours, or one of the user's. */
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import Mustache from "mustache";
import { describeFailure } from "../config/config-error.js";
import { DEFAULTS } from "../config/defaults.js";
import { readBounded } from "../config/read-file.js";
import type { WatchedProcess } from "../model/usage.js";
import type { Protocol, ServerContext } from "../plugin.js";
import {
  explainMissing,
  FOLDER_PLACE,
  locateProgram,
  StartError,
  withServerFolders,
  type Installation,
} from "../system/program.js";
import { reloadProgram, startProgramLives, type ProgramLife } from "./program-lives.js";
import { waitUntilAccepts } from "./ready.js";

/** What a template can say: values, and lists of objects that are gone through. `null`, 0 and "" leave a section out. */
export interface TemplateView {
  readonly [name: string]: string | number | boolean | null | readonly TemplateView[];
}

/** A token of a parsed template; sections hold tokens of their own. */
type Token = readonly [type: string, value: string, start: number, end: number, inner?: readonly Token[]];

/**
 * Renders a Mustache template of a configuration; nothing is escaped. Throws an Error for a template that cannot be
 * parsed, that uses a name which the view does not have, or that asks for another file.
 */
export function renderTemplate(template: string, view: TemplateView): string {
  checkNames(Mustache.parse(template) as readonly Token[], [view]);
  return Mustache.render(template, view, undefined, { escape: String });
}

/** Throws for a misspelled name, which Mustache would leave out in silence. */
function checkNames(tokens: readonly Token[], views: readonly TemplateView[]): void {
  for (const [type, name, , , inner = []] of tokens) {
    if (type === ">") throw new Error(`expected a template in one file, got {{> ${name}}}`);
    if (!["name", "&", "#", "^"].includes(type)) continue;
    const owner = views.findLast((view) => Object.hasOwn(view, name));
    if (owner === undefined && name !== ".") {
      const known = views.flatMap((view) => Object.keys(view));
      throw new Error(`expected one of ${known.join(", ")}, got "${name}"`);
    }
    const value = owner?.[name];
    const first = Array.isArray(value) ? (value as readonly TemplateView[])[0] : undefined;
    checkNames(inner, first === undefined ? views : [...views, first]);
  }
}

/** A program to run by a configuration. */
export interface ConfiguredProgram {
  /** What the program speaks. */
  readonly protocol: Protocol;
  /** What the user has chosen: name or path of the program, 0 for any free port, and the path of a template. */
  readonly chosen: { readonly program: string; readonly port: number; readonly template?: string | undefined };
  readonly installation: Installation;
  readonly watched: Pick<WatchedProcess, "name" | "role">;
  /** What it is called where something is done to it; as its process without this. */
  readonly part?: string;
  readonly signals: {
    /** Ends it when what is under way is done. */
    readonly finish: NodeJS.Signals;
    /** Has it read its configuration again, in new processes. */
    readonly reload: NodeJS.Signals;
  };
  readonly args: readonly string[];
  /** Name of the configuration, in the folder in which the program runs. */
  readonly configFile: string;
  /** The template where the user has none. */
  readonly template: string;
  /** What a template can say, beside `host`, `port` and `folder`. */
  readonly view: TemplateView;
  /** Files beside the configuration. */
  readonly files?: Readonly<Record<string, string>>;
  /** Resolves when the program itself, and no other that took its port, is ready, or nearly so. */
  readonly waitUntilItself: (folder: string, signal: AbortSignal) => Promise<void>;
}

/** Runs such a program in the foreground until it is stopped; rejects with a {@link StartError}, with nothing left behind. */
export async function startConfigured(run: ConfiguredProgram, context: ServerContext) {
  const { chosen, watched, configFile, signals } = run;
  const fill = chooseTemplate(run, context.folder);
  // Whoever runs it puts the path of its folder there when it has made that.
  const render = (port: number, view: TemplateView): string =>
    fill({ host: DEFAULTS.host, port, folder: FOLDER_PLACE, ...view });
  const describe = (port: number) => {
    const url = new URL(`${run.protocol}://${DEFAULTS.host}:${port}`);
    const text = render(port, run.view);
    return {
      title: watched.name,
      shortName: watched.name,
      command: {
        argv: [locateProgram(chosen.program, context.folder), ...run.args] as const,
        env: withServerFolders(context.env),
        cwd: FOLDER_PLACE,
        files: { ...run.files, [configFile]: text },
      },
      url,
      watched,
      readyTimeoutMs: DEFAULTS.balancerProgram.readyTimeoutMs,
      waitUntilReady: async (signal: AbortSignal, folder: string | null) => {
        await run.waitUntilItself(folder ?? "", signal);
        await waitUntilAccepts(url, signal);
      },
      slowAdvice: "A template has to let it listen at {{host}}:{{port}}.",
      explainRunError: (message: string) => explainMissing(chosen.program, run.installation, message),
      explainEnd: (output: readonly string[]) => quoteLines(text, configFile, output),
    };
  };
  const { name, role } = watched;
  const part = {
    name: run.part ?? name,
    role,
    finishBy: signals.finish,
  };
  const started = await startProgramLives(part, chosen.port, describe, context);
  const port = Number(new URL(started.server.url).port);
  return {
    ...started,
    /** Whether its configuration is another one by another view. */
    differs: (view: TemplateView): boolean => render(port, view) !== render(port, run.view),
    /** Has it go by another view; resolves as {@link reloadProgram}. */
    reconfigure: async (life: ProgramLife, view: TemplateView) => {
      const { folder } = life;
      if (folder === null) throw new Error(`${name} has no folder for its configuration`);
      await writeFile(join(folder, configFile), render(port, view).replaceAll(FOLDER_PLACE, folder));
      return reloadProgram(life, signals.reload);
    },
  };
}

/** Makes what renders the configuration; a template of the user's that cannot be read or used is a {@link StartError} that names it. */
function chooseTemplate({ chosen, template }: ConfiguredProgram, folder: string): (view: TemplateView) => string {
  if (chosen.template === undefined) return (view) => renderTemplate(template, view);
  const path = resolve(folder, chosen.template);
  const text = readTemplate(path);
  return (view) => {
    try {
      return renderTemplate(text, view);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new StartError(`The template ${path} cannot be used: ${why}`, { cause: error });
    }
  };
}

function readTemplate(path: string): string {
  try {
    return readBounded(path).bytes.toString("utf8");
  } catch (cause) {
    const message = `Expected a template of a configuration at ${path}, but got: ${describeFailure(cause)}.`;
    throw new StartError(`${message} Is the option "template" right?`, { cause });
  }
}

/**
 * Quotes the lines of a configuration that a program names in what it printed, as `FILE:NUMBER`; the file itself is gone
 * by the time somebody reads this. Empty when it names none.
 */
export function quoteLines(config: string, file: string, output: readonly string[]): string {
  const lines = config.split("\n");
  const place = new RegExp(`${file.replaceAll(".", "\\.")}:(\\d+)`);
  const numbers = new Set(output.flatMap((text) => place.exec(text)?.[1] ?? []));
  return [...numbers]
    .filter((number) => lines[Number(number) - 1] !== undefined)
    .map((number) => `Line ${number} of ${file} is: ${lines[Number(number) - 1]?.trim()}`)
    .join("\n");
}
