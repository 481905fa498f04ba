/** Reads a whole number; a word that is none stays as it is, for the check to complain about. */
export function toNumber(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
}

/** Reads a share, `2%` or `0.02`; a word that is neither stays as it is, for the check to complain about. */
export function toRatio(text: string | undefined): number | string | undefined {
  const [, number, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text ?? "") ?? [];
  return number === undefined ? text : Number(number) / (percent === "%" ? 100 : 1);
}
