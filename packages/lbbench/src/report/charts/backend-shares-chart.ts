import type { Result } from "../../model/result.js";
import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { expectedShares, sumShares } from "../backend-shares.js";
import { type Cell, cellsByTarget, collectCells } from "../cells.js";
import { formatCount, formatPercent } from "../format-number.js";
import type { ChartAxis, ChartDefinition, ChartRule, ChartSeries } from "./chart-definition.js";
import { chartSubtitle } from "./chart-words.js";
import { collectCurves, loadCategories, panelPerCurve } from "./curves.js";

/** Bars that differ by less, as a share of all requests, look alike. */
const LEVELS_ALIKE = 0.02;

/** A share that is nearer to the one expected has the same figure in a table. */
const AS_EXPECTED = 0.001;

/** How the requests to one target were shared out. */
interface Shares {
  readonly target: string;
  readonly cells: readonly Cell[];
  /** Of the backends, in order of first appearance. */
  readonly names: readonly string[];
  readonly measured: ReadonlyMap<string, number>;
  readonly expected: ReadonlyMap<string, number>;
}

/**
 * Returns the share of requests that each backend got, a panel per balancer, beside the share by weight: level by level where
 * it differs between levels, else of all; none without a balancer that has several backends, and where all of them are even, which
 * the table says as well.
 */
export function backendSharesChart(result: Result): readonly ChartDefinition[] {
  const balanced = [...cellsByTarget(collectCells(result))].flatMap(([target, cells]) =>
    collectShares(result, target, cells),
  );
  const isByLevel = balanced.some(differsByLevel);
  if (!isByLevel && balanced.every(isAsExpected)) return [];
  const panelled = panelPerCurve(balanced.map(({ target }) => target));
  return [
    {
      id: "backend-shares",
      title: "Share of requests per backend",
      subtitle: chartSubtitle(
        result,
        panelled.about(isByLevel ? "all trials together" : "all levels and trials together"),
        false,
      ),
      alt: `Share of requests per backend in percent. ${balanced.map(describeShares).join(" ")}`,
      y: { label: "requests (% of the balancer's)", scale: "linear" },
      panels: panelled.panels,
      ...(isByLevel ? byLevel(result, balanced) : ofAll(balanced)),
    },
  ];
}

type Layout = Pick<ChartDefinition, "series"> & { readonly x: ChartAxis; readonly rules?: readonly ChartRule[] };

function byLevel(result: Result, balanced: readonly Shares[]): Layout {
  const backends = allNames(balanced);
  return {
    x: loadCategories(collectCurves(result)),
    series: balanced.flatMap(({ cells, names }, panel) =>
      names.map((name, place): ChartSeries => ({
        ...bars(name, backends.indexOf(name), panel),
        // Places are shared with the backends of other panels.
        stack: `place ${place}`,
        points: loadsOf(cells).map(([x, those]) => ({ x, y: percentOf(shareOut(those), name) })),
      })),
    ),
    rules: balanced.flatMap(({ expected, names }, panel) => {
      const shares = [...new Set(expected.values())];
      return shares.map((share) => ({
        panel,
        y: 100 * share,
        label: isEven(expected)
          ? "even share"
          : `by weight: ${names.filter((name) => expected.get(name) === share).join(", ")}`,
      }));
    }),
  };
}

function ofAll(balanced: readonly Shares[]): Layout {
  const isEvenEverywhere = balanced.every(({ expected }) => isEven(expected));
  return {
    x: { label: "backend", scale: "category", ticks: allNames(balanced) },
    series: balanced.flatMap(({ names, measured, expected }, panel) => [
      { ...bars("measured", 0, panel), points: names.map((name) => ({ x: name, y: percentOf(measured, name) })) },
      ...(isEvenEverywhere
        ? []
        : [
            {
              ...bars("by weight", 4, panel),
              points: names.map((name) => ({ x: name, y: percentOf(expected, name) })),
            },
          ]),
    ]),
    ...(isEvenEverywhere
      ? {
          rules: balanced.map(({ names }, panel) => ({ panel, y: 100 / names.length, label: "even share" })),
        }
      : {}),
  };
}

function bars(name: string, colorIndex: number, panel: number): Omit<ChartSeries, "points"> {
  return { name, shape: "bar", colorIndex, dash: "solid", panel };
}

function collectShares({ scenario }: Result, target: string, cells: readonly Cell[]): readonly Shares[] {
  const measured = shareOut(cells);
  if (measured.size < 2) return [];
  const expected = expectedShares(
    scenario.targets.find(({ name }) => name === target),
    [...measured.keys()],
  );
  return [{ target, cells, names: [...expected.keys()], measured, expected }];
}

/** Empty where nothing was counted. */
function shareOut(cells: readonly Cell[]): ReadonlyMap<string, number> {
  const shares = sumShares(cells);
  const total = shares.reduce((sum, { requests }) => sum + requests, 0);
  return new Map(total === 0 ? [] : shares.map(({ name, requests }) => [name, requests / total]));
}

/** Even, and to be so: by weights of its own a share is worth a picture. */
function isAsExpected({ names, measured, expected }: Shares): boolean {
  return (
    isEven(expected) &&
    names.every((name) => Math.abs((measured.get(name) ?? 0) - (expected.get(name) ?? 0)) <= AS_EXPECTED)
  );
}

function differsByLevel({ cells, names }: Shares): boolean {
  const levels = loadsOf(cells).map(([, those]) => shareOut(those));
  return names.some((name) => {
    const shares = levels.flatMap((level) => level.get(name) ?? []);
    return Math.max(...shares) - Math.min(...shares) > LEVELS_ALIKE;
  });
}

/** Of a matrix the cells of all amounts together. */
function loadsOf(cells: readonly Cell[]): readonly (readonly [load: string, cells: readonly Cell[]])[] {
  return [...groupBy(cells, ({ level }) => formatCount(loadValue(level)))];
}

function percentOf(shares: ReadonlyMap<string, number>, name: string): number | null {
  const share = shares.get(name);
  return share === undefined ? null : 100 * share;
}

function isEven(shares: ReadonlyMap<string, number>): boolean {
  return new Set(shares.values()).size === 1;
}

function allNames(balanced: readonly Shares[]): readonly string[] {
  return [...new Set(balanced.flatMap(({ names }) => names))];
}

/** With more backends, only the ones with the most and the least are said in words. */
const MOST_SAID = 6;

function describeShares({ target, names, measured, expected }: Shares): string {
  const percent = (share: number | undefined): string => formatPercent(share ?? 0);
  const rising = names.toSorted((a, b) => (measured.get(a) ?? 0) - (measured.get(b) ?? 0));
  const said = names.length <= MOST_SAID ? names : [rising[0] ?? "", rising.at(-1) ?? ""];
  const byWeight = (name: string): string => (isEven(expected) ? "" : ` (by weight ${percent(expected.get(name))})`);
  const parts = said.map((name) => `${name} ${percent(measured.get(name))}${byWeight(name)}`);
  const range = said === names ? parts.join(", ") : `${names.length} backends, from ${parts.join(" to ")}`;
  return `${target}: ${range}${isEven(expected) ? `; an even share is ${percent(1 / names.length)}` : ""}.`;
}
