/** Figures of tables that a finding bounds: which have a mark, and what stands under the table for it. */
import { doubtsBeyondChance } from "../judge/doubts.js";
import type { Bound } from "../judge/finding-figures.js";
import { rowOf } from "../judge/findings.js";
import { metricValue } from "../judge/metrics.js";
import type { FindingCode } from "../model/finding.js";
import type { ThresholdMetric } from "../model/threshold.js";
import { groupBy } from "../stats/group-by.js";
import type { Cell } from "./cells.js";

/** Stands behind a figure that is not what it seems. */
const DOUBT_MARK = "*";

/** What the figures of tables are measured in, where that can be doubtful. */
const METRICS: ReadonlyMap<string, ThresholdMetric> = new Map<string, ThresholdMetric>([
  ["throughput_per_s", "throughput"],
  ["latency_mean_ms", "mean"],
  ["latency_p50_ms", "p50"],
  ["latency_p90_ms", "p90"],
  ["latency_p99_ms", "p99"],
  ["latency_max_ms", "max"],
  ["timing_added_p50_ms", "p50"],
  ["timing_added_p99_ms", "p99"],
  ["timing_added_p999_ms", "p999"],
]);

interface CellDoubt {
  readonly code: FindingCode;
  readonly bound: Bound;
}

/** What bounds a figure of a cell in half of its trials or more, on which the median may rest; what is off by chance is no doubt. */
function doubtsOf(cell: Cell, metric: ThresholdMetric): readonly CellDoubt[] {
  const { measured } = cell;
  const values = measured.map((step) => metricValue(step, metric));
  // A figure of 0 is 0, also in doubt.
  if (values.every((value) => value === null || value === 0)) return [];
  const all = measured.flatMap((step) => doubtsBeyondChance(metric, step));
  return [...groupBy(all, ({ code }) => code).values()].flatMap((those) =>
    2 * those.length >= measured.length ? those.slice(0, 1) : [],
  );
}

/** Whether a figure of tables, by its key, is one that a finding bounds. */
export function isDoubtful(cell: Cell, key: string): boolean {
  const metric = METRICS.get(key);
  return metric !== undefined && doubtsOf(cell, metric).length > 0;
}

/** Says in charts what a hollow point or bar is, where one of these figures is in doubt. */
export function hollowNote(cells: readonly Cell[], keys: readonly string[]): string {
  return cells.some((cell) => keys.some((key) => isDoubtful(cell, key))) ? "hollow: in doubt (see the table)" : "";
}

/** A figure as it is written, with a mark where a finding bounds it; `otherwise` stands in its place. */
export function markDoubtful(text: string, cell: Cell, key: string, otherwise = ""): string {
  return `${text}${isDoubtful(cell, key) ? DOUBT_MARK : otherwise}`;
}

const BOUNDS: Readonly<Record<Bound, string>> = {
  least: "may be higher",
  most: "may be lower",
  chance: "may differ",
  nothing: "says little",
};

/** Says why figures of a table have a mark, a line for each finding, and one for all failures; nothing where none has. */
export function describeDoubts(cells: readonly Cell[]): readonly string[] {
  const found = cells.flatMap((cell) =>
    [...METRICS.values()].flatMap((metric) =>
      doubtsOf(cell, metric).map((doubt) => ({ ...doubt, what: metric === "throughput" ? "requests/s" : "latency" })),
    ),
  );
  const others = found.filter(({ code }) => rowOf({ code }).of !== "failures");
  const lines = [...groupBy(others, ({ code }) => code)].map(([code, those]) => {
    const bounds = [...new Map(those.map(({ what, bound }) => [what, bound]))];
    const title = rowOf({ code: code as FindingCode }).title ?? code;
    return `${DOUBT_MARK} ${title}: ${bounds.map(([what, bound]) => `${what} ${BOUNDS[bound]}`).join(", ")}.`;
  });
  const failures = `${DOUBT_MARK} Requests failed: latency is of those that did not.`;
  return others.length < found.length ? [...lines, failures] : lines;
}
