import { formatCount } from "./format-number.js";

/**
 * Formats the numbers in an arg of a finding that lists them, such as levels: `500, 1,000` of `500, 1000`; what is no number as it came.
 *
 * @param separator what goes between two of them. Default: a comma and a space.
 */
export function formatCounts(list: string, separator = ", "): string {
  return list
    .split(", ")
    .map((text) => (NUMBER.test(text) ? formatCount(Number(text)) : text))
    .join(separator);
}

const NUMBER = /^\d+(\.\d+)?$/;
