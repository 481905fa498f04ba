import { createLatencyRecorder } from "./latency-recorder.js";
import type { SecondRecord } from "./record.js";

/** Counts by second; calls come in the order of their times. */
export interface SecondsRecorder {
  readonly sent: (nowUs: number) => void;
  readonly ok: (nowUs: number, latencyUs: number) => void;
  readonly failed: (nowUs: number) => void;
  readonly finish: () => readonly SecondRecord[];
}

const SECOND_US = 1_000_000;

/**
 * Starts an empty timeline. One histogram serves all seconds in turn.
 *
 * @param mergeable whether each second keeps its histogram. Encoding one takes about a millisecond in which nothing
 *   else is measured, so it is done only where records of several processes have to be merged.
 */
export function createSecondsRecorder(mergeable: boolean): SecondsRecorder {
  const seconds: SecondRecord[] = [];
  const latency = createLatencyRecorder();
  let second = 0;
  let endUs = SECOND_US;
  let sent = 0;
  let ok = 0;
  let failed = 0;

  const close = (): void => {
    seconds.push({
      second,
      sent,
      ok,
      failed,
      latency:
        ok === 0
          ? null
          : {
              p50: latency.percentileMs(50),
              p99: latency.percentileMs(99),
              histogram: mergeable ? latency.encode() : null,
            },
    });
    latency.reset();
    sent = 0;
    ok = 0;
    failed = 0;
    second += 1;
    endUs += SECOND_US;
  };
  const advance = (nowUs: number): void => {
    while (nowUs >= endUs) close();
  };
  return {
    sent: (nowUs) => {
      advance(nowUs);
      sent += 1;
    },
    ok: (nowUs, latencyUs) => {
      advance(nowUs);
      ok += 1;
      latency.add(latencyUs);
    },
    failed: (nowUs) => {
      advance(nowUs);
      failed += 1;
    },
    finish: () => {
      if (sent + ok + failed > 0) close();
      return seconds;
    },
  };
}
