import type { FailureClass } from "../model/measurement.js";
import type { Clients } from "./generator.js";
import { Backoff, type LoadRun, type LoadUser } from "./load-run.js";
import type { Recorder } from "./recorder.js";
import { BodyMatch, neverHasBody, type PlannedRequest } from "./requests.js";
import type { Destination } from "./sockets.js";

/** Sends one request after the other, over one connection at a time, and gives each of them one outcome. */
export interface Requester {
  /** Sends a request; there is none open. Its latency counts from `dueUs`, or else from when it leaves. */
  readonly send: (dueUs?: number) => void;
  /** Ends it at once, and tells how many requests were open. */
  readonly cut: () => number;
  /** Closes its connection; resolves when it is closed. May be called more than once. */
  readonly close: () => Promise<void>;
}

/**
 * Creates one requester after the other; nothing is opened before their first requests.
 *
 * @param onDone called when a request has its outcome; `connected` says whether it had a connection.
 */
export type CreateRequester = (onDone: (connected: boolean) => void) => Requester;

/** What all requesters of a run have in common. */
export interface RequesterPlan extends Destination {
  /** Says what is to be sent next. */
  readonly pick: () => PlannedRequest;
  /** Whether the connection is used for the next request. */
  readonly keepAlive: boolean;
}

/** Enters the users of a closed loop, each with a requester; `startsUs` says when they start, in microseconds from the common start. */
export function enterUsers(run: LoadRun, startsUs: readonly number[], createRequester: CreateRequester): Clients {
  const requesters = startsUs.map((startUs) => {
    const backoff = new Backoff();
    let first = true;
    let waiting: NodeJS.Timeout | undefined;
    const next = (): void => {
      if (run.take(first)) {
        first = false;
        return requester.send();
      }
      run.leave(user);
      // It is still busy with the answer.
      queueMicrotask(() => void requester.close());
    };
    const requester = createRequester((connected) => {
      if (!connected) {
        waiting = setTimeout(next, backoff.nextMs());
        return;
      }
      backoff.reset();
      next();
    });
    const user: LoadUser = {
      start: next,
      cut: () => {
        clearTimeout(waiting);
        return requester.cut();
      },
    };
    run.enter(user, startUs);
    return requester;
  });
  return {
    stop: async () => {
      await Promise.all(requesters.map(({ close }) => close()));
    },
  };
}

/** What became of a request that has no complete answer. */
export interface RequestFailure {
  readonly kind: FailureClass;
  readonly code?: string;
}

/** The account of the requests of one requester, one after the other, over any version of HTTP: it enters one outcome for each. */
export class RequestAccount {
  readonly #run: LoadRun;
  readonly #recorder: Recorder;
  readonly #pick: () => PlannedRequest;
  readonly #body = new BodyMatch();
  #picked: PlannedRequest | undefined;
  #isOpen = false;
  #everConnected = false;
  #leftUs: number | null = null;
  #sinceUs = 0;
  #dueUs: number | undefined;
  #connectUs = 0;
  #writtenUs: number | null = null;
  #firstByteUs: number | null = null;
  #status = 0;
  #completeUs: number | null = null;

  /** Starts an account without a request. */
  constructor(run: LoadRun, { pick }: Pick<RequesterPlan, "pick">) {
    this.#run = run;
    this.#recorder = run.recorder;
    this.#pick = pick;
  }

  /** The request that was begun last. */
  get picked(): PlannedRequest {
    return (this.#picked ??= this.#pick());
  }

  /** Whether it has no outcome. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** When an answer was complete that has no body, though the parser may look for one; `null` otherwise. */
  get completeUs(): number | null {
    return this.#completeUs;
  }

  /** Begins with the next request; its latency counts from `dueUs`, or else from when it leaves. */
  begin(dueUs?: number): void {
    this.#isOpen = true;
    this.#dueUs = dueUs;
    this.#connectUs = 0;
    this.#firstByteUs = null;
    this.#completeUs = null;
    this.#status = 0;
    this.#picked = this.#pick();
  }

  /** It leaves, unless it has: its connection is opened or waited for, or it is written on an open one. */
  leave(): void {
    if (this.#leftUs !== null) return;
    const nowUs = this.#run.nowUs();
    this.#leftUs = nowUs;
    this.#sinceUs = this.#dueUs ?? nowUs;
    this.#recorder.sent(nowUs, this.picked.entry);
    if (this.#dueUs !== undefined) this.#recorder.late(nowUs - this.#dueUs);
  }

  /** For how long it has been gone, in ms; 0 before it leaves. */
  goneMs(): number {
    return this.#leftUs === null ? 0 : (this.#run.nowUs() - this.#leftUs) / 1000;
  }

  /** A connection of its own was established. */
  established(): void {
    this.#recorder.connected(!this.#everConnected);
    this.#everConnected = true;
    this.#run.sawLife();
  }

  /** It has its connection, for which it waited so long. */
  waited(us: number): void {
    this.#connectUs = us;
  }

  /** It is written now; where no one says so, phases are not told apart. */
  written(): void {
    this.#writtenUs = this.#run.nowUs();
  }

  /** Something of the answer comes. */
  startsAnswer(): void {
    this.#firstByteUs ??= this.#run.nowUs();
  }

  /** The answer has this status; what comes is its body. */
  head(status: number): void {
    this.#status = status;
    this.#body.start(this.picked.expectBody);
    if (neverHasBody(status)) this.#completeUs = this.#run.nowUs();
  }

  body(chunk: Buffer, start = 0, length = chunk.length): void {
    this.#recorder.body(length);
    this.#body.add(chunk, start, length);
  }

  /** Enters the answer as the outcome, complete since `nowUs`. */
  settleAnswer(nowUs = this.#run.nowUs()): void {
    this.#run.sawLife();
    const { isExpected, entry } = this.picked;
    const status = this.#status;
    const sinceUs = this.#sinceUs;
    const writtenUs = this.#writtenUs;
    if (!isExpected(status)) this.#recorder.failed("non2xx", sinceUs, nowUs, { status }, entry);
    else if (!this.#body.matches()) this.#recorder.failed("mismatched", sinceUs, nowUs, { status }, entry);
    else {
      this.#recorder.ok(sinceUs, nowUs, status, entry);
      if (writtenUs !== null) {
        this.#recorder.phases(this.#connectUs, nowUs - writtenUs, (this.#firstByteUs ?? nowUs) - writtenUs);
      }
    }
    this.drop();
  }

  /** Enters a failure as the outcome; `connected` says whether the request had a connection. */
  settleFailure({ kind, ...why }: RequestFailure, connected: boolean): void {
    if (!connected) this.#run.sawNoConnection();
    this.#recorder.failed(kind, this.#sinceUs, this.#run.nowUs(), why, this.picked.entry);
    this.drop();
  }

  /** Forgets the request; returns how many had left and have no outcome. */
  drop(): number {
    const left = this.#leftUs === null ? 0 : 1;
    this.#isOpen = false;
    this.#leftUs = null;
    return left;
  }
}
