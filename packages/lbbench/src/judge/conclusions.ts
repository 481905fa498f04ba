import type { Finding, FindingArgs, FindingCode } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { Result, StepResult } from "../model/result.js";
import { median } from "../stats/descriptive.js";
import { groupAscending, groupBy } from "../stats/group-by.js";
import { placeKey } from "../stats/identity.js";
import { loadOf, loadValue } from "../stats/load.js";
import { rampSeconds } from "../stats/ramp-seconds.js";
import { commonestFailures, failedRequests, finishedRequests } from "../stats/request-counts.js";
import { ONE_START } from "../stats/spread.js";
import { commonestBottleneck, usageOf } from "./bottleneck.js";
import {
  intervalOf,
  isAlike,
  type LevelJudgement,
  type MarginComparison,
  type ReferenceComparison,
  type TargetJudgement,
  verdictOf,
} from "./compare-targets.js";
import { compareAddedTime, type AddedTime } from "./added-time.js";
import { comparePolicies } from "./compare-policies.js";
import { compareFaultCosts } from "./compare-fault-costs.js";
import { type ConclusionCode, conclusionRows } from "./conclusion-rows.js";
import { isMatrix, listNumbers } from "./group-findings.js";
import { concludeHeld } from "./held.js";
import { largestCurve } from "./load-response.js";
import { judgeTarget } from "./judge-margin.js";
import { speedMetric, type JudgedMetric, type Margins } from "./metrics.js";
import { found } from "./step-rule.js";
import { defined } from "../stats/defined.js";

/** The codes of all that a run shows; every other finding is something that was noticed on the way. */
export const CONCLUSIONS: ReadonlySet<string> = new Set<FindingCode>([
  ...(Object.keys(conclusionRows(() => undefined)) as ConclusionCode[]),
  "LIMIT_FOUND",
]);

type Run = Pick<Result, "scenario" | "steps" | "search">;

/**
 * Says what a run shows, an info finding for each conclusion: how each target compares with its reference (`FASTER`, `SLOWER`, `ALIKE`,
 * `FAILS_MORE`, `FAILS_LESS`, `COST_AT_ONE`; `WITHIN_NOISE` or `UNTESTED` where nothing is claimed), what it adds to the time of backends
 * (`ADDED_TIME`), what policies are worth (`POLICIES_COMPARED`), what faults cost (`FAULTS_COMPARED`), what it held (`CONNECTIONS_HELD`), the
 * most that each target answers (`PEAK`), and where it begins to fail (`BREAKS`).
 *
 * @param noticed what was found beside; of it `SHEDS` says that a target refuses on purpose.
 * @param comparison of its targets; absent while the run is under way.
 */
export function conclude(
  run: Run,
  noticed: readonly Finding[],
  comparison: ReferenceComparison | undefined,
): readonly Finding[] {
  const { scenario, steps, search } = run;
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
    // What idles answers what it is asked.
    ...(search === undefined && scenario.hold === undefined
      ? targets.flatMap(([target, own]) => findPeak(target, own, scenario))
      : []),
    ...(search === undefined && scenario.ramp === null
      ? targets.flatMap(([target, own]) => findBreak(target, own, refuses.has(target)))
      : []),
  ];
}

/** Says of pairs of targets what is worse beyond a margin, or cannot be judged by it, of so many trials that were planned; then what else they show. */
export function tellComparison(
  targets: readonly TargetJudgement[],
  margins: Margins,
  planned: number,
): readonly Finding[] {
  return [...targets.flatMap((pair) => judgeTarget(pair, margins, planned)), ...targets.flatMap(concludePair)];
}

/** A level, and how two targets compare there in what tells which is faster. */
interface Speed {
  readonly level: Level;
  readonly metric: "throughput" | "mean";
  readonly figures: MarginComparison;
}

function speedsAt(levels: readonly LevelJudgement[]): readonly Speed[] {
  return levels.flatMap((row) => {
    const metric = speedMetric(row.level);
    const figures = row[metric];
    return figures === undefined ? [] : [{ level: row.level, metric, figures }];
  });
}

/** One connection cannot be shared out, so a level of it is no part of what is said of all levels together. */
const isLoaded = ({ level }: { readonly level: Level }): boolean => level.connections !== 1;

const CLAIMS = { faster: "FASTER", slower: "SLOWER", more: "FAILS_MORE", fewer: "FAILS_LESS" } as const;

