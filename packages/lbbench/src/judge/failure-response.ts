import type { Finding, FindingArgs } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import { median } from "../stats/descriptive.js";
import { findFailureManner } from "../stats/failure-manner.js";
import type { FailureManner, FailurePlace, FailurePoint } from "../stats/failure-manner.js";
import { groupBy } from "../stats/group-by.js";
import { loadValue } from "../stats/load.js";
import { failedRequests } from "../stats/request-counts.js";
import { compareTrials } from "../stats/trials.js";
import { isFalse, isMistaken, mayBeOfTheGenerator } from "./not-of-the-target.js";
import { turnsAway } from "./turns-away.js";

/**
 * `CLIFF` or `DEGRADES` {lastGood, firstBad, remaining}: goodput falls, at once or gradually; `SHEDS` {lastGood, firstBad}:
 * requests are refused ({@link turnsAway}), and goodput is kept up. `lastGood` of a fall is missing where it is bad from the first
 * level. Of the steps of one curve. A step that was too short for its goodput shows all the same that requests were refused: such
 * levels right below count for `firstBad` of `SHEDS`.
 */
export function findFailureResponse(curve: readonly StepResult[]): readonly Pick<Finding, "code" | "args">[] {
  const told = curve.filter((step) => !isFalse(step) && !mayBeOfTheGenerator(step));
  const points = pointsOf(told);
  const manner = withoutNoise(findFailureManner(points, "level"), points);
  switch (manner.manner) {
    case "sheds": {
      const counted = curve.filter((step) => !isMistaken(step) && !mayBeOfTheGenerator(step));
      const errors = extendDown(manner.errors, counted);
      const failing = counted.filter(({ level }) => loadValue(level) >= errors.firstBad);
      return turnsAway(errors, failing) ? [{ code: "SHEDS", args: placeArgs(errors) }] : [];
    }
    case "cliff":
    case "degrades":
      return [
        {
          code: manner.manner === "cliff" ? "CLIFF" : "DEGRADES",
          args: { ...placeArgs(manner.goodput), remaining: manner.remaining },
        },
      ];
    default:
      return [];
  }
}

/** Where failures begin, when levels count too that have no goodput to compare. */
function extendDown(errors: FailurePlace, steps: readonly StepResult[]): FailurePlace {
  const below = pointsOf(steps).filter(({ at }) => at <= errors.firstBad);
  const manner = findFailureManner(
    below.map((point) => ({ ...point, goodput: 1 })),
    "level",
  );
  return manner.manner === "sheds" ? { ...errors, firstBad: manner.errors.firstBad } : errors;
}

function pointsOf(steps: readonly StepResult[]): readonly FailurePoint[] {
  return [...groupBy(steps, ({ level }) => String(loadValue(level))).values()].flatMap(toFailurePoints);
}

/** Trials of every level, from which on they show by themselves whether a fall of goodput is more than noise. */
const TRIALS_TO_FALL = 3;

/** Of the best, the part from which on a level belongs to what goodput falls from. */
const HIGH = 0.8;

/** Probability of an outcome that is no chance: less than in a comparison, because these levels are chosen for being low. */
const BEYOND_CHANCE = 0.01;

/** With fewer trials a fall counts only where requests fail with it. */
function withoutNoise(manner: FailureManner, points: readonly FailurePoint[]): FailureManner {
  if (!("goodput" in manner)) return manner;
  const { goodput: place, errors } = manner;
  const isShown = fewestTrials(points) < TRIALS_TO_FALL ? errors !== undefined : fallsBelowNoise(points, place);
  if (isShown) return manner;
  return errors === undefined ? { manner: "holds" } : { manner: "sheds", errors };
}

/**
 * Whether the trials of the levels that fell lie lower than those of all levels before, from the first on that was high. Not
 * than those of the best alone: of many levels the best is high by chance.
 */
function fallsBelowNoise(points: readonly FailurePoint[], { firstBad }: FailurePlace): boolean {
  const before = points.filter(({ at }) => at < firstBad);
  const goodputAt = (load: number): number =>
    median(before.filter(({ at }) => at === load).map(({ goodput }) => goodput));
  const loads = [...new Set(before.map(({ at }) => at))].toSorted((a, b) => a - b);
  const best = Math.max(...loads.map(goodputAt));
  const from = loads.find((load) => goodputAt(load) >= HIGH * best);
  if (from === undefined) return false;
  const high = before.filter(({ at }) => at >= from).map(({ goodput }) => goodput);
  const low = points.filter(({ at }) => at >= firstBad).map(({ goodput }) => goodput);
  // Three trials and three are too few for the test.
  if (Math.max(...low) < Math.min(...high)) return true;
  const { verdict, pValue } = compareTrials(high, low);
  return verdict === "lower" && pValue !== null && pValue <= BEYOND_CHANCE;
}

function fewestTrials(points: readonly FailurePoint[]): number {
  return Math.min(...[...groupBy(points, ({ at }) => String(at)).values()].map((trials) => trials.length));
}

function placeArgs({ lastGood, firstBad }: FailurePlace): FindingArgs {
  return { ...(lastGood === null ? {} : { lastGood }), firstBad };
}

/** Where most trials died the level was not held, whatever the others answered. */
function toFailurePoints(trials: readonly StepResult[]): readonly FailurePoint[] {
  const died = trials.filter(({ error }) => error?.code === "TARGET_DIED");
  return (died.length * 2 > trials.length ? died : trials).flatMap(toFailurePoint);
}

function toFailurePoint({ state, level, measurement, error }: StepResult): readonly FailurePoint[] {
  const at = loadValue(level);
  if (error?.code === "TARGET_DIED") return [{ at, ok: 0, failed: 1, goodput: 0 }];
  if (measurement === undefined || state === "aborted") return [];
  const { requests, throughput } = measurement;
  return [{ at, ok: requests.ok, failed: failedRequests(requests), goodput: throughput }];
}
