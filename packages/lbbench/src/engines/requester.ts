import type { FailureClass } from "../model/measurement.js";
import type { Clients } from "./generator.js";
import { Backoff, watchTime, type LoadRun, type LoadUser } from "./load-run.js";
import type { Recorder } from "./recorder.js";
import { BodyMatch, neverHasBody, type PlannedRequest } from "./requests.js";
import type { Destination } from "./sockets.js";

/** Sends one request after the other, and gives each of them one outcome. */
export interface Requester {
  /** Sends a request, while none is open; its latency counts from `dueUs`, or else from now. */
  readonly send: (dueUs?: number) => void;
  /** Ends it at once, and tells how many requests were open. */
  readonly cut: () => number;
  readonly close: () => Promise<void>;
}

/** Creates one requester after the other; `onDone` is called when a request has its outcome, and whether it had a connection. */
export type CreateRequester = (onDone: (connected: boolean) => void) => Requester;

/** How the requests of one account are sent, over one connection at a time; nothing is opened before the first of them. */
export interface Line {
  /** Sends the request that the account has begun. */
  readonly send: () => void;
  /** The request has taken too long. */
  readonly giveUp: () => void;
  /** Called once; resolves when its connection is closed. */
  readonly close: () => Promise<void>;
}

/** What is to be known of a load to send its requests. */
export interface LinePlan extends Destination {
  /** Says what is to be sent next. */
  readonly pick: () => PlannedRequest;
  readonly keepAlive: boolean;
}

/** Returns what creates requesters that send by lines; a line settles each request of its account, and then calls `onDone`. */
export function requestersBy(
  run: LoadRun,
  plan: LinePlan,
  createLine: (account: RequestAccount, onDone: (connected: boolean) => void) => Line,
): CreateRequester {
  return (onDone) => {
    const account = new RequestAccount(run, plan.pick);
    let closing: Promise<void> | undefined;
    const line = createLine(account, (connected) => {
      if (closing === undefined) onDone(connected);
    });
    const giveUp = (): void => {
      if (account.isOpen) line.giveUp();
    };
    const watch = watchTime(plan.timeoutMs, () => account.goneMs(), giveUp);
    const end = (): Promise<void> => {
      account.drop();
      watch.stop();
      return line.close();
    };
    const close = (): Promise<void> => (closing ??= end());
    return {
      send: (dueUs) => {
        account.begin(dueUs);
        line.send();
      },
      cut: () => {
        const open = account.drop();
        void close();
        return open;
      },
      close,
    };
  };
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
  return { stop: () => closeAll(requesters) };
}

export async function closeAll(requesters: readonly Requester[]): Promise<void> {
  await Promise.all(requesters.map(({ close }) => close()));
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
  #everConnected = false;
  #leftUs: number | null = null;
  #sinceUs = 0;
  #connectUs = 0;
  #writtenUs: number | null = null;
  #firstByteUs: number | null = null;
  #status = 0;
  #completeUs: number | null = null;

  constructor(run: LoadRun, pick: LinePlan["pick"]) {
    this.#run = run;
    this.#recorder = run.recorder;
    this.#pick = pick;
  }

  get picked(): PlannedRequest {
    return (this.#picked ??= this.#pick());
  }

  get isOpen(): boolean {
    return this.#leftUs !== null;
  }

  /** When an answer was complete that has no body, though the parser may look for one; `null` otherwise. */
  get completeUs(): number | null {
    return this.#completeUs;
  }

  /** The next request leaves: it is written, or its connection opened or waited for. Its latency counts from `dueUs`, or else from now. */
  begin(dueUs?: number): void {
    this.#connectUs = 0;
    this.#firstByteUs = null;
    this.#completeUs = null;
    this.#status = 0;
    this.#picked = this.#pick();
    const nowUs = this.#run.nowUs();
    this.#leftUs = nowUs;
    this.#sinceUs = dueUs ?? nowUs;
    this.#recorder.sent(nowUs, this.#picked.entry);
    if (dueUs !== undefined) this.#recorder.late(nowUs - dueUs);
  }

  /** For how long it has been open, in ms; 0 without one. */
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

  /** Forgets the request; returns how many were open. */
  drop(): number {
    const open = this.isOpen ? 1 : 0;
    this.#leftUs = null;
    return open;
  }
}
