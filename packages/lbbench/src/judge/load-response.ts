import type { Finding } from "../model/finding.js";
import type { LoadKind } from "../model/level.js";
import type { StepResult } from "../model/result.js";
import { groupBy } from "../stats/group-by.js";
import { findKnee } from "../stats/knee.js";
import { loadOf, loadValue } from "../stats/load.js";
import { beyondKnee } from "./beyond-knee.js";
import { findFailureResponse } from "./failure-response.js";
import { largestCurve } from "./largest-curve.js";
import { nameFall } from "./name-fall.js";
import { isNotOfTheTarget } from "./not-of-the-target.js";
import { findScalability } from "./scalability.js";

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
    return describeCurve(curve, kind).map(({ code, args }): Finding => ({
      code,
      severity: "info",
      args: { target, kind, ...args },
    }));
  });
}

type Noticed = Pick<Finding, "code" | "args">;

function describeCurve(curve: readonly StepResult[], kind: LoadKind): readonly Noticed[] {
  const response = findFailureResponse(curve);
  const cliff = response.find(({ code }) => code === "CLIFF")?.args["firstBad"];
  // What is left after a cliff is no plateau.
  const upTo = typeof cliff === "number" ? cliff : Infinity;
  const carrying = curve.filter((step) => step.state === "completed" && !isNotOfTheTarget(step));
  const knee = findKneeOf(carrying.filter(({ level }) => loadValue(level) < upTo));
  return [...knee.map((one) => nameFall(one, response)), ...findScalability(carrying, kind), ...response];
}

/**
 * `KNEE` {knee, below, above, throughput, reached}: throughput stops growing about there, between two levels, or, where it bends
 * gradually, is at its plateau only at the level `reached`; {bottleneck, busyAt} as in {@link beyondKnee}, {then} as in {@link nameFall}.
 */
function findKneeOf(curve: readonly StepResult[]): readonly Noticed[] {
  const points = curve.flatMap(({ level, measurement }) =>
    measurement?.latency?.mean === undefined
      ? []
      : [{ load: loadValue(level), throughput: measurement.throughput, latencyMs: measurement.latency.mean }],
  );
  const knee = findKnee(points);
  if (knee.state === "none") return [];
  const { load, below, above, throughput, reached } = knee;
  return [{ code: "KNEE", args: { knee: load, below, above, throughput, reached, ...beyondKnee(curve, above) } }];
}
