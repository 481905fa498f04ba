import type { FailureClass } from "../model/measurement.js";
import { createLatencyRecorder, type LatencyRecorder } from "./latency-recorder.js";
import { createMixRecorder } from "./mix-recorder.js";
import { createPhasesRecorder, type PhasesRecorder } from "./phases-recorder.js";
import type { LoadRecord } from "./record.js";
import { createSecondsRecorder, type SecondsRecorder } from "./seconds-recorder.js";

/** What every engine of ours tells about each request. Times are microseconds from the common start. */
export interface Recorder {
  /** A request leaves; every call is followed by one outcome, or by being counted in `finish`. `entry`: of a mix. */
  readonly sent: (nowUs: number, entry?: number) => void;
  /** `status`: a code of HTTP, or the name of a gRPC status. */
  readonly ok: (sentUs: number, nowUs: number, status: number | string, entry?: number) => void;
  /** `code`: of the operating system or the parser. `status`: of a complete answer. */
  readonly failed: (
    kind: FailureClass,
    sentUs: number,
    nowUs: number,
    why: { readonly code?: string; readonly status?: number | string },
    entry?: number,
  ) => void;
  /** A connection was established, for the first time by this user or again. */
  readonly connected: (first: boolean) => void;
  readonly written: (bytes: number) => void;
  readonly received: (bytes: number) => void;
  readonly body: (bytes: number) => void;
  /** Where the time of a request went that is ok, in microseconds; by engines that can tell. */
  readonly phases: (connectUs: number, processingUs: number, waitingUs: number) => void;
  /** A request of an open loop left so much later than it was due, in microseconds. */
  readonly late: (latenessUs: number) => void;
  /** A request of an open loop was due and could not leave. */
  readonly unsent: () => void;
  readonly userStarted: (nowUs: number) => void;
  readonly userEnded: (nowUs: number) => void;
  /** An open loop needs one more connection than it ever had. */
  readonly needsConnection: () => void;
  /** Requests that left, those that have an outcome, and those of them that failed. */
  readonly counts: () => { readonly sent: number; readonly done: number; readonly failed: number };
  /** What was recorded in a second that is over (see {@link SecondsRecorder.read}). */
  readonly readSecond: SecondsRecorder["read"];
  /** Ends the record. `stoppedUs` is set when load was stopped before it was used up; the seconds are those up to then. */
  readonly finish: (inFlight: number, stoppedUs: number | null) => LoadRecord;
}

/**
 * Starts an empty record.
 *
 * @param mergeable whether the seconds of the timeline keep histograms, to be merged with those of other processes.
 * @param entries how many entries the mix has whose requests are told apart; `undefined` without a mix.
 * @param lastsMs after which time the load is to be cut, where it is (see {@link createSecondsRecorder}).
 */
export function createRecorder(mergeable: boolean, entries?: number, lastsMs?: number): Recorder {
  const latency = createLatencyRecorder();
  const failedLatency = createLatencyRecorder();
  const seconds = createSecondsRecorder(mergeable, lastsMs);
  const failures: Record<FailureClass, number> = {
    non2xx: 0,
    mismatched: 0,
    connectErrors: 0,
    resets: 0,
    dropped: 0,
    timedOut: 0,
  };
  const statusCodes = new Map<number | string, number>();
  const errorCodes = new Map<string, number>();
  let firstSentUs: number | null = null;
  let lastDoneUs = 0;
  let sent = 0;
  let done = 0;
  let sentBytes = 0;
  let receivedBytes = 0;
  let bodyBytes = 0;
  let opened = 0;
  let established = 0;
  const mix = entries === undefined ? undefined : createMixRecorder(entries);
  let phases: PhasesRecorder | undefined;
  let lateness: LatencyRecorder | undefined;
  let unsent = 0;
  let needed = 0;

  const answered = (status: number | string): void => void statusCodes.set(status, (statusCodes.get(status) ?? 0) + 1);
  return {
    sent: (nowUs, entry = 0) => {
      firstSentUs ??= nowUs;
      sent += 1;
      seconds.sent(nowUs);
      mix?.sent(entry);
    },
    ok: (sentUs, nowUs, status, entry = 0) => {
      done += 1;
      lastDoneUs = nowUs;
      answered(status);
      latency.add(nowUs - sentUs);
      seconds.ok(nowUs, nowUs - sentUs);
      mix?.ok(entry, nowUs - sentUs);
    },
    failed: (kind, sentUs, nowUs, why, entry = 0) => {
      done += 1;
      lastDoneUs = nowUs;
      failures[kind] += 1;
      if (why.status !== undefined) answered(why.status);
      if (why.code !== undefined) errorCodes.set(why.code, (errorCodes.get(why.code) ?? 0) + 1);
      // A request that never had a connection waited for nothing but the refusal.
      if (kind !== "connectErrors") failedLatency.add(nowUs - sentUs);
      seconds.failed(nowUs, kind);
      mix?.failed(entry);
    },
    connected: (first) => {
      established += 1;
      if (first) opened += 1;
    },
    written: (bytes) => {
      sentBytes += bytes;
    },
    received: (bytes) => {
      receivedBytes += bytes;
    },
    body: (bytes) => {
      bodyBytes += bytes;
    },
    phases: (connectUs, processingUs, waitingUs) => {
      phases ??= createPhasesRecorder();
      phases.add(connectUs, processingUs, waitingUs);
    },
    late: (latenessUs) => {
      lateness ??= createLatencyRecorder();
      lateness.add(latenessUs);
    },
    unsent: () => {
      unsent += 1;
    },
    userStarted: seconds.userStarted,
    userEnded: seconds.userEnded,
    needsConnection: () => {
      needed += 1;
    },
    counts: () => ({ sent, done, failed: done - latency.count() }),
    readSecond: seconds.read,
    finish: (inFlight, stoppedUs) => ({
      firstSentUs,
      lastDoneUs,
      stoppedUs,
      sent,
      ok: latency.count(),
      failures: { ...failures },
      inFlight,
      connectionsOpened: opened,
      connectionsEstablished: established,
      receivedBytes,
      bodyBytes,
      sentBytes,
      statusCodes: Object.fromEntries(statusCodes),
      errorCodes: Object.fromEntries(errorCodes),
      latency: latency.finish(),
      failedLatency: failedLatency.finish(),
      seconds: seconds.finish(sent === 0 ? 0 : (stoppedUs ?? lastDoneUs)),
      ...(phases === undefined ? {} : { phases: phases.finish() }),
      ...(mix === undefined ? {} : { mix: mix.finish() }),
      ...(needed + unsent === 0
        ? {}
        : {
            schedule: {
              unsent,
              connections: needed,
              lateness: (lateness ?? createLatencyRecorder()).finish(),
            },
          }),
    }),
  };
}
