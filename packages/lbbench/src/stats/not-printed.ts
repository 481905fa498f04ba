/** Characters that do not stand in a line as they are, but act on what is around them. */

/** Line breaks, control characters (among them what starts a terminal's escape sequence) and what turns text around. */
export const NOT_PRINTED = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu;

/** What commands a terminal (ECMA-48): with a text, which ends with BEL or ST; with parameters; or with a character alone. */
const TERMINAL_SEQUENCE = new RegExp(
  [
    String.raw`(?:\u001B\]|\u009D)[^\u0007\u001B\u009C\u009D]*(?:\u0007|\u001B\\|\u009C)`,
    String.raw`(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]`,
    String.raw`\u001B[ -/]*[0-~]|\u0007`,
  ].join("|"),
  "g",
);

/** Leaves out what commands a terminal, such as colours. `stripVTControlCharacters` of Node takes hours for a hostile text of a megabyte. */
export function withoutTerminalSequences(text: string): string {
  return text.replaceAll(TERMINAL_SEQUENCE, "");
}

/** Escapes such characters in a JSON text, which means the same then; its own line breaks stay. */
export function escapeInJson(json: string): string {
  return json.replaceAll(NOT_PRINTED, (run) => run.replaceAll(/[^\n]/gu, escapeCharacter));
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
