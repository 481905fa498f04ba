/** What engines that send each request themselves share: users, their timeout, and an account with one outcome for each request. */
import type { FailureClass } from "../model/measurement.js";
import { addressOf, isSecure, placeOf } from "../stats/url-address.js";
import type { Clients, GeneratorLoad } from "./generator.js";
import type { ConnectionCount, LoadRun, LoadUser } from "./load-run.js";
import { BodyMatch, planRequests, type PlannedRequest } from "./requests.js";
import { userStartsUs } from "./shares.js";
import { secureContextOf, type Destination } from "./sockets.js";

/** Sends one request after the other, and gives each of them one outcome. */
export interface Requester {
  /** Sends a request, while none is open; its latency counts from `dueUs`, or else from now. */
  readonly send: (dueUs?: number) => void;
  /** Ends at once, and returns how many requests were open. */
  readonly cut: () => number;
  readonly close: () => Promise<void>;
}

/**
 * Called after each outcome, with whether the request had a connection, and whether that is kept for another request (not told where
 * connections are shared).
 */
export type OnDone = (connected: boolean, isKept?: boolean) => void;

/** Creates a requester. */
export type CreateRequester = (onDone: OnDone) => Requester;

/** What an engine sends a load by. */
export interface Senders {
  /** Resolves with what creates the requesters of a run that sends the load. */
  readonly requestersFor: (run: LoadRun) => Promise<CreateRequester>;
  /** Of a rate: which connection a requester uses, both by their numbers from 0; one of its own without this. */
  readonly connectionOf?: (requester: number) => number;
  /** Closes what is left of an open loop when its requesters are closed. */
  readonly close?: () => Promise<void>;
}

/** The part of an engine in its generator processes. */
export type PrepareSenders = (load: GeneratorLoad) => Senders | Promise<Senders>;

/** Sends the requests of one account, over one connection at a time, which is opened for the first of them. */
export interface Line {
  /** Sends the request that the account has begun. */
  readonly send: () => void;
  /** The request has taken too long. */
  readonly giveUp: () => void;
  /** Called once; resolves when its connection is closed. */
  readonly close: () => Promise<void>;
}

/** What a sender has to know of a load. */
export interface LinePlan extends Destination {
  /** Returns the next request. */
  readonly pick: () => PlannedRequest;
  /** Requests that a connection sends before it is closed: 1 and above, `Infinity` where it is kept. */
  readonly requestsPerConnection: number;
  /** Local addresses to connect from, in turn; none where the system chooses. */
  readonly sources: readonly string[];
}

/** Works out what a generator sends of a load, and where to. */
export function linePlanOf(load: GeneratorLoad): LinePlan {
  const { url, timeoutMs, keepAlive, requestsPerConnection, insecure = false, certificate, place, connectTo } = load;
  const { tls = {}, folder, hold } = load;
  const named = addressOf(url);
  const secure = isSecure(url);
  return {
    secure,
    insecure,
    ...named,
    ...(connectTo !== undefined && placeOf(connectTo)),
    serverName: tls.serverName ?? named.host,
    secureContext: secure ? secureContextOf(tls, folder, certificate) : undefined,
    sessions: tls.resume ? {} : undefined,
    sources: hold?.sources ?? [],
    timeoutMs,
    requestsPerConnection: keepAlive ? (requestsPerConnection ?? Infinity) : 1,
    pick: planRequests(load, place),
  };
}

