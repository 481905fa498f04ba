import { createLatencyRecorder, type LatencyRecorder } from "./latency-recorder.js";
import type { MixedRecord } from "./record.js";

/** Counts requests by entry of a mix, named by its index. */
export interface MixRecorder {
  readonly sent: (entry: number) => void;
  readonly ok: (entry: number, latencyUs: number) => void;
  readonly failed: (entry: number) => void;
  readonly finish: () => readonly MixedRecord[];
}

interface Share {
  sent: number;
  failed: number;
  latency: LatencyRecorder | undefined;
}

/** Starts empty counts for so many entries. An entry has a histogram from its first ok response on. */
export function createMixRecorder(entries: number): MixRecorder {
  const shares = Array.from({ length: entries }, (): Share => ({ sent: 0, failed: 0, latency: undefined }));
  const shareOf = (entry: number): Share => {
    const share = shares[entry];
    if (share === undefined) throw new Error(`There is no entry ${entry} in a mix of ${entries}`);
    return share;
  };
  return {
    sent: (entry) => {
      shareOf(entry).sent += 1;
    },
    ok: (entry, latencyUs) => {
      const share = shareOf(entry);
      share.latency ??= createLatencyRecorder();
      share.latency.add(latencyUs);
    },
    failed: (entry) => {
      shareOf(entry).failed += 1;
    },
    finish: () =>
      shares.map(({ sent, failed, latency }) => ({
        sent,
        ok: latency?.count() ?? 0,
        failed,
        latency: latency?.finish() ?? null,
      })),
  };
}