/** Everything that is said of a target and its reference. */
function concludePair(pair: TargetJudgement): readonly Finding[] {
  const { reference, other: target, levels, overall } = pair;
  const all = levels.map(({ level }) => level);
  const of = { target, reference };
  const tell = (code: FindingCode, args: FindingArgs): readonly Finding[] => found(code, "info", { ...of, ...args });
  const speeds = speedsAt(levels);
  const together = overall !== undefined && overall.verdict !== "~" ? overall : undefined;
  // A level that goes the other way by itself is told by itself.
  const isCovered = (speed: Speed, verdict: string): boolean =>
    together?.verdict === verdict && isLoaded(speed) && ["~", verdict].includes(verdictOf(speed.figures));
  const claims = (["faster", "slower"] as const).flatMap((verdict): readonly Finding[] => {
    const own = speeds.filter((speed) => verdictOf(speed.figures) === verdict && !isCovered(speed, verdict));
    const covered = speeds.filter((speed) => isCovered(speed, verdict));
    return [
      ...(together?.verdict === verdict ? tell(CLAIMS[verdict], togetherArgs(together, covered, all)) : []),
      ...(own.length === 0 ? [] : tell(CLAIMS[verdict], claimArgs(own, all))),
    ];
  });
  const said = (speed: Speed): string =>
    together !== undefined && isCovered(speed, together.verdict) ? together.verdict : verdictOf(speed.figures);
  const failures = (["more", "fewer"] as const).flatMap((verdict): readonly Finding[] => {
    const own = levels
      .filter(({ errors }) => verdictOf(errors) === verdict)
      .map(({ level, errors }) => ({ level, metric: "errors" as const, figures: errors }));
    return own.length === 0 ? [] : tell(CLAIMS[verdict], claimArgs(own, all));
  });
  const alike = claims.length === 0 ? isAlike(pair) : undefined;
  const open = together === undefined && alike === undefined ? speeds.filter((one) => said(one) === "~") : [];
  return [
    ...claims,
    ...tailsOf(levels, speeds.map(said)).flatMap((own) =>
      tell(own.some(({ figures }) => verdictOf(figures) === "slower") ? "SLOWER" : "FASTER", claimArgs(own, all)),
    ),
    ...failures,
    ...(alike === undefined
      ? []
      : tell("ALIKE", { metric: speeds[0]?.metric ?? "throughput", ...alike, ...placeOf(alikeLevels(pair), all) })),
    ...findWithinNoise(open, all).flatMap((args) => tell("WITHIN_NOISE", args)),
    ...findUntested(open, all).flatMap((args) => tell("UNTESTED", args)),
    ...findCost(pair).flatMap((args) => tell("COST_AT_ONE", args)),
  ];
}

/** `ADDED_TIME` {least, most, p}: by how many ms more or, below 0, less a target adds to the time of its backends, where a test tells it. */
function concludeAdded({ target, reference, levels }: AddedTime, all: readonly Level[]): readonly Finding[] {
  return [1, -1].flatMap((sign) => {
    const own = levels.filter(({ ms }) => ms * sign > 0).toSorted((a, b) => Math.abs(a.ms) - Math.abs(b.ms));
    const [first] = own;
    if (first === undefined) return [];
    return found("ADDED_TIME", "info", {
      target,
      reference,
      least: first.ms,
      most: own.at(-1)?.ms ?? first.ms,
      p: Math.max(...own.map(({ pValue }) => pValue)),
      ...placeOf(
        own.map(({ level }) => level),
        all,
      ),
    });
  });
}

/** What a claim is about: one metric at some levels. */
interface Claim {
  readonly level: Level;
  readonly metric: JudgedMetric;
  readonly figures: MarginComparison;
}

/**
 * Percentiles that go another way than the speed at their level: {@link speedMetric} may be better, and its slowest answers worse. Of the
 * highest percentile alone that does so; those for the worse and those for the better apart.
 */
function tailsOf(levels: readonly LevelJudgement[], said: readonly string[]): readonly (readonly Claim[])[] {
  for (const metric of ["p99", "p90", "p50"] as const) {
    const claims = levels.flatMap((row, at): readonly Claim[] => {
      const { [metric]: figures, level } = row;
      return verdictOf(figures) === "~" || verdictOf(figures) === said[at] ? [] : [{ level, metric, figures }];
    });
    if (claims.length > 0) return [...groupBy(claims, ({ figures }) => verdictOf(figures)).values()];
  }
  return [];
}

