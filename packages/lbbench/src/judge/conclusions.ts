import type { Finding, FindingCode } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { StepResult } from "../model/result.js";
import { medianIfAny, sumOf } from "../stats/descriptive.js";
import { areHarmed } from "../stats/faults.js";
import { groupAscending, groupBy } from "../stats/group-by.js";
import { placeKey } from "../stats/identity.js";
import { keepsRate, loadOf, loadValue } from "../stats/load.js";
import { rampSeconds } from "../stats/ramp-seconds.js";
import { commonestFailures, failedRequests, finishedRequests } from "../stats/request-counts.js";
import { ONE_START } from "../stats/spread.js";
import { commonestBottleneck, usageOf } from "./bottleneck.js";
import {
  intervalOf,
  isAlike,
  type LevelJudgement,
  loadedLevels,
  type MarginComparison,
  type ReferenceComparison,
  type TargetJudgement,
  verdictOf,
} from "./compare-targets.js";
import { compareAddedTime, type AddedTime } from "./added-time.js";
import { compareFaultCosts, comparePolicies } from "./rank-targets.js";
import { isMatrix, listNumbers } from "./group-findings.js";
import { concludeHeld } from "./held.js";
import { largestCurve } from "./load-response.js";
import { judgeTarget } from "./judge-margin.js";
import { found, type Run, type Told } from "./found.js";
import { measuredSteps, speedMetric, type JudgedMetric, type Margins } from "./metrics.js";

/**
 * Says what a run that is no search shows, an info finding for each conclusion: how each target compares with its reference (`WITHIN_NOISE` or
 * `UNTESTED` where nothing is claimed), what it adds to the time of backends, what policies are worth, what faults cost, what it held, the
 * most that each target answers, and where it begins to fail.
 *
 * @param noticed what was found beside; of it `SHEDS` says that a target refuses on purpose.
 * @param comparison of its targets; absent while the run is under way.
 */
export function conclude(
  run: Run,
  noticed: readonly Finding[],
  comparison: ReferenceComparison | undefined,
): readonly Finding[] {
  const { scenario, steps } = run;
  const targets = [...groupBy(steps, ({ target }) => target)];
  const refuses = new Set(noticed.flatMap(({ code, args }) => (code === "SHEDS" ? (args["target"] ?? []) : [])));
  return [
    ...(comparison?.targets ?? []).flatMap(concludePair),
    ...(comparison === undefined
      ? []
      : [
          ...compareAddedTime(run).flatMap((added) => concludeAdded(added, scenario.levels)),
          ...comparePolicies(run),
          ...compareFaultCosts(run),
        ]),
    ...concludeHeld(run),
    // Held connections show no peak.
    ...(scenario.hold === undefined ? targets.flatMap(([target, own]) => findPeak(target, own, scenario)) : []),
    ...(scenario.ramp === null ? targets.flatMap(([target, own]) => findBreak(target, own, refuses.has(target))) : []),
  ];
}

/** Says of each pair what is worse beyond a margin or stays open, given the number of planned trials; then what else it shows. */
export function tellComparison(
  targets: readonly TargetJudgement[],
  margins: Margins,
  planned: number,
): readonly Finding[] {
  return [...targets.flatMap((pair) => judgeTarget(pair, margins, planned)), ...targets.flatMap(concludePair)];
}

/** How two targets compare in one metric at a level. */
interface Claim {
  readonly level: Level;
  readonly metric: JudgedMetric;
  readonly figures: MarginComparison;
}

const verdictIn = ({ figures }: Claim): ReturnType<typeof verdictOf> => verdictOf(figures);

/** How they compare at each level in the metric that is asked for there. */
function claimsOf(levels: readonly LevelJudgement[], metricAt: (level: Level) => JudgedMetric): readonly Claim[] {
  return levels.flatMap((row) => {
    const metric = metricAt(row.level);
    const { [metric]: figures, level } = row;
    return figures === undefined ? [] : [{ level, metric, figures }];
  });
}

