/** What a margin looks like, for messages. */
export const MARGIN_EXPECTED = 'expected a share from 0 % to below 100 %, such as "5%" or 0.05';

/**
 * Reads a margin, `5%` or `0.05`, as a part of 1. Throws an `Error` that says what was expected, for anything but 0 to below
 * 100 %.
 */
export function parseMargin(text: string): number {
  const [, digits, sign] = /^\s*(\d+(?:\.\d+)?)\s*(%?)\s*$/.exec(text) ?? [];
  const part = sign === "%" ? Number(digits) / 100 : Number(digits);
  if (digits !== undefined && part < 1) return part;
  const hint = digits !== undefined && sign === "" && Number(digits) < 100 ? `. Did you mean "${digits}%"?` : "";
  throw new Error(`${MARGIN_EXPECTED}, got "${text}"${hint}`);
}
