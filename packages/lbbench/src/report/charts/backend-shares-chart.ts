import type { Result } from "../../model/result.js";
import { groupBy } from "../../stats/group-by.js";
import { expectedShares, sumShares } from "../backend-shares.js";
import { type Cell, cellsByTarget, collectCells } from "../cells.js";
import type { ChartRow, ChartRule, RowSeries } from "./chart-definition.js";
import { collectCurves, loadCategories, loadCategory } from "./curves.js";

/** Bars that differ by less, in percent of all requests, look alike. */
const LEVELS_ALIKE = 2;

/** A share that is nearer to the one expected, in percent, has the same figure in a table. */
const AS_EXPECTED = 0.1;

type Shares = ReadonlyMap<string, number>;

/** How the requests to one target were shared out, in percent by backend. */
interface SharedTarget {
  readonly target: string;
  /** Of the backends, in order of first appearance. */
  readonly names: readonly string[];
  readonly measured: Shares;
  readonly expected: Shares;
  /** By load; of a matrix the cells of all amounts together. */
  readonly byLoad: readonly (readonly [load: string, shares: Shares])[];
}

/**
 * Returns the share of requests that each backend got, a panel per balancer, beside the share by weight: level by level where
 * it differs between levels, else of all; none without a balancer that has several backends, and where all of them are even, which
 * the table says as well.
 */
export function backendSharesChart(result: Result): readonly ChartRow[] {
  const balanced = [...cellsByTarget(collectCells(result))].flatMap(([target, cells]) =>
    collectShares(result, target, cells),
  );
  const isByLevel = balanced.some(differsByLevel);
  if (!isByLevel && balanced.every(isAsExpected)) return [];
  const names = [...new Set(balanced.flatMap((one) => one.names))];
  const isEvenEverywhere = balanced.every(({ expected }) => isEven(expected));
  return [
    {
      id: "backend-shares",
      title: "Share of requests per backend",
      about: isByLevel ? "all trials together" : "all levels and trials together",
      x: isByLevel ? loadCategories(collectCurves(result)) : { label: "backend", scale: "category", ticks: names },
      y: { label: "requests (% of the balancer's)", scale: "linear" },
      panels: balanced.map(({ target }) => target),
      series: balanced.flatMap((one, panel) =>
        isByLevel ? seriesByLevel(one, panel, names) : seriesOfAll(one, panel, isEvenEverywhere),
      ),
      rules: isByLevel || isEvenEverywhere ? balanced.flatMap(expectedRules) : [],
    },
  ];
}

function seriesByLevel({ names, byLoad }: SharedTarget, panel: number, all: readonly string[]): readonly RowSeries[] {
  return names.map((name, place) => ({
    name,
    shape: "bar",
    colorIndex: all.indexOf(name),
    panel,
    // Places are shared with the backends of other panels.
    stack: `place ${place}`,
    points: byLoad.map(([x, shares]) => ({ x, y: shares.get(name) ?? null })),
  }));
}

function seriesOfAll(
  { names, ...shares }: SharedTarget,
  panel: number,
  isEvenEverywhere: boolean,
): readonly RowSeries[] {
  const bars = (name: string, colorIndex: number, of: Shares): RowSeries => {
    return { name, shape: "bar", colorIndex, panel, points: names.map((x) => ({ x, y: of.get(x) ?? null })) };
  };
  const measured = bars("measured", 0, shares.measured);
  return isEvenEverywhere ? [measured] : [measured, bars("by weight", 4, shares.expected)];
}

function expectedRules({ names, expected }: SharedTarget, panel: number): readonly ChartRule[] {
  return [...groupBy(names, (name) => String(expected.get(name)))].map(([share, those]) => {
    return { panel, y: Number(share), label: isEven(expected) ? "even share" : `by weight: ${those.join(", ")}` };
  });
}

function collectShares({ scenario }: Result, target: string, cells: readonly Cell[]): readonly SharedTarget[] {
  const measured = shareOut(cells);
  if (measured.size < 2) return [];
  const shares = expectedShares(
    scenario.targets.find(({ name }) => name === target),
    [...measured.keys()],
  );
  const expected = new Map([...shares].map(([name, share]) => [name, 100 * share]));
  const byLoad = [...groupBy(cells, loadCategory)].map(([load, those]) => [load, shareOut(those)] as const);
  return [{ target, names: [...expected.keys()], measured, expected, byLoad }];
}

/** Empty where nothing was counted. */
function shareOut(cells: readonly Cell[]): Shares {
  const shares = sumShares(cells);
  const total = shares.reduce((sum, { requests }) => sum + requests, 0);
  return new Map(total === 0 ? [] : shares.map(({ name, requests }) => [name, 100 * (requests / total)]));
}

/** Even, and to be so: by weights of its own a share is worth a picture. */
function isAsExpected({ names, measured, expected }: SharedTarget): boolean {
  const isNear = (name: string): boolean =>
    Math.abs((measured.get(name) ?? 0) - (expected.get(name) ?? 0)) <= AS_EXPECTED;
  return isEven(expected) && names.every(isNear);
}

function differsByLevel({ names, byLoad }: SharedTarget): boolean {
  return names.some((name) => {
    const shares = byLoad.flatMap(([, level]) => level.get(name) ?? []);
    return Math.max(...shares) - Math.min(...shares) > LEVELS_ALIKE;
  });
}

function isEven(shares: Shares): boolean {
  return new Set(shares.values()).size === 1;
}
