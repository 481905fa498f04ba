import { constants, type ClientHttp2Stream, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from "node:http2";
import { Readable } from "node:stream";
import type { LoadRun } from "../../load-run.js";
import { matchBody } from "../../match-body.js";
import { watchTime } from "../../watch-time.js";
import type { RequestFailure } from "../classify-failure.js";
import type { Requester, RequesterPlan } from "../requester.js";
import { classifyStream, wasLeftAlone } from "./classify-stream.js";
import type { Http2Request } from "./http2-request.js";
import type { Http2Connection } from "./open-connection.js";
import type { SharedConnection, Waiter } from "./shared-connection.js";

/** What a requester sends, and over which connection. */
export interface Http2Plan extends Pick<RequesterPlan, "mix" | "keepAlive" | "timeoutMs"> {
  /** How a request is given to Node. */
  readonly requestOf: (picked: RequesterPlan["mix"]["first"]) => Http2Request;
  readonly shared: SharedConnection;
}

/**
 * Creates a requester over HTTP/2: each of its requests is a stream of a connection that others may share. Nothing is
 * opened before the first request.
 *
 * A request that the server left alone when it ended a connection in order is sent again on the next one; its time goes on.
 *
 * @param onDone called when a request has its outcome; `connected` says whether it had a connection.
 */
export function createHttp2Requester(run: LoadRun, plan: Http2Plan, onDone: (connected: boolean) => void): Requester {
  const { recorder } = run;
  const { shared, keepAlive } = plan;
  const body = matchBody();
  let picked = plan.mix.first;
  /** When the request left that has no outcome, and from when it counts; `null` without one. */
  let leftUs: number | null = null;
  let sinceUs = 0;
  /** Whether it had to wait for a connection. */
  let waits = false;
  let connectUs = 0;
  let writtenUs = 0;
  let firstByteUs: number | null = null;
  let status = 0;
  let connection: Http2Connection | undefined;
  let stream: ClientHttp2Stream | undefined;
  /** Whether the server has ended the answer. */
  let complete = false;
  let error: NodeJS.ErrnoException | undefined;
  let closing: Promise<void> | undefined;

  const endStream = (): void => {
    const used = connection;
    stream = undefined;
    connection = undefined;
    if (used === undefined) return;
    shared.done(used);
    if (!keepAlive) shared.retire(used);
  };
  const settle = (connected: boolean): void => {
    leftUs = null;
    endStream();
    onDone(connected);
  };
  const settleAnswer = (nowUs: number): void => {
    run.sawLife();
    if (!picked.isExpected(status)) recorder.failed("non2xx", sinceUs, nowUs, { status }, picked.entry);
    else if (!body.matches()) recorder.failed("mismatched", sinceUs, nowUs, { status }, picked.entry);
    else {
      recorder.ok(sinceUs, nowUs, status, picked.entry);
      recorder.phases(connectUs, nowUs - writtenUs, (firstByteUs ?? nowUs) - writtenUs);
    }
    settle(true);
  };
  const settleFailure = ({ kind, ...why }: RequestFailure, connected = true): void => {
    if (!connected) run.sawNoConnection();
    recorder.failed(kind, sinceUs, run.nowUs(), why, picked.entry);
    settle(connected);
  };

  // Of streams that were given up something may still come: only what is of the present one counts.
  function push(this: ClientHttp2Stream, chunk: unknown, encoding?: BufferEncoding): boolean {
    // Node tells the end that the server made before it takes the stream for closed, and any other end after that.
    if (this === stream && chunk === null && !this.closed) complete = true;
    return Readable.prototype.push.call(this, chunk, encoding);
  }
  function onHead(this: ClientHttp2Stream, headers: IncomingHttpHeaders & IncomingHttpStatusHeader): void {
    if (this !== stream) return;
    firstByteUs ??= run.nowUs();
    status = headers[":status"] ?? 0;
  }
  function onData(this: ClientHttp2Stream, chunk: Buffer): void {
    if (this !== stream) return;
    recorder.body(chunk.length);
    body.add(chunk, 0, chunk.length);
  }
  function onEnd(this: ClientHttp2Stream): void {
    if (this !== stream || !complete) return;
    // The server does not want the rest of the body.
    if (!this.writableFinished && plan.requestOf(picked).body !== null) this.close(constants.NGHTTP2_CANCEL);
    settleAnswer(run.nowUs());
  }
  function onError(this: ClientHttp2Stream, reason: Error): void {
    if (this === stream) error = reason;
  }
  function onClose(this: ClientHttp2Stream): void {
    if (this !== stream || connection === undefined) return;
    const end = { rstCode: this.rstCode, error };
    if (!wasLeftAlone(end, this.id ?? Infinity, connection)) return settleFailure(classifyStream(end, connection));
    endStream();
    waits = true;
    shared.acquire(waiter);
  }

  const waiter: Waiter = {
    onReady: (ready) => {
      const session = ready.session;
      if (leftUs === null || session === undefined) return;
      writtenUs = run.nowUs();
      connectUs = waits ? writtenUs - leftUs : 0;
      connection = ready;
      complete = false;
      error = undefined;
      const { headers, body: content } = plan.requestOf(picked);
      const opened = session.request(headers, { endStream: content === null });
      stream = opened;
      opened.push = push;
      opened.on("headers", onHead).on("response", onHead).on("data", onData);
      opened.on("end", onEnd).on("error", onError).on("close", onClose);
      if (content !== null) opened.end(content);
    },
    onRefused: (code) => {
      if (leftUs !== null) settleFailure({ kind: "connectErrors", code }, false);
    },
  };
  /** Lets the server know that nobody waits for the answer. */
  const cancel = (): void => {
    const left = stream;
    stream = undefined;
    left?.close(constants.NGHTTP2_CANCEL);
  };
  /** One that does not answer in time may be dead, which is seen when it does not answer a ping either. */
  const askForLife = (silent: Http2Connection): void => {
    const nowUs = run.nowUs();
    if (silent.session === undefined || silent.session.destroyed) return;
    if (silent.askedUs === undefined) {
      silent.askedUs = nowUs;
      silent.session.ping((failed) => {
        if (failed === null) silent.askedUs = undefined;
      });
    } else if (nowUs - silent.askedUs >= plan.timeoutMs * 1000) shared.retire(silent);
  };
  const giveUp = (): void => {
    if (leftUs === null) return;
    const connected = stream !== undefined || shared.isConnected();
    cancel();
    if (connection !== undefined) askForLife(connection);
    shared.forget(waiter);
    settleFailure({ kind: "timedOut" }, connected);
  };
  const watch = watchTime(plan.timeoutMs, () => (leftUs === null ? 0 : (run.nowUs() - leftUs) / 1000), giveUp);
  const close = (): Promise<void> => {
    closing ??= leave();
    return closing;
  };
  const leave = (): Promise<void> => {
    leftUs = null;
    watch.stop();
    shared.forget(waiter);
    cancel();
    endStream();
    return shared.release();
  };
  shared.join();
  return {
    send: (dueUs) => {
      picked = plan.mix.pick();
      leftUs = run.nowUs();
      sinceUs = dueUs ?? leftUs;
      firstByteUs = null;
      status = 0;
      body.start(picked.expectBody);
      recorder.sent(leftUs, picked.entry);
      if (dueUs !== undefined) recorder.late(leftUs - dueUs);
      waits = false;
      shared.acquire(waiter);
      waits = true;
    },
    cut: () => {
      const left = leftUs === null ? 0 : 1;
      void close();
      return left;
    },
    close,
  };
}
