import { trusted } from "./markup.js";
import type { Markup } from "./markup.js";

/** What could end a script, begin a comment in one, or end a line in old readers of JavaScript. */
const ESCAPED = /[<\u2028\u2029]/g;

/**
 * Returns a value as a script that holds JSON and is never executed: `JSON.parse` of its text is the value. Nothing in the value
 * can end the script.
 *
 * @param id of the element, a word of ours.
 */
export function embedJson(id: "chart-definitions" | "result" | "live", value: unknown): Markup {
  const json = JSON.stringify(value).replaceAll(
    ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return trusted(`<script type="application/json" id="${id}">${json}</script>`);
}
