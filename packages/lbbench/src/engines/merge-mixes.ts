import type { MixedShare } from "../model/measurement.js";
import type { MixedRequest } from "../model/scenario.js";
import type { LoadRecord, MixedRecord } from "./record.js";
import { summarizeRecords } from "./summarize-records.js";

/** Adds up what generators recorded of each entry of a mix; all entries are there, in order, also what was never sent. */
export function mergeMixes(
  records: readonly LoadRecord[],
  mix: readonly Pick<MixedRequest, "name">[],
): readonly MixedShare[] {
  return mix.map(({ name }, entry) => {
    const parts = records.flatMap((record) => record.mix?.[entry] ?? []);
    const total = (count: (part: MixedRecord) => number): number => parts.reduce((sum, part) => sum + count(part), 0);
    const latency = summarizeRecords(parts.flatMap((part) => part.latency ?? []));
    return {
      name,
      sent: total(({ sent }) => sent),
      ok: total(({ ok }) => ok),
      failed: total(({ failed }) => failed),
      ...(latency === undefined ? {} : { latency }),
    };
  });
}
