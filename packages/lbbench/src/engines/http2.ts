/** HTTP/2 for engines that send each request themselves: requests are streams of connections that users share. */
import {
  findDirectAccess,
  HTTP2,
  Http2Error,
  Http2Stream,
  nameHttp2Error,
  type Fields,
  type StreamLoss,
} from "@lbbench/wire";
import { UNASKED_RESPONSE } from "./http1.js";
import {
  NOT_SPOKEN,
  SharedConnection,
  type ConnectionPlan,
  type LoadConnection,
  type Waiter,
} from "./http2-connection.js";
import type { LoadRun } from "./load-run.js";
import {
  requestersBy,
  type CreateRequester,
  type Line,
  type LinePlan,
  type RequestAccount,
  type RequestFailure,
} from "./requester.js";
import type { PlannedRequest } from "./requests.js";

/** What leaves for a request. The list of fields is the same object each time, so that it need not be encoded anew. */
export interface StreamRequest {
  readonly fields: Fields;
  /** `null` for none: the fields end the request. */
  readonly body: Buffer | null;
}

/** How a protocol over HTTP/2 sends what is planned, and reads answers. */
export interface Codec {
  readonly requestOf: (picked: PlannedRequest) => StreamRequest;
  /** Creates what reads the answers to the requests of an account, one after the other. */
  readonly createReader: (account: RequestAccount) => StreamReader;
  /** How long a request may take in place of the timeout of the load, and what becomes of one that took longer. */
  readonly deadline?: { readonly ms: number; readonly failure: RequestFailure } | undefined;
  /** As of a {@link ConnectionPlan}. */
  readonly awaitsSettings: boolean;
}

/** Reads answers; times are in microseconds from the common start. */
export interface StreamReader {
  /** A request leaves: the next answer is to it. */
  readonly begin: () => void;
  /** A head has come, which may be an interim one (1xx). */
  readonly head: (fields: Fields, nowUs: number) => void;
  /** A piece of the body has come; its memory is used again. */
  readonly data: (bytes: Buffer, from: number, to: number, nowUs: number) => void;
  /** The answer is complete: its outcome is to be entered. */
  readonly end: (trailers: Fields | undefined, nowUs: number) => void;
}

/** What the requesters of a load have in common. */
interface Http2Plan extends ConnectionPlan, Pick<LinePlan, "requestsPerConnection"> {
  readonly codec: Codec;
}

/**
 * Resolves with a function that creates requesters over HTTP/2. Each request is a stream of a connection that others may share. One that the
 * server left alone when it ended a connection in order is sent again on the next one; its time goes on.
 *
 * @param connectionOf which connection a requester shares, by its number from 0.
 */
export async function http2Requesters(
  run: LoadRun,
  plan: LinePlan,
  codec: Codec,
  connectionOf: (requester: number) => number,
): Promise<CreateRequester> {
  const access = await findDirectAccess();
  const { awaitsSettings, deadline } = codec;
  // A deadline may be shorter than connecting takes.
  const common: Http2Plan = { ...plan, codec, awaitsSettings, openingMs: deadline === undefined ? 0 : plan.timeoutMs };
  const connections: SharedConnection[] = [];
  let created = 0;
  const limits = { pick: plan.pick, timeoutMs: deadline?.ms ?? plan.timeoutMs };
  return requestersBy(run, limits, (account, onDone) => {
    const shared = (connections[connectionOf(created)] ??= new SharedConnection(run, common, access));
    created += 1;
    return new Http2Line(account, onDone, common, shared);
  });
}

/** Sends the requests of one user, and enters the outcome of each. */
class Http2Line implements Line, Waiter {
  readonly #account: RequestAccount;
  readonly #onDone: (connected: boolean) => void;
  readonly #plan: Http2Plan;
  readonly #shared: SharedConnection;
  readonly #reader: StreamReader;
  /** Whether the request had to wait for a connection. */
  #waits = false;
  #stream: RequestStream | undefined;

  constructor(
    account: RequestAccount,
    onDone: (connected: boolean) => void,
    plan: Http2Plan,
    shared: SharedConnection,
  ) {
    this.#account = account;
    this.#onDone = onDone;
    this.#plan = plan;
    this.#shared = shared;
    this.#reader = plan.codec.createReader(account);
    shared.join();
  }

  send(): void {
    this.#waits = false;
    this.#shared.acquire(this);
    this.#waits = true;
  }

  giveUp(): void {
    const stream = this.#stream;
    const connected = stream !== undefined || this.#shared.isConnected();
    if (stream !== undefined) this.#shared.askForLife(stream.on, this.#plan.timeoutMs);
    this.#cancel();
    this.#fail(this.#plan.codec.deadline?.failure ?? { kind: "timedOut" }, connected);
  }

  close(): Promise<void> {
    this.#cancel();
    this.#endStream();
    return this.#shared.release();
  }

