import type { Finding } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import type { Ramp } from "../model/scenario.js";
import { median, plateau, sumOf } from "../stats/descriptive.js";
import { findFailureManner, splitAt, type FailureManner, type FailurePlace } from "../stats/failure-manner.js";
import { areHarmed } from "../stats/faults.js";
import { groupBy } from "../stats/group-by.js";
import { placeKey } from "../stats/identity.js";
import { findKnee, type KneePoint } from "../stats/knee.js";
import { loadValue } from "../stats/load.js";
import { isWhole, rampSeconds, type RampSecond } from "../stats/ramp-seconds.js";
import { mayHaveSaturatedGenerator } from "./bottleneck.js";
import { fallOf, isFalse, isShedding, TRIALS_TO_FALL, withFall, withoutNoise, type Response } from "./load-response.js";
import { found, type Run } from "./found.js";

/**
 * What a target does as the users of a ramp come, as `findLoadResponse` says of levels: with users, and the `second` in which they were
 * there. Of several trials the median of each second counts. The first second, in which connections are made, and a last one that was
 * cut short do not. Nothing with faults, after which it is not the users that count, nor for a result that is not of a ramp.
 */
export function findRampResponse({ scenario, steps }: Run): readonly Finding[] {
  const { ramp } = scenario;
  if (ramp === null || areHarmed(steps)) return [];
  // A limit of the generator is looked at where it matters.
  const telling = steps.filter((step) => step.measurement !== undefined && step.state !== "aborted" && !isFalse(step));
  return [...groupBy(telling, placeKey).values()].flatMap((trials) => findResponseOf(trials, ramp));
}

function findResponseOf(trials: readonly StepResult[], ramp: Ramp): readonly Finding[] {
  const [first] = trials;
  if (first === undefined) return [];
  const measurements = trials.flatMap(({ measurement }) => measurement ?? []);
  const seconds = rampSeconds(measurements, loadValue(first.level), ramp).slice(1).filter(isWhole);
  const manner = findMannerOf(seconds, trials);
  // What is left after a cliff is no plateau.
  const upTo = manner.manner === "cliff" ? manner.goodput.firstBad : Infinity;
  const response = describeManner(manner, seconds, trials);
  const noticed = [
    ...(trials.some(mayHaveSaturatedGenerator)
      ? []
      : findRampKnee(seconds.filter(({ second }) => second < upTo)).map((knee) => withFall(knee, response))),
    ...response,
  ];
  return noticed.flatMap(({ code, args }) => found(code, "info", { target: first.target, kind: "users", ...args }));
}

/** Levels that the seconds of a ramp make for its knee: enough to see it, and few enough for each to be of several seconds. */
const MOST_BINS = 20;

/** Whole seconds from which on a bend is more than the noise of single ones. */
const SECONDS_TO_BEND = 8;

/** `KNEE` {knee, below, above, throughput, reached, dips, second}, in users; `second` is that of `reached` where that is beyond `above`. */
function findRampKnee(seconds: readonly RampSecond[]): readonly Response[] {
  if (seconds.length < SECONDS_TO_BEND) return [];
  const size = Math.ceil(seconds.length / MOST_BINS);
  const bins = Array.from({ length: Math.ceil(seconds.length / size) }, (_, bin) =>
    seconds.slice(bin * size, (bin + 1) * size),
  );
  const knee = findKnee(bins.flatMap(toKneePoint));
  if (knee === undefined) return [];
  const { load, reached, above, ...more } = knee;
  const from = reached > above ? reached : load;
  const second = seconds.find(({ users }) => users >= from)?.second ?? 0;
  return [{ code: "KNEE", args: { knee: load, reached, above, ...more, second } }];
}

function toKneePoint(seconds: readonly RampSecond[]): readonly KneePoint[] {
  const latencies = seconds.flatMap(({ p50 }) => p50 ?? []);
  if (latencies.length === 0) return [];
  const mean = (of: (second: RampSecond) => number): number => sumOf(seconds, of) / seconds.length;
  return [{ load: mean((one) => one.meanUsers), throughput: mean(({ ok }) => ok), latencyMs: median(latencies) }];
}

/** With fewer trials than {@link TRIALS_TO_FALL}, a fall has to be deep, or to last for this part of the ramp and so many seconds. */
const PART_TO_FALL = 0.25;
const SECONDS_TO_FALL = 5;
const DEEP = 0.5;

function findMannerOf(seconds: readonly RampSecond[], trials: readonly StepResult[]): FailureManner {
  const points = seconds.map(({ second, ok, failed }) => ({ at: second, ok, failed, goodput: ok }));
  return withoutNoise(findFailureManner(points, "second"), ({ goodput: place, errors }) => {
    const { before, fallen } = splitAt(points, place);
    const isDeep = median(fallen.map(({ goodput }) => goodput)) < DEEP * plateau(before.map(({ goodput }) => goodput));
    const lasts = fallen.length >= Math.max(SECONDS_TO_FALL, PART_TO_FALL * points.length);
    // A generator at its limit makes goodput fall as well; failures that it reports are real all the same.
    const isOfTheTarget = errors !== undefined || !trials.some(mayHaveSaturatedGenerator);
    return isOfTheTarget && (trials.length >= TRIALS_TO_FALL || isDeep || lasts);
  });
}

/** `CLIFF`, `DEGRADES` or `SHEDS`, with the users of a second in place of the second. `failsFrom` is missing where no request fails. */
function describeManner(
  manner: FailureManner,
  seconds: readonly RampSecond[],
  trials: readonly StepResult[],
): readonly Response[] {
  const usersIn = (second: number): number => seconds.find((one) => one.second === second)?.users ?? 0;
  const place = ({ lastGood, firstBad }: FailurePlace): Response["args"] => ({
    lastGood: lastGood === null ? undefined : usersIn(lastGood),
    firstBad: usersIn(firstBad),
    second: firstBad,
  });
  if (manner.manner === "sheds") {
    const { errors, remaining } = manner;
    return isShedding(errors, trials) ? [{ code: "SHEDS", args: { ...place(errors), remaining } }] : [];
  }
  if (!("goodput" in manner)) return [];
  const { goodput, errors } = manner;
  const fails = errors && { failsFrom: usersIn(errors.firstBad), failsFromSecond: errors.firstBad };
  return [fallOf(manner, { ...place(goodput), ...fails })];
}
