/** Configurations of programs, rendered from templates: ours, or those of the user. */
import { resolve } from "node:path";
import Mustache from "mustache";
import { describeFailure } from "../config/config-error.js";
import { readBounded } from "../config/read-file.js";
import { messageOf, StartError } from "../system/program.js";

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

/** Reads a file of the user's; a {@link StartError} says which one cannot be read, and by which option it was named. */
export function readOwnFile(path: string, what: string, option: string): string {
  try {
    return readBounded(path).bytes.toString("utf8");
  } catch (cause) {
    const message = `Expected ${what} at ${path}, but got: ${describeFailure(cause)}.`;
    throw new StartError(`${message} Is the option "${option}" right?`, { cause });
  }
}

/** Reads a template of the user's as {@link readOwnFile} does, and returns what renders it; a {@link StartError} names one that cannot be used. */
export function readTemplate(folder: string, given: string, option: string): (view: TemplateView) => string {
  const path = resolve(folder, given);
  const template = readOwnFile(path, "a template of a configuration", option);
  return (view) => {
    try {
      return renderTemplate(template, view);
    } catch (error) {
      throw new StartError(`The template ${path} cannot be used: ${messageOf(error)}`, { cause: error });
    }
  };
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