const boundOf = ({ figures }: Claim): number | undefined => (figures.kind === "tested" ? figures.atLeast : undefined);
const changeOf = (claim: Claim): number => boundOf(claim) ?? claim.figures.change ?? 0;

/** {metric, least, most, p, bound} of claims at some levels; of a single one also {change, low, high}. */
function claimArgs(claims: readonly Claim[], all: readonly Level[]): FindingArgs {
  const changes = claims.map(changeOf).toSorted((a, b) => Math.abs(a) - Math.abs(b));
  const p = Math.max(...claims.map(({ figures }) => (figures.kind === "tested" ? (figures.pValue ?? 0) : 0)));
  const [only, ...others] = claims;
  const ofOne = others.length === 0 ? { change: changes[0] ?? 0, ...intervalOf(only?.figures) } : undefined;
  return {
    metric: only?.metric ?? "throughput",
    ...ofOne,
    least: changes[0] ?? 0,
    most: changes.at(-1) ?? 0,
    p,
    ...defined({ bound: claims.some((claim) => boundOf(claim) !== undefined) ? 1 : undefined }),
    ...placeOf(
      claims.map(({ level }) => level),
      all,
    ),
  };
}

/** The same of a test over levels: {change, low, high} of their mean, {trials, together} that it rests on. */
function togetherArgs(
  overall: NonNullable<TargetJudgement["overall"]>,
  covered: readonly Speed[],
  all: readonly Level[],
): FindingArgs {
  const { metric, change, interval, isAtLeast, pValue, trials, levels } = overall;
  // From what goes the other way, where something does, to what goes furthest this way.
  const changes = covered
    .flatMap(({ figures }) => figures.change ?? [])
    .toSorted((a, b) => (a - b) * Math.sign(change));
  return {
    metric,
    change,
    ...interval,
    ...defined({
      least: changes.length === 0 ? undefined : (changes[0] as number),
      most: changes.length === 0 ? undefined : (changes.at(-1) as number),
    }),
    p: pValue ?? 1,
    ...defined({ bound: isAtLeast ? 1 : undefined }),
    trials,
    together: levels,
    ...placeOf(
      covered.map(({ level }) => level),
      all,
    ),
  };
}

/**
 * Where something is: {kind, levels: "50, 100"}, of a matrix with {amounts, told, among}; {every: 1} where that is every level of several, {from} where
 * it is all from one on.
 */
function placeOf(those: readonly Level[], all: readonly Level[]): FindingArgs {
  const [first = {}] = those;
  const ofMatrix = isMatrix(all);
  const rising = all.toSorted((a, b) => loadValue(a) - loadValue(b));
  const chosen = new Set(those);
  const isTop = !ofMatrix && those.length > 1 && rising.slice(-those.length).every((level) => chosen.has(level));
  const isAll = those.length > 1 && those.length === all.length;
  return {
    kind: loadOf(first).kind,
    levels: listNumbers(those.map(loadValue)),
    ...defined({
      amounts: ofMatrix ? listNumbers(those.flatMap(({ requests }) => requests ?? [])) : undefined,
      told: ofMatrix ? those.length : undefined,
      among: ofMatrix ? all.length : undefined,
      every: isAll ? 1 : undefined,
      from: isTop && !isAll ? Math.min(...those.map(loadValue)) : undefined,
    }),
  };
}

function alikeLevels({ levels, overall }: TargetJudgement): readonly Level[] {
  return levels.filter((row) => overall === undefined || isLoaded(row)).map(({ level }) => level);
}

/** A change of the medians that is neither a gain nor a loss. */
const NEGLIGIBLE = 0.02;

/** Whether several trials were compared, and do not tell a change from noise that would be worth a word. */
function isNoise({ open, change, ...figures }: MarginComparison): boolean {
  const isTried = open?.why === "TOO_FEW_TRIALS" || open?.why === "WITHIN_NOISE";
  const isDraw = figures.kind === "untested" || figures.verdict === "~";
  return isDraw && isTried && change !== null && Math.abs(change) >= NEGLIGIBLE;
}

/**
 * `WITHIN_NOISE` {target, reference, kind, metric, trials} where the median lies above or below that of the reference at levels where several
 * trials do not tell the two apart: {higher, highest} and {lower, lowest} are those levels and the largest change there; of a matrix with
 * {higherRequests, lowerRequests}. `trials` is the fewest that a side has at one of them.
 */
