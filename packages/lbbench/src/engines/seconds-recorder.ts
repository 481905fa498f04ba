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
  /**
   * What was recorded in a second, which has to be over by the clock: nothing is counted in it any more. `null` where the timeline
   * ended before it, `undefined` where it is not over, because it is the last of a load that is to be cut.
   */
  readonly read: (second: number) => SecondRecord | null | undefined;
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
  let ended = false;

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
  /** Reading may have closed seconds beyond the end of the timeline, in which nothing can have happened. */
  const dropBeyond = (untilUs: number): void => {
    for (let last = seconds.at(-1); last !== undefined; last = seconds.at(-1)) {
      if (last.sent + last.ok + last.failed > 0 || last.second * SECOND_US < untilUs) return;
      seconds.pop();
    }
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
    read: (wanted) => {
      if (!ended) advance((wanted + 1) * SECOND_US);
      return seconds[wanted] ?? (ended ? null : undefined);
    },
    finish: (untilUs) => {
      advance(untilUs);
      if (sent + ok + failed > 0 || untilUs > second * SECOND_US) close();
      dropBeyond(untilUs);
      ended = true;
      return seconds;
    },
  };
}
