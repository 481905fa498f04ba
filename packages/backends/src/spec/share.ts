import { ExpectationError } from "./expectation-error.js";

/** A share from 0 to 1, from a percentage (`10%`). */
export function parseShare(text: string | undefined): number {
  const percent = text !== undefined && /^\d+(\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : NaN;
  if (!(percent <= 100)) throw new ExpectationError("a share from 0% to 100%, like 10%", text);
  return withoutNoise(percent / 100);
}

/** The canonical text of a share. */
export function formatShare(share: number): string {
  return `${withoutNoise(share * 100)}%`;
}

/** Twelve digits: without them 0.07 would become 7.000000000000001 %, and 99.9 % would become 0.9990000000000001. */
function withoutNoise(value: number): number {
  return Number(value.toPrecision(12));
}
