import type { DoubtReason } from "../model/measurement.js";

interface DoubtProse {
  readonly sentence: string;
  readonly remedy: string;
}

const PROSE: Readonly<Record<DoubtReason, DoubtProse>> = {
  "whole-seconds": {
    sentence:
      "a run of N requests ends for it at the next whole second, so that the time is too long, and the throughput at least what is shown",
    remedy: "Use a run by duration, or lbbench sweep, which ends with the last answer.",
  },
  "closed-uncounted": {
    sentence:
      "a connection that is closed without an answer is no error to it, so that more requests may have failed than it counts",
    remedy: "Compare with the log of the target, or measure with lbbench sweep, which counts them.",
  },
  "made-up-latencies": {
    sentence:
      "for every answer that took more than twice the mean it adds latencies that nobody measured, so that the percentiles are too high",
    remedy: "Measure with lbbench sweep; its engine wrk takes these latencies out again.",
  },
  "corrected-latencies": {
    sentence:
      "with a rate (-R) it adds latencies that nobody measured for every answer that took longer than a millisecond, its correction for requests that left late, so that no percentile is one of the answers",
    remedy: "Measure the rate with lbbench sweep, which counts latency from when each request was due.",
  },
  "other-lengths": {
    sentence:
      "an answer of another length than the first one is a failure to it, whatever its status, and it does not tell how many of those were good, or had an unexpected status, so that more or fewer may have failed than is shown",
    remedy:
      "Ask for a page whose length does not change, or measure with an engine that counts each request once, as the one of lbbench sweep does.",
  },
  "varying-load": {
    sentence: "the number of users was not the same all the time, so that the figures are of no single load",
    remedy: "Use a constant number of users, or lbbench ramp for a load that rises.",
  },
};

/** The words for the reasons why a figure of a program is doubtful, by reason. */
export const DOUBTS: ReadonlyMap<string, DoubtProse> = new Map(Object.entries(PROSE));
