import type { ScheduleKept } from "../model/measurement.js";
import type { LoadRecord } from "./record.js";
import { summarizeRecords } from "./summarize-records.js";

/** Says how generators kept to a schedule together. */
export function mergeSchedules(records: readonly LoadRecord[], rate: number): ScheduleKept {
  const unsent = records.reduce((sum, { schedule }) => sum + (schedule?.unsent ?? 0), 0);
  const sent = records.reduce((sum, record) => sum + record.sent, 0);
  const lateness = summarizeRecords(records.flatMap(({ schedule }) => schedule?.lateness ?? []));
  const { mean, p99, max } = lateness ?? { mean: 0, p99: 0, max: 0 };
  return { rate, planned: sent + unsent, unsent, lateness: { mean, p99, max } };
}
