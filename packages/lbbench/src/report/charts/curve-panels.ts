import { distinctAmounts, describeAmount } from "../describe-level.js";
import type { Curve } from "./curves.js";
import { readTargetGrid } from "./target-grid.js";

/** Lines in one panel that can still be told apart. */
const MOST_IN_ONE_PANEL = 8;

/** In how many panels curves are drawn, and where each of them is. */
export interface CurvePanels {
  /** A single one with an empty title where all are in one. */
  readonly panels: readonly string[];
  /** In the order of the curves. */
  readonly places: readonly CurvePlace[];
}

/** Where a curve is drawn, and by what it is told from others there. */
export interface CurvePlace {
  readonly panel: number;
  /** In the legend. */
  readonly name: string;
  readonly colorIndex: number;
}

/**
 * Spreads curves over panels: of a matrix with several targets one for each target, its amounts told apart by colour; of more than
 * 8 targets from a grid one for each group of them; of other lists of targets beyond 8 one for each 6 of them; else a single one.
 */
export function curvePanels(curves: readonly Curve[]): CurvePanels {
  const targets = [...new Set(curves.map(targetOf))];
  const amounts = distinctAmounts(curves.flatMap(({ cells }) => cells.map(({ level }) => level)));
  if (amounts.length > 1 && targets.length > 1) {
    const places = curves.map((curve) => ({ panel: targetOf(curve), name: amountOf(curve) }));
    return spread(places, targets, amounts);
  }
  if (curves.length <= MOST_IN_ONE_PANEL) {
    return { panels: [""], places: curves.map(({ name, colorIndex }) => ({ panel: 0, name, colorIndex })) };
  }
  const grid = amounts.length > 1 ? undefined : readTargetGrid(targets);
  return grid === undefined ? chunk(curves) : spreadGrid(grid);
}

function spreadGrid(grid: NonNullable<ReturnType<typeof readTargetGrid>>): CurvePanels {
  const places = grid.map(({ group, member }) => ({ panel: group, name: member ?? ALONE }));
  return spread(places, distinct(places.map(({ panel }) => panel)), distinct(places.map(({ name }) => name)));
}

/** The entry of the legend for a target that a panel is named after. */
const ALONE = "as named above the panel";

/** Lines in a panel where several are needed anyhow. */
const MANY_IN_A_PANEL = 6;

function chunk(curves: readonly Curve[]): CurvePanels {
  const count = Math.ceil(curves.length / MANY_IN_A_PANEL);
  const size = Math.ceil(curves.length / count);
  const places = curves.map(({ name, colorIndex }, index) => ({ panel: Math.floor(index / size), name, colorIndex }));
  return {
    panels: Array.from({ length: count }, (_, panel) => {
      const [first, last] = [panel * size + 1, Math.min(curves.length, (panel + 1) * size)];
      return `${first} to ${last} of ${curves.length}`;
    }),
    places,
  };
}

function spread(
  places: readonly { readonly panel: string; readonly name: string }[],
  panels: readonly string[],
  names: readonly string[],
): CurvePanels {
  return {
    panels,
    places: places.map(({ panel, name }) => ({ panel: panels.indexOf(panel), name, colorIndex: names.indexOf(name) })),
  };
}

function targetOf({ cells }: Curve): string {
  return cells[0]?.target ?? "";
}

function amountOf({ cells: [first] }: Curve): string {
  return first === undefined ? "" : describeAmount(first.level);
}

function distinct(words: readonly string[]): readonly string[] {
  return [...new Set(words)];
}
