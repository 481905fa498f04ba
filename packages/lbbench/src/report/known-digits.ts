const DIGITS = 6;
const BEFORE_THE_POINT = 10 ** (DIGITS - 1);

/** Returns a time in ms to the microsecond, which is as exact as it was taken. */
export function knownMs(ms: number): number {
  return roundTo(ms, 3);
}

/** Returns a time in seconds to the microsecond. */
export function knownSeconds(seconds: number): number {
  return roundTo(seconds, 6);
}

/** Returns a rate or a share to six significant digits, without losing one before the point; whole numbers are exact. */
export function knownDigits(value: number): number {
  if (Number.isInteger(value) || !Number.isFinite(value)) return value;
  return Math.abs(value) >= BEFORE_THE_POINT ? Math.round(value) : Number(value.toPrecision(DIGITS));
}

function roundTo(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
