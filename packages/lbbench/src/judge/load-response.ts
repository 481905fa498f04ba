import type { Finding } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { StepResult } from "../model/result.js";
import { median, plateau, sumOf } from "../stats/descriptive.js";
import {
  findFailureManner,
  splitAt,
  type FailureManner,
  type FailurePlace,
  type FailurePoint,
} from "../stats/failure-manner.js";
import { areHarmed } from "../stats/faults.js";
import { groupAscending, groupBy } from "../stats/group-by.js";
import { findKnee } from "../stats/knee.js";
import { loadOf, loadValue } from "../stats/load.js";
import { failedRequests, refusedRequests } from "../stats/request-counts.js";
import { compareTrials } from "../stats/trials.js";
import { fasterEngineFor, knownBottleneck } from "./bottleneck.js";
import { allowed } from "./compare-trials.js";
import { doubtOfGenerator, isMistaken } from "./doubts.js";
import { rowOf } from "./findings.js";
import { found, type Told } from "./found.js";
import { isMatrix } from "./group-findings.js";

/** A finding about what a target makes of more load; all of them are worth knowing, and no more. */
export interface Response {
  readonly code: "KNEE" | "CLIFF" | "DEGRADES" | "SHEDS";
  readonly args: Told<"KNEE" | "CLIFF" | "SHEDS">;
}

/**
 * What a target does as its load rises, where the data carry it: `KNEE`, and one of `CLIFF`, `DEGRADES` and `SHEDS`. With {requests} where
 * there is a curve for each number of requests, and this is that of the largest.
 */
export function findLoadResponse(steps: readonly StepResult[]): readonly Finding[] {
  return [...groupBy(steps, ({ target }) => target)].flatMap(([target, ofTarget]) => {
    const curve = largestCurve(ofTarget);
    const [level = {}] = curve.map((step) => step.level);
    const requests = isMatrix(ofTarget.map((step) => step.level)) ? level.requests : undefined;
    const { kind } = loadOf(level);
    return describeCurve(curve).flatMap(({ code, args }) => found(code, "info", { target, kind, requests, ...args }));
  });
}

/**
 * Returns, of steps (or what else has a level) of one target, those of the same amount, the one with the most requests or the
 * longest time: levels of different amounts are curves of their own.
 */
export function largestCurve<T extends { readonly level: Level }>(items: readonly T[]): readonly T[] {
  const curves = [...groupBy(items, ({ level }) => JSON.stringify([level.requests, level.durationMs])).values()];
  const amount = ([first]: readonly T[]): number => first?.level.requests ?? first?.level.durationMs ?? 0;
  return curves.toSorted((a, b) => amount(b) - amount(a))[0] ?? [];
}

function describeCurve(curve: readonly StepResult[]): readonly Response[] {
  const response = findFailureResponse(curve);
  // What is left after a cliff is no plateau.
  const upTo = response.find(({ code }) => code === "CLIFF")?.args.firstBad ?? Infinity;
  const isSound = (step: StepResult): boolean =>
    !isFalse(step) && step.findings.every((finding) => rowOf(finding).of !== "generator");
  const carrying = curve.filter((step) => step.state === "completed" && isSound(step));
  const isWhole = hasEveryLevel(curve, isSound);
  const knee = isWhole ? findKneeOf(carrying.filter(({ level }) => loadValue(level) < upTo)) : [];
  return [...knee.map((one) => withFall(one, response)), ...response];
}

/** Whether every level has a sound step. A level without one may be the best of all. */
function hasEveryLevel(curve: readonly StepResult[], isSound: (step: StepResult) => boolean): boolean {
  return groupAscending(curve, ({ level }) => loadValue(level)).every(({ items }) => items.some(isSound));
}

/** Whether a step says nothing of its target: it is {@link isMistaken}, or was too short. To show that nothing is answered no time is. */
export function isFalse(step: Pick<StepResult, "findings" | "measurement">): boolean {
  const isTooShort = step.findings.some(({ code }) => code === "TOO_SHORT") && step.measurement?.requests.ok !== 0;
  return isTooShort || isMistaken(step);
}

/** Returns a `KNEE` with {then}, the code by which goodput falls beyond it: more load does not only wait longer then. */
export function withFall(knee: Response, response: readonly Response[]): Response {
  const fall = response.find(({ code }) => code === "CLIFF" || code === "DEGRADES");
  return { ...knee, args: { ...knee.args, then: fall?.code } };
}

