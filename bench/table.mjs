/** What benches have in common once the measuring is over: the median of rounds, whether it is what was wanted, and the table. Pure. */
import { markdownTable } from "markdown-table";

/** Median, lowest and highest of the numbers, those left out that are none; `undefined` when none are left. */
export function summarize(values) {
  const sorted = values.filter(Number.isFinite).toSorted((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, low: sorted[0], high: sorted.at(-1) };
}

/**
 * A row of the table: what was measured (`figure`, as `summarize` returns it, of so many `rounds`) held against `atLeast` or `atMost`. The
 * median decides. Without a figure, because every round was thrown away, the row is not reached.
 */
export function judge({ title, unit = "", atLeast, atMost, figure, rounds, thrownAway = 0 }) {
  const reached = figure !== undefined && !(figure.median < atLeast) && !(figure.median > atMost);
  return { title, unit, atLeast, atMost, figure, rounds, thrownAway, reached };
}

const number = (value, digits = 3) => String(Number(value.toPrecision(digits)));
/** A median, with more digits where the usual ones would not tell on which side of the bound it is. */
const besideBound = (median, bound) => number(median, number(median) === number(bound) ? 5 : 3);
const withUnit = (text, unit) => (unit === "" ? text : `${text} ${unit}`);

function cells({ title, unit, atLeast, atMost, figure, rounds, thrownAway, reached }) {
  const wanted = atLeast === undefined ? `at most ${number(atMost)}` : `at least ${number(atLeast)}`;
  const measured =
    figure === undefined
      ? "not measured"
      : `${withUnit(besideBound(figure.median, atLeast ?? atMost), unit)} (${number(figure.low)} to ${number(figure.high)})`;
  const all = thrownAway === 0 ? String(rounds) : `${rounds}, ${thrownAway} thrown away`;
  return [title, withUnit(wanted, unit), measured, all, reached ? "yes" : "**no**"];
}

/** The rows as a table of Markdown whose columns are aligned, for a terminal, a document or the summary of a job. */
export function renderTable(rows) {
  const head = ["measured", "wanted", "median (lowest to highest)", "rounds", "reached"];
  return markdownTable([head, ...rows.map(cells)]);
}