const CLAIMS = { faster: "FASTER", slower: "SLOWER", more: "FAILS_MORE", fewer: "FAILS_LESS" } as const;

/** Everything that is said of a target and its reference. */
function concludePair(pair: TargetJudgement): readonly Finding[] {
  const { reference, other: target, levels, overall } = pair;
  const all = levels.map(({ level }) => level);
  const tell = (code: FindingCode, args: Told<FindingCode>): readonly Finding[] =>
    found(code, "info", { target, reference, ...args });
  const claim = (verdict: keyof typeof CLAIMS, among: readonly Claim[]): readonly Finding[] => {
    const own = among.filter((one) => verdictIn(one) === verdict);
    return own.length === 0 ? [] : tell(CLAIMS[verdict], claimArgs(own, all));
  };
  const speeds = claimsOf(levels, speedMetric);
  const together = overall?.verdict === "~" ? undefined : overall;
  const isTested = ({ level }: { readonly level: Level }): boolean =>
    overall === undefined || overall.complete.includes(level);
  // A level that goes the other way by itself is told by itself.
  const isCovered = (speed: Claim): boolean =>
    together !== undefined && isTested(speed) && ["~", together.verdict].includes(verdictIn(speed));
  const [covered, alone] = [speeds.filter(isCovered), speeds.filter((speed) => !isCovered(speed))];
  const claims = (["faster", "slower"] as const).flatMap((verdict) => [
    ...(together?.verdict === verdict ? tell(CLAIMS[verdict], togetherArgs(together, covered, all)) : []),
    ...claim(verdict, alone),
  ]);
  const said = speeds.map((speed) => (isCovered(speed) ? together?.verdict : verdictIn(speed)));
  const tails = findTails(levels, said);
  const failures = claimsOf(levels, () => "errors");
  const alike = claims.length === 0 ? isAlike(pair) : undefined;
  // One connection cannot be shared out: beside what is told of all levels nothing more is said of it.
  const isSaid = (speed: Claim): boolean =>
    (together !== undefined || alike !== undefined) && (isTested(speed) || speed.level.connections === 1);
  const open = speeds.filter((speed) => verdictIn(speed) === "~" && !isSaid(speed));
  return [
    ...claims,
    ...[...new Set(tails.map(verdictIn))].flatMap((verdict) => (verdict === "~" ? [] : claim(verdict, tails))),
    ...(["more", "fewer"] as const).flatMap((verdict) => claim(verdict, failures)),
    ...(alike === undefined
      ? []
      : tell("ALIKE", {
          metric: speeds[0]?.metric ?? "throughput",
          ...alike,
          together: overall?.levels,
          ...placeOf(loadedLevels(levels).filter(isTested), all),
        })),
    ...findWithinNoise(open, all).flatMap((args) => tell("WITHIN_NOISE", args)),
    ...findUntested(open, all).flatMap((args) => tell("UNTESTED", args)),
    ...findCost(pair).flatMap((args) => tell("COST_AT_ONE", args)),
  ];
}

const bySize = (a: number, b: number): number => Math.abs(a) - Math.abs(b);

/** By how many ms more or, below 0, less a target adds to the time of its backends, where a test tells it. */
function concludeAdded({ target, reference, levels }: AddedTime, all: readonly Level[]): readonly Finding[] {
  return [1, -1].flatMap((sign) => {
    const own = levels.filter(({ ms }) => ms * sign > 0);
    const sizes = own.map(({ ms }) => ms).toSorted(bySize);
    const p = Math.max(...own.map(({ pValue }) => pValue));
    const args = { target, reference, least: sizes[0], most: sizes.at(-1), p, ...placeOf(own, all) };
    return own.length === 0 ? [] : found("ADDED_TIME", "info", args);
  });
}

/**
 * Percentiles that go another way than the speed at their level: {@link speedMetric} may be better, and its slowest answers worse. Of the
 * highest percentile alone that does so.
 */