/** Returns a function that creates requesters that send by lines. A line settles each request of its account, and then calls `onDone`. */
export function requestersBy(
  run: LoadRun,
  { timeoutMs, pick }: Pick<LinePlan, "timeoutMs" | "pick">,
  createLine: (account: RequestAccount, onDone: OnDone) => Line,
): CreateRequester {
  return (onDone) => {
    const account = new RequestAccount(run, pick);
    let closing: Promise<void> | undefined;
    const line = createLine(account, (connected, isKept) => {
      if (closing === undefined) onDone(connected, isKept);
    });
    let timer: NodeJS.Timeout;
    // One timer for all requests, set again only when it fires: most requests end long before.
    const watch = (afterMs: number): void => {
      timer = setTimeout(() => {
        const leftMs = timeoutMs - account.goneMs();
        if (leftMs <= 0) line.giveUp();
        watch(leftMs > 0 ? leftMs : timeoutMs);
      }, afterMs);
    };
    watch(timeoutMs);
    const end = (): Promise<void> => {
      account.drop();
      clearTimeout(timer);
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

/** How long a user waits after it got no connection, twice as long each time: a target that is gone is not asked in a hot loop. */
export const FIRST_BACKOFF_MS = 10;
/** The longest wait: short enough to notice soon that a target is back. */
export const LONGEST_BACKOFF_MS = 250;

/** Enters the users of a closed loop, or of a ramp, each with a requester. */
export function enterUsers(run: LoadRun, load: GeneratorLoad, createRequester: CreateRequester): Clients {
  const requesters = userStartsUs(load, load.place).map((startUs) => {
    let backoffMs = FIRST_BACKOFF_MS;
    let first = true;
    let waiting: NodeJS.Timeout | undefined;
    const send = (): void => {
      if (run.take(first)) {
        first = false;
        return requester.send();
      }
      run.leave(user);
      // The requester is still busy with the answer.
      queueMicrotask(() => void requester.close());
    };
    const next = (): void => {
      if (first || !run.holds(send)) send();
    };
    const requester = createRequester((connected) => {
      if (connected) {
        backoffMs = FIRST_BACKOFF_MS;
        return next();
      }
      waiting = setTimeout(next, backoffMs);
      backoffMs = Math.min(2 * backoffMs, LONGEST_BACKOFF_MS);
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

/** What became of a request that is not ok. */
export interface RequestFailure {
  readonly kind: FailureClass;
  /** Of a complete answer: a code of HTTP, or the name of a gRPC status. */
  readonly status?: number | string;
  /** A code of the system, of TLS, of HTTP/2 or of the parser, if there was no complete answer. */
  readonly code?: string;
}

/** The account of the requests of one requester, one after the other, in any protocol: it enters one outcome for each. */
export class RequestAccount {
  readonly #run: LoadRun;
  readonly #pick: () => PlannedRequest;
  readonly #body = new BodyMatch();
  #picked: PlannedRequest | undefined;
  /** `null` without a request. */
  #leftUs: number | null = null;
  #sinceUs = 0;
  #connectUs = 0;
  #writtenUs: number | null = null;
  #firstByteUs: number | null = null;
  /** When the last event of its stream came. */
  #eventUs: number | null = null;
  #status = 0;
  #serverTiming: string | undefined;
  /** The last round, before measuring, in which a request had its outcome. */
  #round = 0;
  /** Connections of its own. */
  readonly connections: ConnectionCount;

  constructor(run: LoadRun, pick: LinePlan["pick"]) {
    this.#run = run;
    this.#pick = pick;
    this.connections = run.countConnections();
    run.watch((nowUs) => this.#carry(nowUs));
  }

  get picked(): PlannedRequest {
    return (this.#picked ??= this.#pick());
  }

  get isOpen(): boolean {
    return this.#leftUs !== null;
  }

  /** The next request leaves: it is written, or waits for its connection. Its latency counts from `dueUs`, or else from now. */
  begin(dueUs?: number): void {
    const { recorder } = this.#run;
    this.#connectUs = 0;
    this.#firstByteUs = null;
    this.#eventUs = null;
    this.#status = 0;
    this.#picked = this.#pick();
    const nowUs = this.#run.nowUs();
    this.#leftUs = nowUs;
    this.#sinceUs = dueUs ?? nowUs;
    recorder.sent(nowUs, this.#picked.entry);
    if (dueUs !== undefined) recorder.late(nowUs - dueUs);
  }

  /** For how long the request has been open, or its stream silent, in ms; 0 without one. */
  goneMs(): number {
    return this.#leftUs === null ? 0 : (this.#run.nowUs() - (this.#eventUs ?? this.#leftUs)) / 1000;
  }

  /** The request has its connection; says how long it waited for it. */
  waited(us: number): void {
    this.#connectUs = us;
  }

  /** The request is written now. Engines that do not call this have no phases. */
  written(): void {
    this.#writtenUs = this.#run.nowUs();
  }

  startsAnswer(nowUs: number): void {
    this.#firstByteUs ??= nowUs;
  }

  /** The status of the answer, before its body, and its `Server-Timing` where that is read. */
  head(status: number, serverTiming?: string): void {
    this.#status = status;
    this.#serverTiming = serverTiming;
    this.#body.start(this.picked.expectBody);
  }

  body(chunk: Buffer, start: number, length: number): void {
    this.#run.recorder.counts.body += length;
    this.#body.add(chunk, start, length);
  }

  /** An event of its stream has come: the first one since the request was due, others since the one before. */
  event(nowUs = this.#run.nowUs()): void {
    this.#run.recorder.event(this.#eventUs === null, nowUs - (this.#eventUs ?? this.#sinceUs));
    this.#eventUs = nowUs;
    this.#run.sawLife();
  }

  /** Enters the HTTP answer, complete since `nowUs`, as the outcome. */
  settleAnswer(nowUs: number): void {
    const status = this.#status;
    if (!this.picked.isExpected(status)) this.settleFailure({ kind: "non2xx", status }, true, nowUs);
    else if (!this.#body.matches()) this.settleFailure({ kind: "mismatched", status }, true, nowUs);
    else this.settleOk(status, nowUs);
  }

  /** Enters an answer that is ok as the outcome. */
  settleOk(status: number | string, nowUs: number): void {
    const { recorder } = this.#run;
    const writtenUs = this.#writtenUs;
    this.#run.sawLife();
    recorder.ok(this.#sinceUs, nowUs, status, this.picked.entry);
    if (writtenUs !== null) {
      recorder.phases(this.#connectUs, nowUs - writtenUs, (this.#firstByteUs ?? nowUs) - writtenUs);
    }
    const leftUs = this.#leftUs ?? nowUs;
    recorder.serverTimes?.add(this.#serverTiming, nowUs - leftUs, leftUs - this.#sinceUs);
    this.#end();
  }

  /** Enters a failure as the outcome; `connected` says whether the request had a connection. */
  settleFailure({ kind, ...why }: RequestFailure, connected: boolean, nowUs = this.#run.nowUs()): void {
    if (!connected) {
      this.connections.failed(why.code);
      this.#run.sawNoConnection(this.#leftUs ?? nowUs);
    } else if (kind === "non2xx" || kind === "mismatched") this.#run.sawLife();
    this.#run.recorder.failed(kind, this.#sinceUs, nowUs, why, this.picked.entry);
    this.#end();
  }

  #end(): void {
    this.drop();
    this.#round = this.#run.reach(this.#round);
  }

  #carry(nowUs: number): number | null {
    if (this.#leftUs === null) return null;
    this.#run.recorder.sent(nowUs, this.picked.entry);
    return nowUs - this.#sinceUs;
  }

  /** Forgets the request; returns how many were open. */
  drop(): number {
    const open = this.isOpen ? 1 : 0;
    this.#leftUs = null;
    return open;
  }
}
