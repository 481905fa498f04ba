/** A millisecond to the microsecond, which is finer than any clock of ours. */
const TO_THE_THOUSANDTH = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });
const SIX_DIGITS = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

/** Formats a value with the digits that may be measured: `8,533.129`, below 1 six of them: `0.184`. */
export function exactNumber(value: number): string {
  return (Math.abs(value) < 1 ? SIX_DIGITS : TO_THE_THOUSANDTH).format(value);
}