function findTails(levels: readonly LevelJudgement[], said: readonly unknown[]): readonly Claim[] {
  const byMetric = (["p99", "p90", "p50"] as const).map((metric) =>
    claimsOf(levels, () => metric).filter((claim, at) => !["~", said[at]].includes(verdictIn(claim))),
  );
  return byMetric.find((claims) => claims.length > 0) ?? [];
}

const boundOf = ({ figures }: Claim): number | undefined => (figures.kind === "tested" ? figures.atLeast : undefined);

/** Of one metric at some levels; of a single one also its change with the interval. */
function claimArgs(claims: readonly Claim[], all: readonly Level[]) {
  const changes = claims.map((claim) => boundOf(claim) ?? claim.figures.change ?? 0).toSorted(bySize);
  const [only, ...others] = claims;
  return {
    metric: only?.metric,
    ...(others.length === 0 ? { change: changes[0], ...intervalOf(only?.figures) } : {}),
    least: changes[0],
    most: changes.at(-1),
    p: Math.max(...claims.map(({ figures }) => (figures.kind === "tested" ? (figures.pValue ?? 0) : 0))),
    bound: claims.some((claim) => boundOf(claim) !== undefined),
    ...placeOf(claims, all),
  };
}

/** The same of a test over levels, with how many trials and levels it rests on. */
function togetherArgs(
  { metric, change, interval, isAtLeast, pValue, trials, levels }: NonNullable<TargetJudgement["overall"]>,
  covered: readonly Claim[],
  all: readonly Level[],
) {
  // From what goes the other way, where something does, to what goes furthest this way.
  const changes = covered
    .flatMap(({ figures }) => figures.change ?? [])
    .toSorted((a, b) => (a - b) * Math.sign(change));
  return {
    metric,
    change,
    ...interval,
    least: changes[0],
    most: changes.at(-1),
    p: pValue ?? 1,
    bound: isAtLeast,
    trials,
    together: levels,
    ...placeOf(covered, all),
  };
}

/**
 * Where something is: {kind, levels: "50, 100"}, of a matrix with {amounts, told, among}; {every} where that is every level of several,
 * {from} where it is all from one on.
 */
function placeOf(items: readonly { readonly level: Level }[], all: readonly Level[]) {
  const those = items.map(({ level }) => level);
  const values = those.map(loadValue);
  const ofMatrix = isMatrix(all);
  const rising = all.toSorted((a, b) => loadValue(a) - loadValue(b));
  const isTop = !ofMatrix && those.length > 1 && rising.slice(-those.length).every((level) => those.includes(level));
  const isAll = those.length > 1 && those.length === all.length;
  return {
    kind: loadOf(those[0] ?? {}).kind,
    levels: listNumbers(values),
    amounts: ofMatrix ? listNumbers(those.flatMap(({ requests }) => requests ?? [])) : undefined,
    told: ofMatrix ? those.length : undefined,
    among: ofMatrix ? all.length : undefined,
    every: isAll,
    from: isTop && !isAll ? Math.min(...values) : undefined,
  };
}

/** A change of the medians that is neither a gain nor a loss. */
const NEGLIGIBLE = 0.02;

/** Whether several trials of each side were compared, and do not tell a change from noise that would be worth a word. */
function isNoise({ open, change, ...figures }: MarginComparison): boolean {
  const isTried = (figures.trials > 1 && open?.why === "TOO_FEW_TRIALS") || open?.why === "WITHIN_NOISE";
  const isDraw = figures.kind === "untested" || figures.verdict === "~";
  return isDraw && isTried && change !== null && Math.abs(change) >= NEGLIGIBLE;
}

/**
 * Levels where the median lies above that of the reference and several trials do not tell the two apart, with the largest and the smallest
 * change there, and those where it lies below. `trials` is the fewest that a side has at one of them.
 */
