import type { FailureClass } from "../model/measurement.js";
import { createLatencyRecorder } from "./latency-recorder.js";
import type { SecondRecord } from "./record.js";

/** Counts by second; calls come in the order of their times. */
export interface SecondsRecorder {
  readonly sent: (nowUs: number) => void;
  readonly ok: (nowUs: number, latencyUs: number) => void;
  readonly failed: (nowUs: number, kind: FailureClass) => void;
  readonly userStarted: (nowUs: number) => void;
  readonly userEnded: (nowUs: number) => void;
  /** Ends the timeline with the second in which something happened last, or that `untilUs` is in or at the end of. */
  readonly finish: (untilUs: number) => readonly SecondRecord[];
}

const SECOND_US = 1_000_000;

/**
 * Starts an empty timeline. One histogram serves all seconds in turn.
 *
 * @param mergeable whether each second keeps its histogram. Encoding one takes about a millisecond in which nothing
 *   else is measured, so it is done only where records of several processes have to be merged.
 * @param lastsMs after which time the load is to be cut. A timer rings a little late: what happens until it does belongs to
 *   the last second, and not to one more of a millisecond or two. By default there is no last second.
 */
export function createSecondsRecorder(mergeable: boolean, lastsMs = Infinity): SecondsRecorder {
  const seconds: SecondRecord[] = [];
  const latency = createLatencyRecorder();
  const lastSecond = Math.max(0, Math.ceil(lastsMs / 1000) - 1);
  let second = 0;
  let endUs = lastSecond === 0 ? Infinity : SECOND_US;
  let sent = 0;
  let ok = 0;
  let failed = 0;
  let failures: Partial<Record<FailureClass, number>> = {};
  let users = 0;

  const close = (): void => {
    seconds.push({
      second,
      sent,
      ok,
      failed,
      failures,
      users,
      latency:
        ok === 0
          ? null
          : {
              p50: latency.percentileMs(50),
              p90: latency.percentileMs(90),
              p99: latency.percentileMs(99),
              max: latency.maxMs(),
              histogram: mergeable ? latency.encode() : null,
            },
    });
    latency.reset();
    sent = 0;
    ok = 0;
    failed = 0;
    failures = {};
    second += 1;
    endUs = second === lastSecond ? Infinity : (second + 1) * SECOND_US;
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
    failed: (nowUs, kind) => {
      advance(nowUs);
      failed += 1;
      failures[kind] = (failures[kind] ?? 0) + 1;
    },
    userStarted: (nowUs) => {
      advance(nowUs);
      users += 1;
    },
    userEnded: (nowUs) => {
      advance(nowUs);
      users -= 1;
    },
    finish: (untilUs) => {
      advance(untilUs);
      if (sent + ok + failed > 0 || untilUs > second * SECOND_US) close();
      return seconds;
    },
  };
}