  onReady(connection: LoadConnection): void {
    const account = this.#account;
    if (this.#waits) account.waited(account.goneMs() * 1000);
    account.written();
    this.#reader.begin();
    const { fields, body } = this.#plan.codec.requestOf(account.picked);
    const stream = new RequestStream(this, connection);
    this.#stream = stream;
    connection.open(stream, fields, body === null);
    if (body !== null) stream.writeData(body, true);
  }

  onRefused(code: string): void {
    this.#fail({ kind: "connectErrors", code }, false);
  }

  onHead(fields: Fields, stream: RequestStream): void {
    const { on, openedIn } = stream;
    if (openedIn !== on.reads) return this.#reader.head(fields, on.readUs);
    // What had come before the request was written cannot be its answer.
    stream.reset(HTTP2.CANCEL);
    this.#fail({ kind: "mismatched", code: UNASKED_RESPONSE });
  }

  onData(bytes: Buffer, from: number, to: number, { on }: RequestStream): void {
    this.#reader.data(bytes, from, to, on.readUs);
  }

  onEnd(trailers: Fields | undefined, stream: RequestStream): void {
    // The server does not want the rest of the body.
    if (stream.blocked) stream.reset(HTTP2.CANCEL);
    this.#reader.end(trailers, stream.on.readUs);
    this.#endStream();
    this.#onDone(true);
  }

  onLost(loss: StreamLoss, { on }: RequestStream): void {
    if (!wasLeftAlone(loss, on)) {
      const { deadline } = this.#plan.codec;
      const isLate = deadline !== undefined && this.#account.goneMs() >= deadline.ms;
      return this.#fail(failureOf(loss, on, isLate ? deadline.failure : undefined));
    }
    this.#endStream();
    this.#waits = true;
    this.#shared.acquire(this);
  }

  #fail(failure: RequestFailure, connected = true): void {
    this.#account.settleFailure(failure, connected);
    this.#endStream();
    this.#onDone(connected);
  }

  #endStream(): void {
    const stream = this.#stream;
    this.#stream = undefined;
    if (stream !== undefined) this.#shared.done(stream.on, this.#plan.requestsPerConnection > 1);
  }

  /** Waits for nothing any more, and lets the server know that its answer is not waited for. */
  #cancel(): void {
    this.#stream?.reset(HTTP2.CANCEL);
    this.#shared.forget(this);
  }
}

/** The stream of a request. */
class RequestStream extends Http2Stream {
  readonly #line: Http2Line;
  readonly on: LoadConnection;
  /** Which read of the connection was the last when it was opened. */
  readonly openedIn: number;

  constructor(line: Http2Line, on: LoadConnection) {
    super();
    this.#line = line;
    this.on = on;
    this.openedIn = on.reads;
  }

  override onHead(fields: Fields): void {
    this.#line.onHead(fields, this);
  }

  override onData(bytes: Buffer, from: number, to: number): void {
    this.#line.onData(bytes, from, to, this);
    this.consume(to - from);
  }

  override onEnd(trailers: Fields | undefined): void {
    this.#line.onEnd(trailers, this);
  }

  override onDrained(): void {}

  override onLost(loss: StreamLoss): void {
    this.#line.onLost(loss, this);
  }
}

/**
 * Whether a server that ends the connection in order left a request alone, which is then sent again on another. One that dealt
 * with none at all is no such server.
 */
function wasLeftAlone({ kind }: StreamLoss, { goaway }: LoadConnection): boolean {
  return kind === "unprocessed" && goaway?.code === HTTP2.NO_ERROR && goaway.lastStreamId > 0;
}

/** What is known of a connection on which a request ended without a complete answer. */
type LostConnection = Pick<LoadConnection, "goaway" | "hasSettings" | "socketEnd">;

/**
 * Tells what became of a request without a complete answer. What the server said of the request itself counts first (it reset the
 * stream), then what it said as it ended the connection, and then how that ended.
 *
 * @param late what a request beyond its deadline has become, which a server may reset for that.
 */
export function failureOf(
  loss: StreamLoss,
  { goaway, hasSettings, socketEnd }: LostConnection,
  late?: RequestFailure,
): RequestFailure {
  if (loss.kind === "reset") return late ?? resetBy(loss.code);
  if (loss.kind === "malformed") return resetBy(HTTP2.PROTOCOL_ERROR);
  if (goaway !== undefined && goaway.code !== HTTP2.NO_ERROR) {
    return { kind: "resets", code: `GOAWAY_${nameHttp2Error(goaway.code)}` };
  }
  if (loss.kind === "unprocessed") return resetBy(HTTP2.REFUSED_STREAM);
  const { error } = loss;
  if (error instanceof Http2Error) {
    return { kind: "mismatched", code: hasSettings ? `ERR_HTTP2_${nameHttp2Error(error.code)}` : NOT_SPOKEN };
  }
  if (socketEnd !== undefined || error === undefined) return socketEnd ?? { kind: "dropped" };
  const { code = "UNKNOWN" }: NodeJS.ErrnoException = error;
  return { kind: "resets", code };
}

/** A stream against the protocol is an answer that cannot be read, also where it is the server that says so. */
function resetBy(code: number): RequestFailure {
  if (code === HTTP2.NO_ERROR) return { kind: "dropped" };
  return { kind: code === HTTP2.PROTOCOL_ERROR ? "mismatched" : "resets", code: `RST_STREAM_${nameHttp2Error(code)}` };
}
