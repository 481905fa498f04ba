/**
 * What a spreadsheet takes for the beginning of a formula, also in the full width that some make narrow, after any number of
 * apostrophes. The apostrophes are there so that each text has a form of its own.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * Returns a text that no spreadsheet calculates: with an apostrophe before it where it would be a formula. Who wants the text as
 * it was takes one apostrophe away where only apostrophes stand before one of `=`, `+`, `-`, `@`, a tab or a line break.
 */
export function neutralizeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}
