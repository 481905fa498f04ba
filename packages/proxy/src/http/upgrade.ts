import { request as sendRequest, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Socket } from "node:net";
import { STATUS_CODES } from "node:http";
import type { Link } from "../transports/link.js";
import type { Upstream } from "../pool/upstream.js";
import { connectBackend } from "../transports/connect-backend.js";
import { describeError } from "../transports/describe-error.js";
import { headerObject } from "../transports/http-proxy/header-object.js";
import { answerHeadersOfTexts, statusLine } from "./answer-head.js";
import { ClientAnswer } from "./client-answer.js";
import type { HttpContext } from "./http-context.js";
import { InvalidAnswerError } from "./invalid-answer-error.js";
import { refuseConnection } from "./refuse-connection.js";
import { readRequestHead, type RequestHead } from "./request-head.js";

/**
 * Passes a request for another protocol (a WebSocket, say) on, and then whatever goes over the connection, in both
 * directions. The same for every transport: none of them keeps such a connection.
 *
 * `h2c` is not passed on: a backend that speaks it would take requests that the balancer does not see. Such a request is
 * answered as if it had not asked, as RFC 9110, 7.8 allows; `handle` does that.
 */
export function relayUpgrade(
  context: HttpContext,
  request: IncomingMessage,
  client: Duplex,
  early: Buffer,
  handle: (request: IncomingMessage, answer: ClientAnswer) => void,
): void {
  client.on("error", () => undefined);
  const head = readRequestHead(request, context.headOptions);
  if ("status" in head) {
    context.onRefused(refuseConnection(client, head.status) ?? head.status);
    return;
  }
  const protocol = request.headers.upgrade ?? "";
  if (head.body !== "none") {
    context.onRefused(refuseConnection(client, 400) ?? 400);
    return;
  }
  if (/(?:^|[\s,])h2c?(?:$|[\s,/])/i.test(protocol)) {
    answerPlainly(request, client as Socket, handle);
    return;
  }
  const upstream = context.pool.pick(request);
  if (upstream === undefined) {
    context.onRefused(refuseConnection(client, 503) ?? 503);
    return;
  }
  new Upgrade(context, upstream, client).begin(request, head, protocol, early);
}

function answerPlainly(
  request: IncomingMessage,
  socket: Socket,
  handle: (request: IncomingMessage, answer: ClientAnswer) => void,
): void {
  const answer = new ClientAnswer(request);
  answer.shouldKeepAlive = false;
  answer.assignSocket(socket);
  answer.once("finish", () => socket.end());
  handle(request, answer);
}

/** A connection that is to be upgraded, from the request until both sides have ended. */
class Upgrade {
  readonly #context: HttpContext;
  readonly #upstream: Upstream<Link>;
  readonly #client: Duplex;
  readonly #startedMs = performance.now();
  #settled = false;

  constructor(context: HttpContext, upstream: Upstream<Link>, client: Duplex) {
    this.#context = context;
    this.#upstream = upstream;
    this.#client = client;
    upstream.begin(false);
  }

  begin(request: IncomingMessage, head: RequestHead, protocol: string, early: Buffer): void {
    const { timeouts, backendTls } = this.#context.options;
    const { backend } = this.#upstream;
    const headers = headerObject([...head.headers, "Connection", "Upgrade", "Upgrade", protocol]);
    const forwarded = sendRequest({
      createConnection: () => connectBackend(backend, backendTls),
      agent: false,
      method: head.method,
      path: "/",
      headers,
    });
    // Node refuses some paths that may be passed on, and would say so by throwing.
    forwarded.path = backend.basePath + head.path;
    const timer = setTimeout(() => {
      this.#fail(504, "did not answer in time");
      forwarded.destroy();
    }, Math.min(timeouts.connectMs + timeouts.responseMs, 2 ** 31 - 1));
    this.#client.once("close", () => {
      clearTimeout(timer);
      forwarded.destroy();
      this.#settle("aborted");
    });
    forwarded.on("error", (error) => {
      clearTimeout(timer);
      this.#fail(502, describeError(error));
    });
    forwarded.on("upgrade", (answer: IncomingMessage, server: Socket, first: Buffer) => {
      clearTimeout(timer);
      this.#relay(answer, server, first, early);
    });
    forwarded.on("response", (answer: IncomingMessage) => {
      clearTimeout(timer);
      this.#passOn(answer);
    });
    forwarded.end();
  }

  /** The backend has agreed: from here on bytes are passed on as they come. */
  #relay(answer: IncomingMessage, server: Socket, first: Buffer, early: Buffer): void {
    server.on("error", () => this.#client.destroy());
    const head = this.#headOf(answer, [`Connection: Upgrade`, `Upgrade: ${answer.headers.upgrade ?? ""}`]);
    if (head === undefined) {
      server.destroy();
      return;
    }
    this.#context.pool.succeeded(this.#upstream);
    server.setNoDelay(true);
    server.setTimeout(0);
    this.#client.write(head, "latin1");
    if (first.length > 0) this.#client.write(first);
    if (early.length > 0) server.write(early);
    this.#client.pipe(server);
    server.pipe(this.#client);
    this.#client.once("close", () => server.destroy());
    server.once("close", () => {
      this.#settle("answered", 101);
      this.#client.end();
    });
  }

  /** The backend has refused, with an answer of its own. */
  #passOn(answer: IncomingMessage): void {
    const head = this.#headOf(answer, ["Connection: close"]);
    if (head === undefined) {
      answer.destroy();
      return;
    }
    this.#context.pool.succeeded(this.#upstream);
    this.#client.write(head, "latin1");
    answer.pipe(this.#client);
    answer.on("error", () => this.#client.destroy());
    answer.on("end", () => this.#settle(answer.complete ? "answered" : "failed", answer.statusCode));
  }

  #headOf(answer: IncomingMessage, more: readonly string[]): string | undefined {
    try {
      const { lines, length } = answerHeadersOfTexts(answer.rawHeaders, undefined);
      const status = answer.statusCode ?? 0;
      const framing = length === undefined ? [] : [`Content-Length: ${length}`];
      return statusLine(status, answer.statusMessage ?? "") + lines + [...framing, ...more, "", ""].join("\r\n");
    } catch (error) {
      if (!(error instanceof InvalidAnswerError)) throw error;
      this.#fail(502, error.message);
      return undefined;
    }
  }

  #fail(status: number, _reason: string): void {
    if (this.#settled) return;
    this.#context.pool.failed(this.#upstream);
    this.#settle("failed");
    if (this.#client.writable) {
      this.#client.end(
        `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      );
    } else this.#client.destroy();
  }

  #settle(how: "answered" | "failed" | "aborted", status = 0): void {
    if (this.#settled) return;
    this.#settled = true;
    if (how === "answered") this.#upstream.endAnswered(status, performance.now() - this.#startedMs);
    else if (how === "failed") this.#upstream.endFailed();
    else this.#upstream.endAborted();
  }
}
