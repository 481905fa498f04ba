import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import Mustache from "mustache";
import { StartError } from "../system/program.js";

/** What a template can say: values, and lists of objects that are gone through. `null`, 0 and "" leave a section out. */
export interface TemplateView {
  readonly [name: string]: string | number | boolean | null | readonly TemplateView[];
}

/** A token of a parsed template; sections hold tokens of their own. */
type Token = readonly [type: string, value: string, start: number, end: number, inner?: readonly Token[]];

const VALUES = new Set(["name", "&"]);
const SECTIONS = new Set(["#", "^"]);

/**
 * Renders a Mustache template of a configuration; nothing is escaped. Throws an Error for a template that cannot be
 * parsed, that uses a name which the view does not have, or that asks for another file.
 */
export function renderTemplate(template: string, view: TemplateView): string {
  checkNames(Mustache.parse(template) as readonly Token[], [view]);
  return Mustache.render(template, view, undefined, { escape: String });
}

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