function findWithinNoise(open: readonly Claim[], all: readonly Level[]) {
  const draws = open.filter(({ figures }) => isNoise(figures));
  const [first] = draws;
  if (first === undefined) return [];
  const side = (sign: 1 | -1) => {
    const those = draws.filter(({ figures }) => (figures.change ?? 0) * sign > 0);
    const sizes = those.map(({ figures }) => Math.abs(figures.change ?? 0));
    const [largest, smallest] = [sign * Math.max(...sizes), sign * Math.min(...sizes)];
    return those.length === 0 ? undefined : { largest, smallest, ...placeOf(those, all) };
  };
  const [up, down] = [side(1), side(-1)];
  return [
    {
      kind: loadOf(first.level).kind,
      metric: first.metric,
      trials: Math.min(...draws.map(({ figures }) => figures.trials)),
      higher: up?.levels,
      higherRequests: up?.amounts,
      highest: up?.largest,
      higherLeast: up?.smallest,
      lower: down?.levels,
      lowerRequests: down?.amounts,
      lowest: down?.largest,
      lowerLeast: down?.smallest,
    },
  ];
}

/**
 * The levels of each reason why there is no test: with the trials that a finding is in; with {trialsNeeded} where these are too few, and
 * {canResume} where as many were planned. Of a single trial what it showed: {least, most} at the levels where it was higher, where it was
 * lower, and where it was about the same, {alike}, which means no more than one start makes by chance.
 */
function findUntested(open: readonly Claim[], all: readonly Level[]) {
  const untested = open.flatMap((speed) => {
    const { open: lack, change } = speed.figures;
    const isNothing = lack === undefined || lack.why === "WITHIN_NOISE" || isNoise(speed.figures);
    return isNothing ? [] : [{ ...speed, lack, shown: lack.why === "SINGLE_TRIAL" ? change : null }];
  });
  const kindOf = ({ lack, shown }: (typeof untested)[number]): string =>
    shown === null ? lack.why : isOfOneStart(shown) ? "alike" : String(shown > 0);
  return [...groupBy(untested, kindOf).values()].map((those) => {
    const shown = those.flatMap((one) => one.shown ?? []).toSorted(bySize);
    const trialsNeeded = Math.max(...those.map(({ lack }) => lack.trialsNeeded ?? 0));
    const doubtful = those.flatMap(({ lack }) => lack.doubtful ?? []);
    const [first] = those;
    return {
      metric: first?.metric,
      because: first?.lack.why,
      trials: doubtful.length === 0 ? undefined : sumOf(doubtful, ({ trials }) => trials),
      of: doubtful.length === 0 ? undefined : sumOf(doubtful, ({ of }) => of),
      trialsNeeded: trialsNeeded > 0 ? trialsNeeded : undefined,
      canResume: first?.lack.canResume,
      least: shown[0],
      most: shown.at(-1),
      alike: shown.length > 0 && isOfOneStart(shown.at(-1) ?? 0),
      ...placeOf(those, all),
    };
  });
}

const isOfOneStart = (change: number): boolean => Math.abs(Math.log1p(change)) < ONE_START;

/** A change below this part is neither a gain nor a loss worth another process. */
const WORTH = 0.05;

/** By how much the p50 is longer with one connection, where nothing can be shared out. */
function findCost({ levels }: TargetJudgement) {
  const alone = levels.find(({ level }) => level.connections === 1);
  if (alone === undefined || levels.length === 1) return [];
  const { throughput, p50 } = alone;
  const ms = (p50.other ?? 0) - (p50.reference ?? Infinity);
  return verdictOf(throughput) === "slower" && (throughput.change ?? 0) <= -WORTH && ms > 0
    ? [{ ms, change: p50.change ?? 0 }]
    : [];
}

/**
 * Where a target answered most, by the medians of its trials; of a ramp what it answered on average, and its best second. `throughput` is 0
 * where nothing was answered as expected.
 */
