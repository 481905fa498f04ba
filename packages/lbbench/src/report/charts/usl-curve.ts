import { largestCurve } from "../../judge/load-response.js";
import type { Result } from "../../model/result.js";
import { loadValue } from "../../stats/load.js";
import { type UslParameters, uslThroughput } from "../../stats/usl.js";
import { collectCells } from "../cells.js";
import { formatCount, formatRate } from "../format-number.js";
import type { ChartPoint, ChartScale } from "./chart-definition.js";
import type { Curve } from "./curves.js";

/** The law that was fitted to a curve, as it is drawn. */
export interface UslCurve {
  /** From the lowest load to the highest, or to somewhat beyond the peak; the peak is marked. */
  readonly points: readonly ChartPoint[];
  /** The peak in words; empty without one. */
  readonly peak: string;
}

/** Points of a curve that looks smooth, at the size of a picture. */
const STEPS = 60;

/** Times the highest level that a peak may lie beyond it to be drawn: further out, the levels would be a corner of the chart. */
const FURTHEST_PEAK = 3;

/** So much of a curve is seen beyond its peak that it is seen to be one. */
const BEYOND_PEAK = 1.15;

/**
 * Returns the Universal Scalability Law as the finding `SCALABILITY` has it for the target of a curve; nothing where there is no
 * such finding, or it is of another curve of the target.
 */
export function uslCurve(result: Result, curve: Curve, scale: ChartScale): UslCurve | undefined {
  const [cell] = curve.cells;
  const finding = result.verdict.findings.find(
    ({ code, args }) => code === "SCALABILITY" && args["target"] === cell?.target,
  );
  if (cell === undefined || finding === undefined || !isFitted(result, curve)) return undefined;
  const read = (name: string): number | undefined => numberOf(finding.args[name]);
  const [lambda, sigma, kappa] = [read("lambda"), read("contention"), read("coherency")];
  if (lambda === undefined || sigma === undefined || kappa === undefined) return undefined;
  const loads = curve.cells.map(({ level }) => loadValue(level));
  const [lowest, highest] = [Math.max(1, Math.min(...loads)), Math.max(...loads)];
  const peakLoad = read("peakLoad");
  const peak = peakLoad !== undefined && peakLoad <= highest * FURTHEST_PEAK ? peakLoad : undefined;
  const end = Math.max(highest, (peak ?? 0) * BEYOND_PEAK);
  return {
    points: drawLaw({ lambda, sigma, kappa }, spread(lowest, end, scale), peak),
    peak:
      peakLoad === undefined
        ? ""
        : `peak of the fitted law at ${formatCount(peakLoad)}${describeRate(read("peakThroughput"))}${peakLoad > highest ? ", beyond the levels, not measured" : ""}`,
  };
}

/** A matrix has several curves of a target; the law is of the largest. */
function isFitted(result: Result, { cells: [first] }: Curve): boolean {
  const ofTarget = collectCells(result).filter(({ target }) => target === first?.target);
  const [fitted] = largestCurve(ofTarget);
  return first?.level.requests === fitted?.level.requests && first?.level.durationMs === fitted?.level.durationMs;
}

function drawLaw(law: UslParameters, loads: readonly number[], peak: number | undefined): readonly ChartPoint[] {
  const curve = loads.map((load): ChartPoint => ({ x: load, y: uslThroughput(law, load) }));
  if (peak === undefined) return curve;
  const before = curve.filter(({ x }) => Number(x) < peak);
  const after = curve.filter(({ x }) => Number(x) > peak);
  return [...before, { x: peak, y: uslThroughput(law, peak), isMarked: true }, ...after];
}

/** Evenly over the axis, both ends included. */
function spread(from: number, to: number, scale: ChartScale): readonly number[] {
  return Array.from({ length: STEPS + 1 }, (_, step) => {
    if (step === STEPS) return to;
    return scale === "log" ? from * (to / from) ** (step / STEPS) : from + ((to - from) * step) / STEPS;
  });
}

function describeRate(throughput: number | undefined): string {
  return throughput === undefined ? "" : ` (${formatRate(throughput)})`;
}

function numberOf(value: string | number | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
