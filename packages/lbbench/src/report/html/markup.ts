import { NOT_PRINTED } from "../../stats/not-printed.js";
import { plainCode } from "../plain-line.js";

const TEXT = Symbol("text of markup");

/** HTML that we wrote, with every word from outside in it escaped; only {@link markup} makes it. */
export interface Markup {
  readonly [TEXT]: string;
}

/** What may stand between pieces of markup: text is escaped, markup stays, lists are joined, nothing is left out. */
export type Content = string | number | Markup | null | undefined | readonly Content[];

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
  ["`", "&#96;"],
]);

/** Makes markup of a template whose values may come from outside; in attributes they have to stand in double quotes. */
export function markup(pieces: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const rest = values.map((value, at) => `${renderContent(value)}${pieces[at + 1] ?? ""}`);
  return { [TEXT]: `${pieces[0] ?? ""}${rest.join("")}` };
}

/** Returns the HTML of some markup. */
export function renderContent(content: Content): string {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") return escapeHtml(content);
  if (typeof content === "number") return String(content);
  if (isList(content)) return content.map(renderContent).join("");
  return content[TEXT];
}

/** Marks text that is HTML already: of our own page, or JSON that was made harmless. Never words from outside. */
export function trusted(html: string): Markup {
  return { [TEXT]: html };
}

/** Returns markup with line breaks kept as they are, for code; each line of it is plain. */
export function preformatted(text: string): Markup {
  return trusted(plainCode(text).map(escapeHtml).join("\n"));
}

/** A text from outside as HTML that shows exactly this text, in an element or in a quoted attribute. */
function escapeHtml(text: string): string {
  return text.replaceAll(UNSAFE, (character) => ENTITIES.get(character) ?? " ");
}

const UNSAFE = new RegExp(`[&<>"'\`]|${NOT_PRINTED.source}`, "gu");

function isList(content: Markup | readonly Content[]): content is readonly Content[] {
  return Array.isArray(content);
}