function findPeak(target: string, steps: readonly StepResult[], { ramp, levels }: Run["scenario"]): readonly Finding[] {
  const places = [...groupBy(steps, placeKey).values()].flatMap((trials) => {
    const measured = measuredSteps(trials);
    const measurements = measured.flatMap(({ measurement }) => measurement ?? []);
    const throughput = medianIfAny(measurements.map((one) => one.throughput));
    return throughput === undefined ? [] : [{ measured, measurements, throughput }];
  });
  const [most] = places.toSorted((a, b) => b.throughput - a.throughput);
  const [first] = most?.measured ?? [];
  if (most === undefined || first === undefined) return [];
  const { kind, value } = loadOf(first.level);
  const percentile = (key: "p50" | "p99"): number | undefined =>
    medianIfAny(most.measurements.flatMap(({ latency }) => latency?.[key] ?? []));
  const seconds = ramp === null ? [] : rampSeconds(most.measurements, value, ramp);
  const [best] = seconds.toSorted((a, b) => b.ok / b.lengthMs - a.ok / a.lengthMs);
  return found("PEAK", "info", {
    target,
    kind,
    [kind]: value,
    requests: isMatrix(levels) ? first.level.requests : undefined,
    throughput: most.throughput,
    p50: percentile("p50"),
    p99: percentile("p99"),
    // A target that kept up with a rate was limited by that rate.
    bottleneck: most.measurements.every((one) => keepsRate(first.level, one))
      ? undefined
      : commonestBottleneck(most.measured.flatMap((step) => usageOf(step) ?? []))?.[0],
    best: best && (best.ok / best.lengthMs) * 1000,
    second: best?.second,
    atUsers: best?.users,
  });
}

/** From this part of the requests on a target that fails them is broken. */
const BROKEN = 0.1;

/** Probability of sparing the lower levels from which on chance may have done it: low, because the levels are chosen for it. */
const BY_CHANCE = 0.01;

/**
 * Where lower levels are without any failure, and requests fail at every higher one, with the same of the highest level. Nothing of a matrix,
 * nor with faults, which make requests fail at any load, nor of failures so few that chance may have spared the lower levels.
 */
function findBreak(target: string, steps: readonly StepResult[], refuses: boolean): readonly Finding[] {
  if (isMatrix(steps.map(({ level }) => level)) || areHarmed(steps)) return [];
  const hasError = ({ findings }: StepResult): boolean => findings.some(({ severity }) => severity === "error");
  const rising = groupAscending(largestCurve(steps), ({ level }) => loadValue(level)).map(({ key, items }) => {
    const counts = items.flatMap(({ measurement }) => measurement?.requests ?? []);
    const [failed, finished] = [sumOf(counts, failedRequests), sumOf(counts, finishedRequests)];
    return { at: key, items, failed, finished, share: failed / finished, ways: commonestFailures(counts).join(", ") };
  });
  const first = rising.findIndex(({ failed }) => failed > 0);
  const [good, bad] = [rising[first - 1], rising[first]];
  if (good === undefined || bad === undefined || bad.items.some(hasError)) return [];
  // What was cut short, or whose target died, says nothing of what would have failed.
  const isSound = (step: StepResult): boolean => step.state === "completed" && !hasError(step);
  const isWhole = rising.slice(0, first).every(({ finished, items }) => finished > 0 && items.every(isSound));
  const failing = rising.slice(first).filter(({ finished }) => finished > 0);
  const last = failing.at(-1);
  if (!isWhole || failing.some(({ failed }) => failed === 0) || last === undefined) return [];
  // As probably all failures would be of these levels if each request of any level were as likely to fail.
  const finishedIn = (levels: typeof rising): number => sumOf(levels, ({ finished }) => finished);
  if ((finishedIn(failing) / finishedIn(rising)) ** sumOf(failing, ({ failed }) => failed) > BY_CHANCE) return [];
  const worst = last === bad ? undefined : last;
  return found("BREAKS", "info", {
    target,
    kind: loadOf(good.items[0]?.level ?? {}).kind,
    lastGood: good.at,
    firstBad: bad.at,
    share: bad.share,
    ways: bad.ways,
    last: worst?.at,
    lastShare: worst?.share,
    lastWays: worst?.ways,
    broken: failing.some(({ share }) => share > BROKEN),
    refuses,
  });
}
