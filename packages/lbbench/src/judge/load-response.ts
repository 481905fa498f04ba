import type { Finding, FindingCode } from "../model/finding.js";
import type { LoadKind } from "../model/level.js";
import type { StepResult } from "../model/result.js";
import { findFailureManner } from "../stats/failure-manner.js";
import type { FailurePoint } from "../stats/failure-manner.js";
import { groupBy } from "../stats/group-by.js";
import { findKnee } from "../stats/knee.js";
import { loadOf, loadValue } from "../stats/load.js";
import { fitUsl } from "../stats/usl.js";
import { failedRequests } from "../stats/request-counts.js";

/**
 * What a target does as its load rises, an info finding each, where the data carry it: `KNEE`, `SCALABILITY`, and one of
 * `CLIFF`, `DEGRADES` and `SHEDS`. All of them have {target, kind}, the kind of load that their levels are values of.
 * Levels of different amounts (the rows of a matrix) are curves of their own; the findings are of the one with the most
 * requests or the longest time.
 */
export function findLoadResponse(steps: readonly StepResult[]): readonly Finding[] {
  return [...groupBy(steps, ({ target }) => target)].flatMap(([target, ofTarget]) => {
    const curve = largestCurve(ofTarget);
    const [first] = curve;
    if (first === undefined) return [];
    const { kind } = loadOf(first.level);
    return [...findKneeOf(curve), ...findScalability(curve, kind), ...findManner(curve)].map(
      ({ code, args }): Finding => ({ code, severity: "info", args: { target, kind, ...args } }),
    );
  });
}

type Noticed = Pick<Finding, "code" | "args">;

function largestCurve(steps: readonly StepResult[]): readonly StepResult[] {
  const curves = [...groupBy(steps, ({ level }) => JSON.stringify([level.requests, level.durationMs])).values()];
  const amount = ([first]: readonly StepResult[]): number => first?.level.requests ?? first?.level.durationMs ?? 0;
  return curves.toSorted((a, b) => amount(b) - amount(a))[0] ?? [];
}

/** What makes a step's throughput another's than the target's, or none at all. */
const NOT_OF_THE_TARGET: ReadonlySet<FindingCode> = new Set([
  "GENERATOR_SATURATED",
  "LEVEL_NOT_REACHED",
  "LITTLES_LAW",
  "REQUESTS_LOST",
  "TOO_SHORT",
]);

function carries({ state, findings }: StepResult): boolean {
  return state === "completed" && !findings.some(({ code }) => NOT_OF_THE_TARGET.has(code));
}

/** `KNEE` {knee, below, above, throughput}: throughput stops growing about there, between two levels. */
function findKneeOf(curve: readonly StepResult[]): readonly Noticed[] {
  const points = curve
    .filter(carries)
    .flatMap(({ level, measurement }) =>
      measurement?.latency?.mean === undefined
        ? []
        : [{ load: loadValue(level), throughput: measurement.throughput, latencyMs: measurement.latency.mean }],
    );
  const knee = findKnee(points);
  if (knee.state === "none") return [];
  const { load, below, above, throughput } = knee;
  return [{ code: "KNEE", args: { knee: load, below, above, throughput } }];
}

/**
 * `SCALABILITY` {contention, coherency, relativeError} of the Universal Scalability Law, with {peakLoad, peakThroughput} where
 * there is a peak.
 */
function findScalability(curve: readonly StepResult[], kind: LoadKind): readonly Noticed[] {
  // In an open loop the load is not what is in the system.
  if (kind === "rate") return [];
  const points = curve
    .filter(carries)
    .flatMap(({ level, measurement }) =>
      measurement === undefined ? [] : [{ load: loadValue(level), throughput: measurement.throughput }],
    );
  const fit = fitUsl(points);
  if (fit.state === "refused") return [];
  const { sigma, kappa, peak, relativeError } = fit;
  const peakArgs = peak === undefined ? {} : { peakLoad: peak.load.value, peakThroughput: peak.throughput.value };
  return [
    { code: "SCALABILITY", args: { contention: sigma.value, coherency: kappa.value, relativeError, ...peakArgs } },
  ];
}

/** Trials of every level, from which on a fall of goodput that no failed request goes with is more than a noisy run. */
const TRIALS_TO_FALL = 3;

/**
 * `CLIFF` or `DEGRADES` {lastGood, firstBad, remaining}: goodput falls, at once or gradually; `SHEDS` {firstBad}: requests
 * fail, and goodput is kept up. `lastGood` is missing where it is bad from the first level.
 */
function findManner(curve: readonly StepResult[]): readonly Noticed[] {
  const points = curve.filter((step) => !isOfTheGenerator(step)).flatMap(toFailurePoint);
  const manner = findFailureManner(points, "level");
  if ("goodput" in manner && manner.errors === undefined && fewestTrials(points) < TRIALS_TO_FALL) return [];
  switch (manner.manner) {
    case "sheds":
      return [{ code: "SHEDS", args: placeArgs(manner.errors) }];
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

/** A generator at its limit makes throughput fall as well; failures that it reports are real all the same. */
function isOfTheGenerator({ findings, measurement }: StepResult): boolean {
  const requests = measurement?.requests;
  const failed = requests === undefined ? 0 : failedRequests(requests);
  return failed === 0 && findings.some(({ code }) => code === "GENERATOR_SATURATED");
}

function fewestTrials(points: readonly FailurePoint[]): number {
  return Math.min(...[...groupBy(points, ({ at }) => String(at)).values()].map((trials) => trials.length));
}

function placeArgs({ lastGood, firstBad }: { readonly lastGood: number | null; readonly firstBad: number }) {
  return { ...(lastGood === null ? {} : { lastGood }), firstBad };
}

function toFailurePoint({ state, level, measurement }: StepResult): readonly FailurePoint[] {
  if (measurement === undefined || state === "aborted") return [];
  const { requests, throughput } = measurement;
  return [{ at: loadValue(level), ok: requests.ok, failed: failedRequests(requests), goodput: throughput }];
}
