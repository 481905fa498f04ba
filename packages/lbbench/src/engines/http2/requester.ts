import {
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from "node:http2";
import { Readable } from "node:stream";
import type { LoadRun } from "../load-run.js";
import {
  requestersBy,
  type CreateRequester,
  type Line,
  type LinePlan,
  type RequestAccount,
  type RequestFailure,
} from "../requester.js";
import type { PlannedRequest } from "../requests.js";
import { classifyFailure, NOT_SPOKEN } from "./failure.js";
import { SharedConnection, type Http2Connection, type Waiter } from "./connection.js";
import { http2Request, type Http2Request } from "./request.js";

const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;

/**
 * Returns what creates requesters over HTTP/2. Each request is a stream of a connection that others may share. One that the server
 * left alone when it ended a connection in order is sent again on the next one; its time goes on.
 *
 * @param connectionOf which connection a requester shares, by its number from 0.
 */
export function http2Requesters(
  run: LoadRun,
  plan: LinePlan,
  connectionOf: (requester: number) => number,
): CreateRequester {
  const requests = new Map<PlannedRequest, Http2Request>();
  const requestOf = (picked: PlannedRequest): Http2Request => {
    const request = requests.get(picked) ?? http2Request(picked.url, picked.request);
    requests.set(picked, request);
    return request;
  };
  const connections: SharedConnection[] = [];
  let created = 0;
  return requestersBy(run, plan, (account, onDone) => {
    const shared = (connections[connectionOf(created)] ??= new SharedConnection(run, plan));
    created += 1;
    shared.join();
    return createLine(account, plan, requestOf, shared, onDone);
  });
}

function createLine(
  account: RequestAccount,
  { keepAlive, timeoutMs }: LinePlan,
  requestOf: (picked: PlannedRequest) => Http2Request,
  shared: SharedConnection,
  onDone: (connected: boolean) => void,
): Line {
  /** Whether the request had to wait for a connection. */
  let waits = false;
  let connection: Http2Connection | undefined;
  let stream: ClientHttp2Stream | undefined;

  const endStream = (): void => {
    const used = connection;
    stream = undefined;
    connection = undefined;
    if (used !== undefined) shared.done(used, keepAlive);
  };
  const settleFailure = (failure: RequestFailure, connected = true): void => {
    account.settleFailure(failure, connected);
    endStream();
    onDone(connected);
  };
  const onReady = (ready: Http2Connection, session: ClientHttp2Session): void => {
    if (waits) account.waited(account.goneMs() * 1000);
    account.written();
    const { headers, body } = requestOf(account.picked);
    const writtenBefore = ready.socket.bytesWritten;
    /** Whether the server has ended the answer. */
    let complete = false;
    let error: NodeJS.ErrnoException | undefined;
    const opened = session.request(headers, { endStream: body === null });
    stream = opened;
    connection = ready;
    // Of streams that were given up something may still come.
    const isCurrent = (): boolean => opened === stream;
    // Node tells the end that the server made before it takes the stream for closed, and any other end after that.
    opened.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (chunk === null && !opened.closed) complete = true;
      return Readable.prototype.push.call(opened, chunk, encoding);
    };
    const onHead = (head: IncomingHttpHeaders & IncomingHttpStatusHeader): void => {
      if (!isCurrent()) return;
      account.startsAnswer();
      account.head(head[":status"] ?? 0);
    };
    opened.on("headers", onHead).on("response", onHead);
    opened.on("data", (chunk: Buffer) => {
      if (isCurrent()) account.body(chunk);
    });
    opened.on("error", (reason) => (error = reason));
    opened.on("end", () => {
      if (!isCurrent() || !complete) return;
      // The server does not want the rest of the body.
      if (body !== null && !opened.writableFinished) opened.close(NGHTTP2_CANCEL);
      account.settleAnswer();
      endStream();
      onDone(true);
    });
    opened.on("close", () => {
      if (!isCurrent()) return;
      if (wasLeftAlone(opened, ready)) {
        endStream();
        waits = true;
        return shared.acquire(waiter);
      }
      // Node refuses a stream by itself, and sends nothing, where it could not read what the server said.
      const isOfNode = opened.rstCode === NGHTTP2_REFUSED_STREAM && ready.socket.bytesWritten === writtenBefore;
      if (isOfNode) shared.retire(ready);
      settleFailure(isOfNode ? NOT_SPOKEN : classifyFailure(error, ready, opened.rstCode));
    });
    if (body !== null) opened.end(body);
  };
  const waiter: Waiter = { onReady, onRefused: (code) => settleFailure({ kind: "connectErrors", code }, false) };
  /** Waits for nothing any more, and lets the server know that nobody waits for its answer. */
  const cancel = (): void => {
    const left = stream;
    stream = undefined;
    left?.close(NGHTTP2_CANCEL);
    shared.forget(waiter);
  };
  return {
    send: () => {
      waits = false;
      shared.acquire(waiter);
      waits = true;
    },
    giveUp: () => {
      const connected = stream !== undefined || shared.isConnected();
      if (connection !== undefined) shared.askForLife(connection, timeoutMs);
      cancel();
      settleFailure({ kind: "timedOut" }, connected);
    },
    close: () => {
      cancel();
      endStream();
      return shared.release();
    },
  };
}

/**
 * Whether a server that ends the connection in order left a request alone, which is then sent again on another. One that dealt
 * with none at all is no such server.
 */
function wasLeftAlone({ rstCode, id = Infinity }: ClientHttp2Stream, { goaway }: Http2Connection): boolean {
  if (rstCode !== NGHTTP2_REFUSED_STREAM || goaway?.code !== NGHTTP2_NO_ERROR) return false;
  return goaway.lastStreamId > 0 && id > goaway.lastStreamId;
}