/** `KNEE` {knee, below, above, throughput, reached, dips}, with what {@link beyondKnee} and {@link withFall} add. */
function findKneeOf(curve: readonly StepResult[]): readonly Response[] {
  const points = curve.flatMap(({ level, measurement }) =>
    measurement?.latency?.mean === undefined
      ? []
      : [{ load: loadValue(level), throughput: measurement.throughput, latencyMs: measurement.latency.mean }],
  );
  const knee = findKnee(points);
  if (knee === undefined) return [];
  const { load, ...more } = knee;
  return [{ code: "KNEE", args: { knee: load, ...more, ...beyondKnee(curve, knee.above) } }];
}

/**
 * What was busy to its limit at most of the levels beyond a knee, by most of the trials of each: {bottleneck}, `none` where nothing was at
 * any of them, with {busyAt: "100, 250"} where it was not so at all, and {@link fasterEngineFor} it. Nothing where no part was so at most of
 * them, and where it is not known of a level.
 */
function beyondKnee(steps: readonly StepResult[], above: number): Response["args"] {
  const beyond = steps.filter(({ level }) => loadValue(level) >= above);
  const levels = groupAscending(beyond, ({ level }) => loadValue(level)).map(({ key, items }) => ({
    load: key,
    bottleneck: commonest(items.flatMap(({ usage }) => knownBottleneck(usage))),
  }));
  if (levels.length === 0 || levels.some(({ bottleneck }) => bottleneck === undefined)) return {};
  const limits = levels.flatMap(({ bottleneck }) => bottleneck ?? []).filter((bottleneck) => bottleneck !== "none");
  const bottleneck = commonest(limits) ?? "none";
  const busy = levels.filter((one) => one.bottleneck === bottleneck);
  const [first] = beyond;
  if (busy.length <= levels.length / 2) return {};
  return {
    bottleneck,
    busyAt: busy.length === levels.length ? undefined : busy.map(({ load }) => load).join(", "),
    fasterEngine: bottleneck === "generator" && first !== undefined ? fasterEngineFor(first) : undefined,
  };
}

function commonest<T extends string>(names: readonly T[]): T | undefined {
  return [...groupBy(names, (name) => name).values()].toSorted((a, b) => b.length - a.length)[0]?.[0];
}

type Fall = Extract<FailureManner, { readonly goodput: FailurePlace }>;

/** The finding of a fall of goodput, with where it begins. */
export function fallOf({ manner, remaining }: Fall, args: Response["args"]): Response {
  return { code: manner === "cliff" ? "CLIFF" : "DEGRADES", args: { ...args, remaining } };
}

/** A manner of failing, whose fall of goodput counts only where it is shown to be more than noise. */
export function withoutNoise(manner: FailureManner, isShown: (fall: Fall) => boolean): FailureManner {
  if (!("goodput" in manner) || isShown(manner)) return manner;
  const { errors, remaining } = manner;
  return errors === undefined ? { manner: "holds" } : { manner: "sheds", errors, remaining };
}

/**
 * `CLIFF`, `DEGRADES` or `SHEDS` of the steps of one curve. Where a level is left out for doubt, a fall is told only as a `CLIFF` after which
 * more requests fail than are ok. Nothing with faults, which make requests fail at any load. A step that was too short for its goodput shows
 * all the same that requests were refused: such levels right below count for `firstBad` of `SHEDS`.
 */
function findFailureResponse(curve: readonly StepResult[]): readonly Response[] {
  if (areHarmed(curve)) return [];
  const isSound = (step: StepResult): boolean => !isFalse(step) && !mayBeOfTheGenerator(step);
  const points = pointsOf(curve.filter(isSound));
  const levels = levelsOf(points);
  const fewest = Math.min(...levels.map(({ goodputs }) => goodputs.length));
  // Where more requests failed than were ok: these are counted, so the fall is certain without the other levels.
  const isCertain = ({ manner: how, goodput }: Fall): boolean =>
    how === "cliff" && sumOf(splitAt(points, goodput).fallen, ({ failed, ok }) => failed - ok) > 0;
  const manner = withoutNoise(findFailureManner(points, "level"), (fall) => {
    if (!isCertain(fall) && !fallsDespiteDoubts(levels, fall.goodput)) return false;
    // With fewer trials a fall counts only where requests fail with it.
    return fewest < TRIALS_TO_FALL ? fall.errors !== undefined : fallsBelowNoise(levels, fall.goodput);
  });
  if ("goodput" in manner) {
    return isCertain(manner) || hasEveryLevel(curve, isSound) ? [fallOf(manner, placeArgs(manner.goodput))] : [];
  }
  if (manner.manner !== "sheds") return [];
  const counted = curve.filter((step) => !isMistaken(step) && !mayBeOfTheGenerator(step));
  const errors = extendDown(manner.errors, counted);
  const failing = counted.filter(({ level }) => loadValue(level) >= errors.firstBad);
  return isShedding(errors, failing)
    ? [{ code: "SHEDS", args: { ...placeArgs(errors), remaining: manner.remaining } }]
    : [];
}

