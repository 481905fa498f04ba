import type { Phases, PhaseSummary } from "../model/measurement.js";
import type { LatencyRecord, LoadRecord, PhasesRecord } from "./record.js";
import { summarizeRecords } from "./summarize-records.js";

/** Makes one summary of the phases that generators recorded; `undefined` where none did. */
export function mergePhases(records: readonly LoadRecord[]): Phases | undefined {
  const phases = records.flatMap((record) => record.phases ?? []);
  const summary = (phase: keyof PhasesRecord): PhaseSummary => summarizePhase(phases.map((one) => one[phase]));
  if (phases.length === 0) return undefined;
  return {
    connect: summary("connect"),
    processing: summary("processing"),
    waiting: summary("waiting"),
    total: summary("total"),
  };
}

/** The smallest value that the histogram has a cell for. */
const SMALLEST_MS = 0.001;

function summarizePhase(records: readonly LatencyRecord[]): PhaseSummary {
  const { min, mean, stddev, p50, max } = summarizeRecords(records) ?? { min: 0, mean: 0, stddev: 0, p50: 0, max: 0 };
  // Connecting takes no time at all where the connection was open already.
  return { min, mean, stddev, median: min === 0 && p50 <= SMALLEST_MS ? 0 : p50, max };
}
