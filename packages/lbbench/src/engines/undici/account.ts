import type { FailureClass } from "../../model/measurement.js";
import type { LoadRun } from "../load-run.js";
import type { Recorder } from "../recorder.js";
import { BodyMatch, neverHasBody, type PlannedRequest, type RequestMix } from "../requests.js";
import { nameHttp2Error, type Destination, type SocketEnd } from "../sockets.js";

/** Sends one request after the other, over one connection at a time, and gives each of them one outcome. */
export interface Requester {
  /** Sends a request; there is none open. Its latency counts from `dueUs`, or else from when it leaves. */
  readonly send: (dueUs?: number) => void;
  /** Ends it at once, and tells how many requests were open. */
  readonly cut: () => number;
  /** Closes its connection; resolves when it is closed. */
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
  /** What they send, each with its next turn. */
  readonly mix: RequestMix;
  /** Whether the connection is used for the next request. */
  readonly keepAlive: boolean;
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
  readonly #mix: RequestMix;
  readonly #body = new BodyMatch();
  #picked: PlannedRequest;
  #isOpen = false;
  #leftUs: number | null = null;
  #sinceUs = 0;
  #dueUs: number | undefined;
  #connectUs = 0;
  #writtenUs = 0;
  #firstByteUs: number | null = null;
  #status = 0;
  #completeUs: number | null = null;

  /** Starts an account without a request. */
  constructor(run: LoadRun, mix: RequestMix) {
    this.#run = run;
    this.#recorder = run.recorder;
    this.#mix = mix;
    this.#picked = mix.first;
  }

