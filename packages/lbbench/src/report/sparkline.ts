const BARS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;
const NOTHING = " ";

/**
 * Draws values as bars in one line, in at most so many columns; where there are more values, neighbours share a bar, which is as
 * high as their mean. A value that is not known is a gap.
 *
 * @param highest what the highest bar stands for; the lowest one stands for 0.
 */
export function renderSparkline(values: readonly (number | null)[], highest: number, columns: number): string {
  const count = Math.max(0, Math.min(values.length, columns));
  return Array.from({ length: count }, (_, bar) => {
    const [from, until] = [bar, bar + 1].map((edge) => Math.round((edge * values.length) / count));
    return drawBar(meanOf(values.slice(from, until)), highest);
  }).join("");
}

function drawBar(value: number | null, highest: number): string {
  if (value === null) return NOTHING;
  const share = highest > 0 ? Math.min(1, Math.max(0, value / highest)) : 0;
  return BARS[Math.round(share * (BARS.length - 1))] ?? NOTHING;
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
