import { decodeHistogram, mergeHistograms } from "../../stats/histogram.js";
import { loadValue } from "../../stats/load.js";
import { percentileCurve } from "../../stats/percentile-curve.js";
import type { PercentilePoint } from "../../stats/percentile-curve.js";
import type { Cell } from "../cells.js";
import type { Curve } from "./curves.js";
import type { ChosenLevel } from "./distribution-levels.js";

/** The latencies of one target at one level, of all its trials. */
export interface LatencyDistribution {
  readonly level: ChosenLevel;
  readonly curve: Curve;
  readonly points: readonly PercentilePoint[];
}

/** Fewer answers do not support a single nine. */
const FEWEST_ANSWERS = 10;

/** Returns the distributions at a level, of the targets that have one: histograms are merged, percentiles never averaged. */
export function latencyDistributions(level: ChosenLevel, curves: readonly Curve[]): readonly LatencyDistribution[] {
  return curves.flatMap((curve) => {
    const cells = curve.cells.filter((cell) => hasHistogram(cell) && loadValue(cell.level) === level.load);
    const histograms = cells.flatMap(({ measurements }) => measurements.flatMap(({ histogram }) => histogram ?? []));
    const merged = mergeHistograms(histograms.map(decodeHistogram));
    return merged.totalCount < FEWEST_ANSWERS ? [] : [{ level, curve, points: percentileCurve(merged) }];
  });
}

/** Says whether ok responses of a cell have a latency, in steps that were not cut short. */
export function hasLatency({ measurements, cutShort }: Cell): boolean {
  return !cutShort && measurements.some(({ latency }) => latency !== undefined);
}

/** Says whether it is known of a cell how its latencies are distributed. */
export function hasHistogram(cell: Cell): boolean {
  return hasLatency(cell) && cell.measurements.some(({ histogram }) => histogram !== undefined);
}
