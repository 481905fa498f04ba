import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { answerHeadersOfTexts } from "../../http/answer-head.js";
import { InvalidAnswerError } from "../../http/invalid-answer-error.js";
import { trailerLines } from "../../http/trailers.js";
import type { ResolvedBackend, ResolvedBackendTls } from "../../options/resolve-options.js";
import { connectedEvent } from "../connect-backend.js";
import { describeError } from "../describe-error.js";
import type { Attempt, AttemptEvents, AttemptRequest, FailureKind, Link, LinkContext } from "../link.js";
import { BackendAgent } from "./backend-agent.js";
import { headerObject } from "./header-object.js";
import { httpProxy } from "./http-proxy.js";
import { withoutPass } from "./without-pass.js";

type Proxy = ReturnType<typeof httpProxy.createProxyServer>;

/**
 * A link that speaks to its backend through http-proxy. It has an http-proxy of its own, which spares http-proxy a copy
 * of all options per request.
 */
export function createHttpProxyLink(backend: ResolvedBackend, tls: ResolvedBackendTls, context: LinkContext): Link {
  const agent = new BackendAgent(backend, tls);
  const proxy = httpProxy.createProxyServer({
    target: { protocol: "http:", hostname: backend.hostname, host: backend.hostname, port: String(backend.port) },
    agent,
    // The balancer passes answers on in the same way for every transport.
    selfHandleResponse: true,
  });
  // It declares a chunked body to be empty, and the backend then takes the body for the next request.
  withoutPass(proxy, "deleteLength");
  // Each attempt listens to its own request; http-proxy's own error would end the process if nobody took it.
  proxy.on("error", () => undefined);
  proxy.on("proxyReq", (forwarded, attempt) => attemptOf(attempt).onSocket(forwarded));
  proxy.on("proxyRes", (answer, attempt) => attemptOf(attempt).onResponse(answer));
  return {
    send: (request, events) => {
      const attempt = new HttpProxyAttempt(events, request, backend, context);
      attempt.begin(proxy);
      return attempt;
    },
    close: () => agent.close(),
  };
}

function attemptOf(attempt: unknown): HttpProxyAttempt {
  return attempt as HttpProxyAttempt;
}

/** Node reads it when the request gets its connection; http-proxy does not pass it on. */
type HeadLimited = ClientRequest & { maxHeaderSize?: number };

/**
 * An attempt, which http-proxy takes for the client's request and for the response to it: it reads a method, a URL and
 * headers from the one and looks into the other whether it is still open.
 */
class HttpProxyAttempt implements Attempt {
  readonly method: string;
  /** http-proxy would collapse repeated slashes; the true path is set on the request that it makes. */
  readonly url = "/";
  readonly headers: Record<string, string | string[]>;
  readonly headersSent = false;
  readonly finished = false;
  readonly socket = { destroyed: false };
  readonly #request: AttemptRequest;
  readonly #context: LinkContext;
  readonly #connectedEvent: "connect" | "secureConnect";
  #events: AttemptEvents | undefined;
  #forwarded: ClientRequest | undefined;
  #answer: IncomingMessage | undefined;

  constructor(events: AttemptEvents, request: AttemptRequest, backend: ResolvedBackend, context: LinkContext) {
    this.#events = events;
    this.#request = request;
    this.#context = context;
    this.#connectedEvent = connectedEvent(backend);
    this.method = request.head.method;
    this.headers = headerObject(request.head.headers);
    if (request.body instanceof Readable && request.head.body === "chunked") {
      this.headers["Transfer-Encoding"] = "chunked";
    }
  }

  begin(proxy: Proxy): void {
    try {
      proxy.web(this as unknown as IncomingMessage, this as unknown as ServerResponse);
    } catch (error) {
      process.nextTick(() => this.#fail("invalid", `cannot be asked: ${describeError(error)}`));
    }
  }

  /** http-proxy wants to hear of a client that goes away; the balancer tells by `abandon`. */
  on(): this {
    return this;
  }

  /** http-proxy has made its request and wants the body. */
  pipe(forwarded: ClientRequest): ClientRequest {
    this.#forwarded = forwarded;
    forwarded.path = this.#request.path;
    // Otherwise Node would leave out what is behind the 2000th header, be it the framing.
    forwarded.maxHeadersCount = 0;
    if (this.#context.headBytes !== Infinity) (forwarded as HeadLimited).maxHeaderSize = this.#context.headBytes;
    // http-proxy's copy of the headers loses it.
    if (Object.hasOwn(this.headers, "__proto__")) forwarded.setHeader("__proto__", this.headers["__proto__"] ?? "");
    forwarded.on("error", (error) => this.#onError(error));
    forwarded.on("information", (info: { statusCode: number; statusMessage: string; rawHeaders: string[] }) => {
      if (info.statusCode !== 100) this.#tellHead(info.statusCode, info.statusMessage, info.rawHeaders);
    });
    forwarded.on("close", () => this.#fail("broken", "closed the connection before its answer was complete."));
    const { body } = this.#request;
    if (body instanceof Readable) body.pipe(forwarded);
    else forwarded.end(body);
    return forwarded;
  }

  onSocket(forwarded: ClientRequest): void {
    const connected = (): void => this.#events?.onConnected();
    if (forwarded.socket?.connecting === true) forwarded.socket.once(this.#connectedEvent, connected);
    else connected();
  }

  onResponse(answer: IncomingMessage): void {
    if (this.#events === undefined) return;
    this.#answer = answer;
    if (!this.#tellHead(answer.statusCode ?? 0, answer.statusMessage ?? "", answer.rawHeaders)) return;
    answer.on("data", (chunk: Buffer) => {
      if (this.#events?.onData(chunk) === false) answer.pause();
    });
    answer.on("end", () => {
      if (!answer.complete) return;
      const events = this.#events;
      this.#events = undefined;
      // A backend that has answered before it had the whole request may still wait for the rest of it.
      if (this.#forwarded?.writableFinished === false) this.#forwarded.destroy();
      events?.onEnd(trailerLines(answer.rawTrailers));
    });
    answer.on("error", (error) => this.#onError(error));
  }

  resume(): void {
    this.#answer?.resume();
  }

  abandon(): void {
    this.#events = undefined;
    this.#destroy();
  }

  #tellHead(status: number, reason: string, raw: readonly string[]): boolean {
    const events = this.#events;
    if (events === undefined) return false;
    try {
      const headers = answerHeadersOfTexts(raw, this.#context.ownHeader);
      if (status >= 100 && status < 200) events.onInformation(status, reason, headers);
      else events.onHead(status, reason, headers);
      return true;
    } catch (error) {
      if (!(error instanceof InvalidAnswerError)) throw error;
      this.#fail("invalid", `sent an answer that cannot be passed on: ${error.message}`);
      this.#destroy();
      return false;
    }
  }

  #onError(error: NodeJS.ErrnoException): void {
    const isConnected = this.#forwarded?.socket?.connecting === false && error.syscall !== "connect";
    if (error.code?.startsWith("HPE_") === true) {
      this.#fail("invalid", `sent an answer that is no HTTP: ${error.message}`);
    } else {
      this.#fail(isConnected ? "broken" : "connect", `did not answer: ${describeError(error)}`);
    }
  }

  #destroy(): void {
    this.#forwarded?.destroy();
    // An answer that nobody reads keeps its connection.
    this.#answer?.destroy();
  }

  #fail(kind: FailureKind, reason: string): void {
    const events = this.#events;
    this.#events = undefined;
    events?.onFailed(kind, reason);
  }
}
