import { median } from "./descriptive.js";

/** Seconds on either side of a collapse, whose median a single pause does not move. */
const WINDOW = 3;

/** Part of what there was before, below which a second counts as fallen. */
const FALLEN = 0.8;

/**
 * Returns the index of the second in which goodput collapses, from `first` on: where most is gone from the seconds before to
 * those after, if that is at least `amount`; `undefined` where it is less everywhere. What takes ten seconds to fall loses no
 * more than a third of itself from one side to the other.
 */
export function findCollapse(goodputs: readonly number[], first: number, amount: number): number | undefined {
  const places = Array.from({ length: Math.max(0, goodputs.length - WINDOW - first + 1) }, (_, step) => {
    const index = first + step;
    const before = median(goodputs.slice(Math.max(0, index - WINDOW), index));
    return { index, before, lost: before - median(goodputs.slice(index, index + WINDOW)) };
  });
  const [deepest] = places.toSorted((a, b) => b.lost - a.lost);
  if (deepest === undefined || deepest.lost < amount) return undefined;
  const { index, before } = deepest;
  // The medians are as far apart with one second of the other side among three.
  const begin = Math.max(first, index - 1);
  return begin + goodputs.slice(begin).findIndex((goodput) => goodput < FALLEN * before);
}