function findWithinNoise(open: readonly Speed[], all: readonly Level[]): readonly FindingArgs[] {
  const draws = open.filter(({ figures }) => isNoise(figures));
  const [first] = draws;
  if (first === undefined) return [];
  const ofSide = (where: "higher" | "lower", size: "highest" | "lowest", sign: number): FindingArgs => {
    const those = draws.filter(({ figures }) => (figures.change ?? 0) * sign > 0);
    const largest = Math.max(...those.map(({ figures }) => Math.abs(figures.change ?? 0)));
    const { levels = "", amounts } = placeOf(
      those.map(({ level }) => level),
      all,
    );
    if (those.length === 0) return {};
    const requests = amounts === undefined ? {} : { [`${where}Requests`]: amounts };
    return { [where]: levels, ...requests, [size]: largest * sign };
  };
  return [
    {
      kind: loadOf(first.level).kind,
      metric: first.metric,
      trials: Math.min(...draws.map(({ figures }) => figures.trials)),
      ...ofSide("higher", "highest", 1),
      ...ofSide("lower", "lowest", -1),
    },
  ];
}

/**
 * `UNTESTED` {metric, because} with its levels, for each reason why there is no test: {trials, of} of a finding, {trialsNeeded} where these are
 * too few, {canResume: 1} where as many were planned. Of a single trial what it showed: {least, most} at the levels where it was higher,
 * where it was lower, and where it was about the same, {alike: 1}, which means no more than one start makes by chance.
 */
function findUntested(open: readonly Speed[], all: readonly Level[]): readonly FindingArgs[] {
  const untested = open.flatMap((speed) => {
    const { open: lack, change } = speed.figures;
    const isNothing = lack === undefined || lack.why === "WITHIN_NOISE" || isNoise(speed.figures);
    return isNothing ? [] : [{ ...speed, lack, shown: lack.why === "SINGLE_TRIAL" ? change : null }];
  });
  const kindOf = ({ lack, shown }: (typeof untested)[number]): string =>
    shown === null ? lack.why : isOfOneStart(shown) ? "alike" : String(shown > 0);
  return [...groupBy(untested, kindOf).values()].map((those) => {
    const shown = those.flatMap((one) => one.shown ?? []).toSorted((a, b) => Math.abs(a) - Math.abs(b));
    const [least, most] = [shown[0], shown.at(-1)];
    const trialsNeeded = Math.max(...those.map(({ lack }) => lack.trialsNeeded ?? 0));
    const [first] = those;
    return {
      metric: first?.metric ?? "throughput",
      because: first?.lack.why ?? "",
      ...first?.lack.doubtful,
      ...defined({
        trialsNeeded: trialsNeeded > 0 ? trialsNeeded : undefined,
        canResume: first?.lack.canResume ? 1 : undefined,
      }),
      ...(least === undefined || most === undefined
        ? {}
        : { least, most, ...defined({ alike: isOfOneStart(most) ? 1 : undefined }) }),
      ...placeOf(
        those.map(({ level }) => level),
        all,
      ),
    };
  });
}

const isOfOneStart = (change: number): boolean => Math.abs(Math.log1p(change)) < ONE_START;

/** A change below this part is neither a gain nor a loss worth another process. */
const WORTH = 0.05;

/** `COST_AT_ONE` {ms, change}: by how much the p50 is longer with one connection, where nothing can be shared out. */
function findCost({ levels }: TargetJudgement): readonly FindingArgs[] {
  const alone = levels.find(({ level }) => level.connections === 1);
  if (alone === undefined || levels.length === 1) return [];
  const { throughput, p50 } = alone;
  const ms = (p50.other ?? 0) - (p50.reference ?? Infinity);
  return verdictOf(throughput) === "slower" && (throughput.change ?? 0) <= -WORTH && ms > 0
    ? [{ ms, change: p50.change ?? 0 }]
    : [];
}

/** Where a target answers most: its trials there, and the throughput that is their median. */
function mostOf(steps: readonly StepResult[]) {
  const places = [...groupBy(steps, placeKey).values()].flatMap((trials) => {
    const completed = trials.filter(({ state, measurement }) => state === "completed" && measurement !== undefined);
    const measured = completed.length > 0 ? completed : trials.filter(({ measurement }) => measurement !== undefined);
    const throughputs = measured.flatMap(({ measurement }) => measurement?.throughput ?? []);
    return throughputs.length === 0 ? [] : [{ trials: measured, throughput: median(throughputs) }];
  });
  return places.toSorted((a, b) => b.throughput - a.throughput)[0];
}