  /** The request that was begun last. */
  get picked(): PlannedRequest {
    return this.#picked;
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
  begin(dueUs: number | undefined): void {
    this.#isOpen = true;
    this.#dueUs = dueUs;
    this.#connectUs = 0;
    this.#firstByteUs = null;
    this.#completeUs = null;
    this.#status = 0;
    this.#picked = this.#mix.pick();
  }

  /** It leaves, unless it has: its connection is opened or waited for, or it is written on an open one. */
  leave(): void {
    if (this.#leftUs !== null) return;
    const nowUs = this.#run.nowUs();
    this.#leftUs = nowUs;
    this.#sinceUs = this.#dueUs ?? nowUs;
    this.#recorder.sent(nowUs, this.#picked.entry);
    if (this.#dueUs !== undefined) this.#recorder.late(nowUs - this.#dueUs);
  }

  /** For how long it has been gone, in ms; 0 before it leaves. */
  goneMs(): number {
    return this.#leftUs === null ? 0 : (this.#run.nowUs() - this.#leftUs) / 1000;
  }

  /** It was this long before it had its connection, in microseconds. */
  connected(tookUs: number): void {
    this.#connectUs = tookUs;
  }

  /** It is written now. */
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
    this.#body.start(this.#picked.expectBody);
    if (neverHasBody(status)) this.#completeUs = this.#run.nowUs();
  }

  body(chunk: Buffer): void {
    this.#recorder.body(chunk.length);
    this.#body.add(chunk, 0, chunk.length);
  }

  /** Enters the answer as the outcome, complete since `nowUs`. */
  settleAnswer(nowUs: number): void {
    this.#run.sawLife();
    const { isExpected, entry } = this.#picked;
    const status = this.#status;
    const sinceUs = this.#sinceUs;
    if (!isExpected(status)) this.#recorder.failed("non2xx", sinceUs, nowUs, { status }, entry);
    else if (!this.#body.matches()) this.#recorder.failed("mismatched", sinceUs, nowUs, { status }, entry);
    else {
      const writtenUs = this.#writtenUs;
      this.#recorder.ok(sinceUs, nowUs, status, entry);
      this.#recorder.phases(this.#connectUs, nowUs - writtenUs, (this.#firstByteUs ?? nowUs) - writtenUs);
    }
    this.#close();
  }

  /** Enters a failure as the outcome; `connected` says whether the request had a connection. */
  settleFailure({ kind, ...why }: RequestFailure, connected: boolean): void {
    if (!connected) this.#run.sawNoConnection();
    this.#recorder.failed(kind, this.#sinceUs, this.#run.nowUs(), why, this.#picked.entry);
    this.#close();
  }

  /** Forgets the request; returns how many had left and have no outcome. */
  drop(): number {
    const left = this.#leftUs === null ? 0 : 1;
    this.#close();
    return left;
  }

  #close(): void {
    this.#isOpen = false;
    this.#leftUs = null;
  }
}

/** What is known of a connection on which a request ended without a complete answer. */
export interface LostConnection {
  /** Whether it was established. */
  readonly connected: boolean;
  /** How the other side ended it, if it did. */
  readonly end: SocketEnd | undefined;
  /** What the server said last of ending it (HTTP/2), and which stream it is the last to deal with. */
  readonly goaway?: { readonly code: number; readonly lastStreamId: number } | undefined;
  /** Whether the server has spoken HTTP/2 on it; absent over HTTP/1.1. */
  readonly spoken?: boolean;
}

const UNKNOWN = "UNKNOWN";
/** Of HTTP/2. */
const NO_ERROR = 0;
const PROTOCOL_ERROR = 1;

/** What becomes of requests to a server that answers HTTP/2 in another language. */
export const NOT_SPOKEN: RequestFailure = { kind: "mismatched", code: "ERR_HTTP2_NOT_SPOKEN" };
/** What Node says of a stream that was reset by the server. */
const STREAM_RESET = "ERR_HTTP2_STREAM_ERROR";
/** What Node says of streams that ended with their connection; all other errors of HTTP/2 it found itself. */
const ENDED_WITH_CONNECTION: ReadonlySet<string> = new Set(["ERR_HTTP2_SESSION_ERROR", "ERR_HTTP2_STREAM_CANCEL"]);
/** What undici says of an answer that it could not read, where that says less than ours. */
const UNREADABLE: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH", UNKNOWN]);

/**
 * Tells what became of a request without a complete answer. What the server said of the request itself counts first (it reset the
 * stream), then how the connection ended, and what the server said as it ended it: undici finds the rest of an answer missing,
 * and calls that an error of the answer, because it was closed.
 *
 * Node does not tell who found a stream to be against the protocol: it counts as an answer that cannot be read, also where it
 * was the server that said so.
 *
 * @param error of undici or Node, where one of them says something.
 * @param rstCode of the stream, over HTTP/2; 0 also where nothing was said.
 */
export function classifyFailure(
  error: NodeJS.ErrnoException | undefined,
  { connected, end, goaway, spoken = true }: LostConnection,
  rstCode?: number,
): RequestFailure {
  const { code = UNKNOWN } = error ?? {};
  if (!connected) return { kind: "connectErrors", code };
  if (rstCode !== undefined && spoken && code === STREAM_RESET) return classifyStreamReset(rstCode);
  if (end !== undefined) return end;
  if (goaway !== undefined && goaway.code !== NO_ERROR) {
    return { kind: "resets", code: `GOAWAY_${nameHttp2Error(goaway.code)}` };
  }
  if (!spoken) return NOT_SPOKEN;
  const fault = faultOfAnswer(error);
  if (fault !== undefined) return { kind: "mismatched", code: fault };
  return rstCode === undefined ? { kind: "resets", code } : classifyStreamReset(rstCode);
}

function classifyStreamReset(rstCode: number): RequestFailure {
  if (rstCode === NO_ERROR) return { kind: "dropped" };
  return { kind: rstCode === PROTOCOL_ERROR ? "mismatched" : "resets", code: `RST_STREAM_${nameHttp2Error(rstCode)}` };
}

/** What undici or Node has against an answer; `undefined` for an error of the system, which is about the connection. */
export function faultOfAnswer(error: NodeJS.ErrnoException | undefined): string | undefined {
  if (error === undefined) return undefined;
  const { name, code = UNKNOWN } = error;
  if (name === "HTTPParserError" || code.startsWith("UND_ERR_"))
    return UNREADABLE.has(code) ? "INVALID_RESPONSE" : code;
  return code.startsWith("ERR_HTTP2") && !ENDED_WITH_CONNECTION.has(code) ? code : undefined;
}
