const MOST_VALUES = 1000;

/**
 * Whole numbers of at least 1, of a list like `1,50,100` or with ranges like `10:100:10` (first:last:step), in the order given,
 * repetitions left out. Throws an `Error` that says what was expected, for anything else.
 */
export function parseLevels(text: string): readonly number[] {
  const values = text.split(",").flatMap((part) => parsePart(part.trim(), text));
  if (values.length > MOST_VALUES)
    throw new Error(`expected at most ${MOST_VALUES} values, got ${values.length} from "${text}"`);
  return [...new Set(values)];
}

function parsePart(part: string, whole: string): readonly number[] {
  const bounds = part.split(":");
  if (bounds.length === 1) return [parseCount(part, whole)];
  if (bounds.length > 3) throw new Error(`expected a range such as 10:100:10 (first:last:step), got "${part}"`);
  const [first = 0, last = 0, step = 1] = bounds.map((bound) => parseCount(bound, whole));
  if (last < first) throw new Error(`expected a range that rises, such as 10:100:10 (first:last:step), got "${part}"`);
  const length = Math.floor((last - first) / step) + 1;
  if (length > MOST_VALUES) throw new Error(`expected at most ${MOST_VALUES} values, got ${length} from "${part}"`);
  return Array.from({ length }, (_, index) => first + index * step);
}

function parseCount(text: string, whole: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || !Number.isSafeInteger(value)) {
    const where = text === whole ? "" : ` in "${whole}"`;
    throw new Error(`expected whole numbers of at least 1, such as 1,50,100 or 10:100:10, got "${text}"${where}`);
  }
  return value;
}
