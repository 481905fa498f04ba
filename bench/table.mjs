/** What benches have in common once the measuring is over: the median of rounds, whether it is what was wanted, and the table. Pure. */

/** The middle one of the numbers, or the mean of the two in the middle. Expects at least one. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median, lowest and highest of the numbers; `undefined` when there are none. */
export function summarize(values) {
  if (values.length === 0) return undefined;
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

/**
 * A row of the table: what was measured (`figure`, as `summarize` returns it, of so many `rounds`) held against `atLeast` or `atMost`. The
 * median decides. Without a figure, because every round was thrown away, the row is not reached.
 */
export function judge({ title, unit = "", atLeast, atMost, figure, rounds, thrownAway = 0 }) {
  const reached = figure !== undefined && !(figure.median < atLeast) && !(figure.median > atMost);
  return { title, unit, atLeast, atMost, figure, rounds, thrownAway, reached };
}

const number = (value) => String(Number(value.toPrecision(3)));
const withUnit = (text, unit) => (unit === "" ? text : `${text} ${unit}`);

function cells({ title, unit, atLeast, atMost, figure, rounds, thrownAway, reached }) {
  const wanted = atLeast === undefined ? `at most ${number(atMost)}` : `at least ${number(atLeast)}`;
  const measured =
    figure === undefined
      ? "not measured"
      : `${withUnit(number(figure.median), unit)} (${number(figure.low)} to ${number(figure.high)})`;
  const all = thrownAway === 0 ? String(rounds) : `${rounds}, ${thrownAway} thrown away`;
  return [title, withUnit(wanted, unit), measured, all, reached ? "yes" : "**no**"];
}

/** The rows as a table of Markdown whose columns are aligned, for a terminal, a document or the summary of a job. */
export function renderTable(rows) {
  const head = ["measured", "wanted", "median (lowest to highest)", "rounds", "reached"];
  const lines = [head, ...rows.map(cells)];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const render = (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [render(head), rule, ...lines.slice(1).map(render)].join("\n");
}

/** 0 when every row is reached, else 1. */
export function exitCode(rows) {
  return rows.every(({ reached }) => reached) ? 0 : 1;
}
