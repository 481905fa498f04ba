import { median, plateau, sumOf } from "./descriptive.js";
import { groupAscending } from "./group-by.js";
import { defined } from "./defined.js";

/** What was measured at one level, or in one second, of a load that rises. */
export interface FailurePoint {
  /** Connections, users or requests per second of a level; or the second. */
  readonly at: number;
  readonly ok: number;
  /** Requests that failed, in any way. */
  readonly failed: number;
  /** Ok responses per second. */
  readonly goodput: number;
}

/** Where a trouble starts that lasts to the end. */
export interface FailurePlace {
  /** The last point without it; `null` when it is there from the first. */
  readonly lastGood: number | null;
  readonly firstBad: number;
}

/** What lies before a trouble, and what from there on. */
export function splitAt<T extends { readonly at: number }>(points: readonly T[], { firstBad }: FailurePlace) {
  return { before: points.filter(({ at }) => at < firstBad), fallen: points.filter(({ at }) => at >= firstBad) };
}

/**
 * What happens as the load rises.
 * - `holds`: nothing fails and goodput is kept up.
 * - `sheds`: requests fail, goodput is kept up: the server refuses what is too much and serves the rest.
 * - `degrades`: goodput falls, and takes several levels or seconds to lose half.
 * - `cliff`: from one level to the next, or within a few seconds, half of the goodput or more is gone.
 * - `unknown`: fewer than 2 points, or nothing was ever ok.
 */
export type FailureManner =
  | { readonly manner: "holds" }
  | {
      readonly manner: "sheds";
      readonly errors: FailurePlace;
      /** The lowest goodput from there on, as a part of the highest; of seconds medians of three, which a pause does not move. */
      readonly remaining: number;
    }
  | {
      readonly manner: "degrades" | "cliff";
      readonly goodput: FailurePlace;
      /** The lowest goodput from there on, as a part of the highest before, 0 to 1. */
      readonly remaining: number;
      /** Absent when none failed. */
      readonly errors?: FailurePlace;
    }
  | { readonly manner: "unknown" };

/** Part of the best goodput so far that still is as good as it; noise of a few percent does not reach it. */
const KEPT_UP = 0.8;

/** Part of the best goodput so far below which more is lost than is left. */
const COLLAPSED = 0.5;

/** Part of the requests; below it, failures are what a user of a server that works may see as well. */
const FAILING = 0.01;

/** Points at the end that have to agree: every level is a run by itself, a second is a glimpse, the last one cut off. */
const LASTING = { level: 1, second: 3 } as const;

/** How far a cliff reaches where levels are close, as a factor of the load. */
const CLIFF_REACH = 1.25;

/**
 * Says in which manner a target fails as the load rises, and where. Only what lasts to the end counts, because the load
 * goes on rising: a level or a second that is bad by itself is noise, or a pause.
 *
 * Goodput decides, not the share of errors: in a closed loop a refusal is quick and followed by the next attempt, so that
 * a server at its best may refuse nearly all. It is compared with the best up to there ({@link plateau}), since before the
 * knee it grows. Points with the same `at` are trials: their requests are added up, of their goodputs the median counts.
 * Between levels that are far apart nothing was seen: a cliff from 1 to 50 may be a slope.
 */
export function findFailureManner(points: readonly FailurePoint[], unit: "level" | "second"): FailureManner {
  const rising = groupAscending(points, ({ at }) => at).map(({ key: at, items }) => ({
    at,
    ok: sumOf(items, ({ ok }) => ok),
    failed: sumOf(items, ({ failed }) => failed),
    goodput: median(items.map(({ goodput }) => goodput)),
  }));
  if (rising.length < 2 || rising.every(({ goodput }) => goodput <= 0)) return { manner: "unknown" };
  const lasting = LASTING[unit];
  const failing = lastingFrom(rising, (index) => shareOfErrors(rising[index]) >= FAILING, lasting);
  const errors = failing === undefined ? undefined : placeAt(rising, failing);
  const goodputs = rising.map(({ goodput }) => goodput);
  // The first point has nothing before it to fall short of, so goodput never drops there.
  const bestUpTo = (index: number): number => plateau(goodputs.slice(0, index + 1));
  const drop = lastingFrom(rising, (index) => (goodputs[index] ?? 0) < KEPT_UP * bestUpTo(index), lasting);
  if (drop === undefined) {
    if (failing === undefined || errors === undefined) return { manner: "holds" };
    const kept = goodputs
      .slice(0, goodputs.length - lasting + 1)
      .map((_, at) => median(goodputs.slice(at, at + lasting)));
    return { manner: "sheds", errors, remaining: Math.min(...kept.slice(failing)) / Math.max(...kept) };
  }
  const best = bestUpTo(drop - 1);
  // By the second it falls into, which need not be the first that is low: seconds are noisier than levels.
  const cliff =
    unit === "level" ? cliffBetweenLevels(rising, drop, best) : findCollapse(goodputs, drop, (1 - COLLAPSED) * best);
  const goodput = placeAt(rising, cliff ?? drop);
  const remaining = Math.min(...goodputs.slice(drop)) / Math.max(...goodputs.slice(0, drop));
  return { manner: cliff === undefined ? "degrades" : "cliff", goodput, remaining, ...defined({ errors }) };
}

function cliffBetweenLevels(points: readonly FailurePoint[], drop: number, best: number): number | undefined {
  const { lastGood, firstBad } = placeAt(points, drop);
  const end = (lastGood ?? firstBad) * CLIFF_REACH;
  const fallen = points.slice(drop);
  const isCliff = fallen.some(({ at, goodput }, index) => goodput < COLLAPSED * best && (index === 0 || at <= end));
  return isCliff ? drop : undefined;
}

function shareOfErrors(point: FailurePoint | undefined): number {
  return point !== undefined && point.failed > 0 ? point.failed / (point.ok + point.failed) : 0;
}

/** Index from which on all points to the last are bad; `undefined` when the last is not, or when they are too few. */
function lastingFrom(points: readonly FailurePoint[], isBad: (index: number) => boolean, lasting: number) {
  const first = points.findLastIndex((_, index) => !isBad(index)) + 1;
  return points.length - first < lasting ? undefined : first;
}

function placeAt(points: readonly FailurePoint[], first: number): FailurePlace {
  return { lastGood: points[first - 1]?.at ?? null, firstBad: points[first]?.at ?? Number.NaN };
}

/** Seconds on either side of a collapse, whose median a single pause does not move. */
const WINDOW = 3;

/** Part of the former throughput, below which a second counts as fallen. */
const FALLEN = 0.8;

/**
 * Returns the index of the second in which goodput collapses, from `first` on: where most is gone from the seconds before to
 * those after, if that is at least `amount`; `undefined` where it is less everywhere. What takes ten seconds to fall loses no
 * more than a third of itself from one side to the other.
 */
function findCollapse(goodputs: readonly number[], first: number, amount: number): number | undefined {
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
