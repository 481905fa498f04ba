import type { ClientUnaryCall, Metadata, ServiceError } from "@grpc/grpc-js";
import { createBackoff } from "../backoff.js";
import type { LoadRun, LoadUser } from "../load-run.js";
import { watchTime, type TimeWatch } from "../watch-time.js";
import type { Channel } from "./channel.js";
import { classifyFailure, type CallFailure } from "./classify-failure.js";
import type { UnaryCall } from "./resolve-call.js";

/** What all users of a run have in common. */
export interface CallerPlan {
  readonly call: UnaryCall;
  readonly timeoutMs: number;
  /** Whether there is a connection, though nothing may be answered on it. */
  readonly isConnected: () => boolean;
}

/**
 * Creates a user that makes one call after the other over a channel and gives each of them one outcome.
 *
 * The time of a call is kept here and not by a deadline of the library: a server that is told a deadline ends the call at
 * the same moment, and who was first would be left to chance.
 */
export function createCaller({ client, wasReset }: Channel, run: LoadRun, plan: CallerPlan): LoadUser {
  const { timeoutMs } = plan;
  const { path, message, metadata, isExpected } = plan.call;
  const { recorder } = run;
  const backoff = createBackoff();
  let first = true;
  let ended = false;
  let call: ClientUnaryCall | undefined;
  /** When the call under way left; `null` without one. */
  let sentUs: number | null = null;
  let headers: Metadata | undefined;
  let watch: TimeWatch | undefined;
  let waiting: NodeJS.Timeout | undefined;

  const end = (): void => {
    ended = true;
    watch?.stop();
    clearTimeout(waiting);
  };
  const send = (): void => {
    if (ended) return;
    if (!run.take(first)) {
      end();
      run.leave(user);
      return;
    }
    first = false;
    headers = undefined;
    sentUs = run.nowUs();
    recorder.sent(sentUs);
    call = client.makeUnaryRequest(path, () => message, asItIs, undefined, metadata, {}, settle);
    call.once("metadata", keepHeaders);
  };
  const keepHeaders = (received: Metadata): void => {
    headers = received;
  };
  const settle = (error: ServiceError | null, answer?: Buffer): void => {
    const since = sentUs;
    sentUs = null;
    // One that was given up has its outcome; this says that it has really ended.
    const foundNoConnection = since !== null && enter(since, error, answer);
    if (foundNoConnection) waiting = setTimeout(send, backoff.nextMs());
    else send();
  };
  /** Records the outcome; tells whether it is that there was no connection. */
  const enter = (since: number, error: ServiceError | null, answer: Buffer | undefined): boolean => {
    const nowUs = run.nowUs();
    if (error === null) {
      run.sawLife();
      recorder.body(answer?.length ?? 0);
      if (isExpected(answer ?? NOTHING)) recorder.ok(since, nowUs, "OK");
      else recorder.failed("mismatched", since, nowUs, { status: "OK" });
      backoff.reset();
      return false;
    }
    const failure = classifyFailure(error, headers);
    const { kind, ...why } = failure.kind === "dropped" && wasReset() ? RESET : failure;
    recorder.failed(kind, since, nowUs, why);
    if (kind === "connectErrors") {
      run.sawNoConnection();
      return true;
    }
    backoff.reset();
    if (kind === "non2xx" || kind === "mismatched") run.sawLife();
    return false;
  };
  const giveUp = (): void => {
    if (sentUs === null) return;
    if (!plan.isConnected()) run.sawNoConnection();
    recorder.failed("timedOut", sentUs, run.nowUs(), {});
    sentUs = null;
    call?.cancel();
  };

  const user: LoadUser = {
    start: () => {
      watch = watchTime(timeoutMs, () => (sentUs === null ? 0 : (run.nowUs() - sentUs) / 1000), giveUp);
      send();
    },
    cut: () => {
      const open = sentUs !== null;
      sentUs = null;
      end();
      if (open) call?.cancel();
      return open ? 1 : 0;
    },
  };
  return user;
}

const NOTHING = Buffer.alloc(0);

/** What the library calls dropped alike. */
const RESET: CallFailure = { kind: "resets", code: "ECONNRESET" };

/** An answer is compared and counted, not read: that is work of the generator and not of the target. */
function asItIs(bytes: Buffer): Buffer {
  return bytes;
}
