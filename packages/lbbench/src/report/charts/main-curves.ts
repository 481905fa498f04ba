import { largestCurve } from "../../judge/load-response.js";
import type { Result } from "../../model/result.js";
import { groupBy } from "../../stats/group-by.js";
import { distinctAmounts } from "../describe-level.js";
import { collectCurves } from "./curves.js";
import type { Curve } from "./curves.js";

/** The curves that stand for their targets where one of each is enough. */
export interface MainCurves {
  /** One of each target: of a matrix the one with the most requests or the longest time. */
  readonly curves: readonly Curve[];
  /** Says of which part of a matrix they are: `with 1,000 requests`; empty where they are all there is. */
  readonly part: string;
}

/** Returns a curve of each target, in the name and the colour that it has in charts of all curves. */
export function mainCurves(result: Result): MainCurves {
  const all = collectCurves(result);
  const byTarget = groupBy(
    all.flatMap(({ cells }) => cells),
    ({ target }) => target,
  );
  const largest = new Set([...byTarget.values()].flatMap(largestCurve));
  const curves = all.filter(({ cells }) => cells.some((cell) => largest.has(cell)));
  const amounts = distinctAmounts([...largest].map(({ level }) => level));
  return { curves, part: curves.length < all.length ? `with ${amounts.join(" or ")}` : "" };
}
