import type { Finding, FindingArgs } from "../model/finding.js";
import type { LoadKind } from "../model/level.js";
import type { StepResult } from "../model/result.js";
import { loadValue } from "../stats/load.js";
import { fitUsl } from "../stats/usl.js";
import type { UslPeak } from "../stats/usl.js";

/**
 * `SCALABILITY` {lambda, contention, contentionLow, contentionHigh, coherency, relativeError, highest} of the Universal Scalability
 * Law, for steps that carry it; with {peakLoad, peakLow, peakHigh, peakThroughput} where there is a peak, {bound}
 * where there is none and contention alone keeps throughput below it. `Low` and `High` are the ends of 95 % intervals; `highest` is the highest load that was measured, beyond which the peak is extrapolated.
 */
export function findScalability(
  curve: readonly StepResult[],
  kind: LoadKind,
): readonly Pick<Finding, "code" | "args">[] {
  // In an open loop the load is not what is in the system.
  if (kind === "rate") return [];
  const points = curve.flatMap(({ level, measurement }) =>
    measurement === undefined ? [] : [{ load: loadValue(level), throughput: measurement.throughput }],
  );
  const fit = fitUsl(points);
  if (fit.state === "refused") return [];
  const { lambda, sigma, kappa, peak, relativeError } = fit;
  const args = {
    lambda: lambda.value,
    contention: sigma.value,
    contentionLow: sigma.low,
    contentionHigh: sigma.high,
    coherency: kappa.value,
    relativeError,
    highest: Math.max(...points.map(({ load }) => load)),
  };
  const bound = peak === undefined && sigma.low > 0 ? { bound: lambda.value / sigma.value } : {};
  return [{ code: "SCALABILITY", args: { ...args, ...bound, ...describePeak(peak) } }];
}

function describePeak(peak: UslPeak | undefined): FindingArgs {
  if (peak === undefined) return {};
  const { load, throughput } = peak;
  return { peakLoad: load.value, peakLow: load.low, peakHigh: load.high, peakThroughput: throughput.value };
}
