import { neverHasBody } from "../http-status.js";
import type { LoadRun } from "../load-run.js";
import { matchBody } from "../match-body.js";
import type { PickedRequest, RequestMix } from "../request-mix.js";
import type { RequestFailure } from "./classify-failure.js";

/** Keeps account of the requests of one requester, one after the other, and enters one outcome for each. */
export interface RequestAccount {
  /** Begins with the next; its latency counts from `dueUs`, or else from when it leaves. */
  readonly begin: (dueUs: number | undefined) => void;
  /** What the last one is that was begun. */
  readonly picked: () => PickedRequest;
  /** Whether that has no outcome. */
  readonly isOpen: () => boolean;
  /** It leaves, unless it has: its connection is opened, or it is written on an open one. */
  readonly leave: () => void;
  /** For how long it has been gone, in ms; 0 before it leaves. */
  readonly goneMs: () => number;
  /** It was this long before it had its connection, in microseconds. */
  readonly connected: (tookUs: number) => void;
  /** It is written now. */
  readonly written: () => void;
  /** Something of the answer comes. */
  readonly startsAnswer: () => void;
  /** The answer has this status; what comes is its body. */
  readonly head: (status: number) => void;
  readonly body: (chunk: Buffer) => void;
  /** When an answer was complete that has no body, though the parser may look for one; `null` otherwise. */
  readonly completeUs: () => number | null;
  /** Enters the answer as the outcome, complete since `nowUs`. */
  readonly settleAnswer: (nowUs: number) => void;
  /** Enters a failure as the outcome. */
  readonly settleFailure: (failure: RequestFailure) => void;
  /** Forgets the request; returns how many had left and have no outcome. */
  readonly drop: () => number;
}

/** Starts an account without a request. */
export function createRequestAccount(run: LoadRun, mix: RequestMix): RequestAccount {
  const { recorder } = run;
  const body = matchBody();
  let picked = mix.first;
  let open = false;
  let leftUs: number | null = null;
  let sinceUs = 0;
  let dueUs: number | undefined;
  let connectUs = 0;
  let writtenUs = 0;
  let firstByteUs: number | null = null;
  let status = 0;
  let completeUs: number | null = null;

  const settle = (): void => {
    open = false;
    leftUs = null;
  };
  return {
    begin: (due) => {
      open = true;
      dueUs = due;
      connectUs = 0;
      firstByteUs = null;
      completeUs = null;
      picked = mix.pick();
    },
    picked: () => picked,
    isOpen: () => open,
    leave: () => {
      if (leftUs !== null) return;
      leftUs = run.nowUs();
      sinceUs = dueUs ?? leftUs;
      recorder.sent(leftUs, picked.entry);
      if (dueUs !== undefined) recorder.late(leftUs - dueUs);
    },
    goneMs: () => (leftUs === null ? 0 : (run.nowUs() - leftUs) / 1000),
    connected: (tookUs) => {
      connectUs = tookUs;
    },
    written: () => {
      writtenUs = run.nowUs();
    },
    startsAnswer: () => {
      firstByteUs ??= run.nowUs();
    },
    head: (code) => {
      status = code;
      body.start(picked.expectBody);
      if (neverHasBody(code)) completeUs = run.nowUs();
    },
    body: (chunk) => {
      recorder.body(chunk.length);
      body.add(chunk, 0, chunk.length);
    },
    completeUs: () => completeUs,
    settleAnswer: (nowUs) => {
      run.sawLife();
      if (!picked.isExpected(status)) recorder.failed("non2xx", sinceUs, nowUs, { status }, picked.entry);
      else if (!body.matches()) recorder.failed("mismatched", sinceUs, nowUs, { status }, picked.entry);
      else {
        recorder.ok(sinceUs, nowUs, status, picked.entry);
        recorder.phases(connectUs, nowUs - writtenUs, (firstByteUs ?? nowUs) - writtenUs);
      }
      settle();
    },
    settleFailure: ({ kind, ...why }) => {
      recorder.failed(kind, sinceUs, run.nowUs(), why, picked.entry);
      settle();
    },
    drop: () => {
      const left = leftUs === null ? 0 : 1;
      settle();
      return left;
    },
  };
}
