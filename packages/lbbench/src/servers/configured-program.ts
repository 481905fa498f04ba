/** Programs that run by a configuration, which is rendered from a template: ours, or one of the user's. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import Mustache from "mustache";
import { DEFAULTS } from "../config/defaults.js";
import type { WatchedProcess } from "../model/usage.js";
import type { ServerContext } from "../plugin.js";
import { explainMissing, locateProgram, StartError, withServerFolders, type Installation } from "../system/program.js";
import { FOLDER_PLACE, startForegroundProgram, type ForegroundServer } from "../system/supervise.js";
import { waitUntilAccepts } from "./ready.js";

/** What a template can say: values, and lists of objects that are gone through. `null`, 0 and "" leave a section out. */
export interface TemplateView {
  readonly [name: string]: string | number | boolean | null | readonly TemplateView[];
}

/** A template of the user's, or the one built in. */
export interface ChosenTemplate {
  readonly text: string;
  /** Where it was read; `null` for the one built in. */
  readonly path: string | null;
}

/** Reads a template of the user's, if there is one; rejects with a {@link StartError} when it cannot be read. */
export async function chooseTemplate(
  chosen: string | undefined,
  builtIn: string,
  folder: string,
): Promise<ChosenTemplate> {
  if (chosen === undefined) return { text: builtIn, path: null };
  const path = resolve(folder, chosen);
  try {
    return { text: await readFile(path, "utf8"), path };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(
      `Expected a template of a configuration at ${path}, but got: ${why}. Is the option "template" right?`,
      { cause: error },
    );
  }
}

/** Renders a template; what is wrong with one of the user's becomes a {@link StartError} that names it. */
export function renderChosen({ text, path }: ChosenTemplate, view: TemplateView): string {
  try {
    return renderTemplate(text, view);
  } catch (error) {
    if (path === null || !(error instanceof Error)) throw error;
    throw new StartError(`The template ${path} cannot be used: ${error.message}`, { cause: error });
  }
}

/**
 * Renders a Mustache template of a configuration; nothing is escaped. Throws an Error for a template that cannot be
 * parsed, that uses a name which the view does not have, or that asks for another file.
 */
export function renderTemplate(template: string, view: TemplateView): string {
  checkNames(Mustache.parse(template) as readonly Token[], [view]);
  return Mustache.render(template, view, undefined, { escape: String });
}

/** A token of a parsed template; sections hold tokens of their own. */
type Token = readonly [type: string, value: string, start: number, end: number, inner?: readonly Token[]];

const VALUES = new Set(["name", "&"]);
const SECTIONS = new Set(["#", "^"]);

/** A name that is misspelled would be left out in silence. */
function checkNames(tokens: readonly Token[], views: readonly TemplateView[]): void {
  for (const [type, name, , , inner = []] of tokens) {
    if (type === ">") throw new Error(`expected a template in one file, got {{> ${name}}}`);
    if (!VALUES.has(type) && !SECTIONS.has(type)) continue;
    const owner = views.findLast((view) => Object.hasOwn(view, name));
    if (owner === undefined && name !== ".") {
      const known = views.flatMap((view) => Object.keys(view));
      throw new Error(`expected one of ${known.join(", ")}, got "${name}"`);
    }
    if (!SECTIONS.has(type)) continue;
    const value = owner?.[name];
    const first = Array.isArray(value) ? (value as readonly TemplateView[])[0] : undefined;
    checkNames(inner, first === undefined ? views : [...views, first]);
  }
}

/** A program to run by a configuration. */
export interface ConfiguredProgram {
  readonly program: string;
  readonly installation: Installation;
  /** 0 for any free one. */
  readonly port: number;
  readonly watched: Pick<WatchedProcess, "name" | "role">;
  readonly args: readonly string[];
  /** Name of the configuration, in the folder in which the program runs. */
  readonly configFile: string;
  /** What is in it; `folder` stands for that folder, which is made later. */
  readonly config: (place: ProgramPlace) => string;
  /** Files beside it. */
  readonly files?: Readonly<Record<string, string>>;
  /** Resolves when the program itself, and no other that took its port, is ready, or nearly so. */
  readonly waitUntilItself: (folder: string, signal: AbortSignal) => Promise<void>;
  /** What a template has to do: `listen at`. */
  readonly verb: string;
}

/** Where a program is run. */
export interface ProgramPlace {
  readonly port: number;
  /** Folder of its files; what stands for it until there is one is put in place when it is made. */
  readonly folder: string;
}

/** Runs such a program in the foreground until it is stopped; rejects with a {@link StartError}, with nothing left behind. */
export function startConfigured(run: ConfiguredProgram, context: ServerContext): Promise<ForegroundServer> {
  const { program, installation, watched, configFile } = run;
  const describe = (port: number) => {
    const url = new URL(`http://${DEFAULTS.host}:${port}`);
    const text = run.config({ port, folder: FOLDER_PLACE });
    return {
      title: watched.name,
      shortName: watched.name,
      command: {
        argv: [locateProgram(program, context.folder), ...run.args] as const,
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
      slowAdvice: `A template has to ${run.verb} {{host}}:{{port}}.`,
      explainRunError: (message: string) => explainMissing(program, installation, message),
      explainEnd: (output: readonly string[]) => quoteLines(text, configFile, output),
    };
  };
  return startForegroundProgram(run.port, describe, context);
}

/**
 * Quotes the lines of a configuration that a program names in what it printed, as `FILE:NUMBER`; the file itself is gone
 * by the time somebody reads this. Empty when it names none.
 */
export function quoteLines(config: string, file: string, output: readonly string[]): string {
  const lines = config.split("\n");
  const place = new RegExp(`${file.replaceAll(".", "\\.")}:(\\d+)`);
  const named = output.flatMap((text) => place.exec(text)?.slice(1).map(Number) ?? []);
  return [...new Set(named)]
    .flatMap((number) => {
      const line = lines[number - 1]?.trim();
      return line === undefined ? [] : [`Line ${number} of ${file} is: ${line}`];
    })
    .join("\n");
}