/** Whether a fall of goodput in a step may be the generator's. Failures that it reports are real all the same. */
function mayBeOfTheGenerator(step: StepResult): boolean {
  const requests = step.measurement?.requests;
  const isFaultless = requests === undefined || failedRequests(requests) === 0;
  return isFaultless && doubtOfGenerator(step) !== undefined;
}

/** Part of the failed requests from which on refusing is what the target does, and the rest is chance. */
const MOSTLY = 0.8;

/**
 * Whether a target refuses what is too much: at least 80 % of the failed requests were turned away (`refusedRequests`), and at a lower
 * load next to none failed. One that fails at any load, or lets requests hang, has no limit set on purpose.
 */
export function isShedding({ lastGood }: FailurePlace, steps: readonly StepResult[]): boolean {
  if (lastGood === null) return false;
  const measurements = steps.flatMap(({ measurement }) => measurement ?? []);
  const refused = sumOf(measurements, refusedRequests);
  const failed = sumOf(measurements, ({ requests }) => failedRequests(requests));
  return refused > 0 && refused >= MOSTLY * failed;
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

/** Trials of every level, from which on they show by themselves whether a fall of goodput is more than noise. */
export const TRIALS_TO_FALL = 3;

/** Of the best, the part from which on a level belongs to what goodput falls from. */
const HIGH = 0.8;

/** Probability of an outcome that is no chance: less than in a comparison, because these levels are chosen for being low. */
const BEYOND_CHANCE = 0.01;

/** Whether goodput is lower at a level that fell even if it was as high as what bounds its throughput leaves room for. */
function fallsDespiteDoubts(levels: ReturnType<typeof levelsOf>, place: FailurePlace): boolean {
  const { before, fallen } = splitAt(levels, place);
  const best = plateau(before.map(({ goodput }) => goodput));
  return fallen.some(({ most }) => most < HIGH * best);
}

/**
 * Whether the trials of the levels that fell lie lower than those of all levels before, from the first on that was high: of many levels
 * the best alone is high by chance.
 */
function fallsBelowNoise(levels: ReturnType<typeof levelsOf>, place: FailurePlace): boolean {
  const { before, fallen } = splitAt(levels, place);
  const best = Math.max(...before.map(({ goodput }) => goodput));
  const from = before.findIndex(({ goodput }) => goodput >= HIGH * best);
  if (from < 0) return false;
  const high = before.slice(from).flatMap(({ goodputs }) => goodputs);
  const low = fallen.flatMap(({ goodputs }) => goodputs);
  // Three trials and three are too few for the test.
  if (Math.max(...low) < Math.min(...high)) return true;
  const { verdict, pValue } = compareTrials(high, low);
  return verdict === "lower" && pValue !== null && pValue <= BEYOND_CHANCE;
}

function placeArgs({ lastGood, firstBad }: FailurePlace): Response["args"] {
  return { lastGood: lastGood ?? undefined, firstBad };
}

/** A step as a point, with the most goodput that it may have had. */
interface LevelPoint extends FailurePoint {
  readonly most: number;
}

/** The levels in order, each with the goodputs of its trials and their median, and the median of the most that they may have been. */
function levelsOf(points: readonly LevelPoint[]) {
  return groupAscending(points, ({ at }) => at).map(({ key: at, items }) => {
    const goodputs = items.map(({ goodput }) => goodput);
    return { at, goodputs, goodput: median(goodputs), most: median(items.map(({ most }) => most)) };
  });
}

/** Where most trials died the level was not held, whatever the others answered. */
function pointsOf(steps: readonly StepResult[]): readonly LevelPoint[] {
  const hasDied = ({ error }: StepResult): boolean => error?.code === "TARGET_DIED";
  return groupAscending(steps, ({ level }) => loadValue(level)).flatMap(({ key: at, items }) => {
    const died = items.filter(hasDied);
    return (died.length * 2 > items.length ? died : items).flatMap((step): readonly LevelPoint[] => {
      if (hasDied(step)) return [{ at, ok: 0, failed: 1, goodput: 0, most: 0 }];
      const { measurement, state } = step;
      if (measurement === undefined || state === "aborted") return [];
      const { requests, throughput } = measurement;
      const { best: most = throughput } = allowed("throughput", step) ?? {};
      return [{ at, ok: requests.ok, failed: failedRequests(requests), goodput: throughput, most }];
    });
  });
}