/**
 * `PEAK` {target, kind, throughput, p50, p99, bottleneck} with the load as {connections}, {rate} or {users} (and {requests} in a matrix): where
 * a target answered most; of a ramp what it answered on average, and {best, second, atUsers} of its best second. `throughput` is 0 where
 * nothing was answered as expected.
 */
function findPeak(target: string, steps: readonly StepResult[], { ramp, levels }: Run["scenario"]): readonly Finding[] {
  const most = mostOf(steps);
  const [first] = most?.trials ?? [];
  if (most === undefined || first === undefined) return [];
  const { kind, value } = loadOf(first.level);
  const measurements = most.trials.flatMap(({ measurement }) => measurement ?? []);
  const percentile = (key: "p50" | "p99"): FindingArgs => {
    const known = measurements.flatMap(({ latency }) => latency?.[key] ?? []);
    return known.length === 0 ? {} : { [key]: median(known) };
  };
  const [bottleneck] = commonestBottleneck(most.trials.flatMap((step) => usageOf(step) ?? [])) ?? [];
  const [best] =
    ramp === null
      ? []
      : rampSeconds(measurements, value, ramp).toSorted((a, b) => b.ok / b.lengthMs - a.ok / a.lengthMs);
  return found("PEAK", "info", {
    target,
    kind,
    [kind]: value,
    ...defined({ requests: isMatrix(levels) && first.level.requests !== undefined ? first.level.requests : undefined }),
    throughput: most.throughput,
    ...percentile("p50"),
    ...percentile("p99"),
    ...defined({ bottleneck }),
    ...defined({
      best: best && (best.ok / best.lengthMs) * 1000,
      second: best?.second,
      atUsers: best?.users,
    }),
  });
}

/** From this part of the requests on a target that fails them is broken. */
const BROKEN = 0.1;

/**
 * `BREAKS` {target, kind, lastGood, firstBad, share, ways} where lower levels are without any failure, and requests fail at every higher one;
 * {last, lastShare, lastWays} of the highest level, {broken: 1} where over a tenth failed at one,
 * and {refuses: 1} where it refuses on purpose. Nothing of a matrix.
 */
function findBreak(target: string, steps: readonly StepResult[], refuses: boolean): readonly Finding[] {
  if (isMatrix(steps.map(({ level }) => level))) return [];
  const rising = groupAscending(largestCurve(steps), ({ level }) => loadValue(level)).map(({ key, items }) => {
    const counts = items.flatMap(({ measurement }) => measurement?.requests ?? []);
    const failed = counts.reduce((sum, requests) => sum + failedRequests(requests), 0);
    const finished = counts.reduce((sum, requests) => sum + finishedRequests(requests), 0);
    return { at: key, items, counts, failed, finished };
  });
  const first = rising.findIndex(({ failed }) => failed > 0);
  const [good, bad] = [rising[first - 1], rising[first]];
  const hasError = ({ items }: { readonly items: readonly StepResult[] }): boolean =>
    items.some(({ findings }) => findings.some(({ severity }) => severity === "error"));
  if (good === undefined || bad === undefined || hasError(bad)) return [];
  // What was cut short, or whose target died, says nothing of what would have failed.
  const isWhole = rising
    .slice(0, first)
    .every(
      (level) => level.finished > 0 && level.items.every(({ state }) => state === "completed") && !hasError(level),
    );
  const failing = rising.slice(first).filter(({ finished }) => finished > 0);
  const last = failing.at(-1);
  if (!isWhole || failing.some(({ failed }) => failed === 0) || last === undefined) return [];
  const ways = ({ counts }: typeof bad): string => commonestFailures(counts).join(", ");
  const worst = last === bad ? undefined : last;
  return found("BREAKS", "info", {
    target,
    kind: loadOf(good.items[0]?.level ?? {}).kind,
    lastGood: good.at,
    firstBad: bad.at,
    share: bad.failed / bad.finished,
    ways: ways(bad),
    ...defined({
      last: worst?.at,
      lastShare: worst && worst.failed / worst.finished,
      lastWays: worst && ways(worst),
      broken: failing.some(({ failed, finished }) => failed > BROKEN * finished) ? 1 : undefined,
      refuses: refuses ? 1 : undefined,
    }),
  });
}
