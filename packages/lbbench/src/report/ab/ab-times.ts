import { AB_PERCENTAGES } from "../../stats/latency-keys.js";
import type { LatencySummary, Phases, PhaseSummary } from "../../model/measurement.js";

const HEAD = "              min  mean[+/-sd] median   max";
const PHASES: readonly (readonly [label: string, phase: keyof Phases])[] = [
  ["Connect:", "connect"],
  ["Processing:", "processing"],
  ["Waiting:", "waiting"],
  ["Total:", "total"],
];
const LABEL_WIDTH = 12;

/** Returns the table of connection times, in whole ms; none where the phases of requests are not known. */
export function abConnectionLines(phases: Phases | undefined): readonly string[] {
  if (phases === undefined) return [];
  const rows = PHASES.map(([label, phase]) => `${label.padEnd(LABEL_WIDTH)}${phaseFigures(phases[phase])}`);
  return ["Connection Times (ms)", HEAD, ...rows];
}

function phaseFigures({ min, mean, stddev, median, max }: PhaseSummary): string {
  const whole = (ms: number, width: number): string => ms.toFixed(0).padStart(width);
  return [whole(min, 5), whole(mean, 4), stddev.toFixed(1).padStart(5), whole(median, 6), whole(max, 7)].join(" ");
}

/** Returns the table of percentiles, in whole ms, of ok answers alone: to ab they are of all that came to an end. */
export function abPercentageLines(latency: LatencySummary | undefined): readonly string[] {
  if (latency === undefined) return [];
  const rows = AB_PERCENTAGES.flatMap(([percentage, key]) => {
    const ms = latency[key];
    if (ms === undefined) return [];
    const row = `${`${percentage}%`.padStart(5)} ${ms.toFixed(0).padStart(6)}`;
    return [percentage === 100 ? `${row} (longest request)` : row];
  });
  return ["Percentage of the requests served within a certain time (ms)", ...rows];
}
