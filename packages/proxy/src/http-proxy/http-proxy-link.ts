import { Agent, type ClientRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { Duplex } from "node:stream";
// Before http-proxy, which takes what it replaces.
import { restoreExtend } from "./replace-deprecated-extend.js";
import httpProxy from "http-proxy";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import type { ResolvedBackend, ResolvedBackendTls } from "../options/resolve-options.js";
import { connectBackend, connectedEvent, describeError } from "../pool/connect-backend.js";
import { WireLink } from "../http/backend-connection.js";
import { fieldsOf, headOf, LONG_TRAILERS, trailersOf } from "../http/head-of-fields.js";
import type { HttpContext } from "../http/context.js";
import { type Asker, type Attempt, type Failure, type Link, lossBy, UNASKED_SWITCH } from "../http/link.js";

type Proxy = ReturnType<typeof httpProxy.createProxyServer>;
const NOTHING: Buffer = Buffer.alloc(0);

/** So many pieces of a body Node may keep: it counts their bytes, but not what it needs for each. */
const MOST_PIECES = 64;

restoreExtend();

type Passes = { webPasses: readonly { readonly name: string }[] };

/** A header whose name is a number: Node would send it in front of all others, as JavaScript orders properties. */
const NUMBER_NAME = /\r\n\d+:/;

/**
 * A link that speaks to its backend through http-proxy. It has an http-proxy of its own, which spares http-proxy a copy
 * of all options per request. Upgrades go over the wire: http-proxy would take the client's connection for them. So do
 * requests with a header whose name is a number: the balancer's own lines come first.
 */
export class HttpProxyLink implements Link {
  readonly #context: HttpContext;
  readonly #backend: ResolvedBackend;
  readonly #agent: BackendAgent;
  /** Makes a connection for each request; used for requests that met a connection which had just been closed. */
  readonly #freshAgent: BackendAgent;
  readonly #proxy: Proxy;
  readonly #wire: WireLink;

  constructor(context: HttpContext, backend: ResolvedBackend) {
    const agent = new BackendAgent(backend, context.options.backendTls, true);
    const { hostname, port } = backend;
    const target = { protocol: "http:", hostname, host: hostname, port: String(port) };
    // The balancer passes answers on in the same way for every transport.
    const proxy = httpProxy.createProxyServer({ target, agent, selfHandleResponse: true });
    // It declares a chunked body to be empty, and the backend then takes the body for the next request.
    const steps = proxy as unknown as Passes;
    steps.webPasses = steps.webPasses.filter(({ name }) => name !== "deleteLength");
    // Each attempt listens to its own request; http-proxy's own error would end the process without a listener.
    proxy.on("error", () => undefined);
    proxy.on("proxyRes", (answer, attempt) => (attempt as unknown as HttpProxyAttempt).onResponse(answer));
    this.#context = context;
    this.#backend = backend;
    this.#agent = agent;
    this.#freshAgent = new BackendAgent(backend, context.options.backendTls, false);
    this.#proxy = proxy;
    this.#wire = new WireLink(context, backend);
  }

  send(asker: Asker, head: Buffer, isFresh: boolean): Attempt {
    const text = head.toString("latin1");
    if (asker.upgrade !== "" || NUMBER_NAME.test(text)) return this.#wire.send(asker, head, isFresh);
    const attempt = new HttpProxyAttempt(asker, text, this.#backend, this.#context);
    attempt.begin(this.#proxy, isFresh ? { agent: this.#freshAgent } : undefined);
    return attempt;
  }

  async close(): Promise<void> {
    await Promise.all([this.#agent.close(), this.#freshAgent.close(), this.#wire.close()]);
  }
}

/** Keeps the connections to one backend, and knows no other. */
class BackendAgent extends Agent {
  readonly #backend: ResolvedBackend;
  readonly #tls: ResolvedBackendTls;

  constructor(backend: ResolvedBackend, tls: ResolvedBackendTls, keepAlive: boolean) {
    // Without these limits lifted, requests would queue here, and connections above 256 would be opened for one request
    // each. How many there may be is for the balancer to say.
    super({
      keepAlive,
      maxSockets: Infinity,
      maxFreeSockets: Infinity,
      scheduling: "lifo",
      timeout: BALANCER_DEFAULTS.backendIdleMs,
    });
    this.#backend = backend;
    this.#tls = tls;
  }

  override createConnection(): Duplex {
    return connectBackend(this.#backend, this.#tls, { allowHalfOpen: false });
  }

  /**
   * Watches over a connection that is idle. Node would leave what comes on it where it is, and take it for the
   * answer to the next request.
   */
  override keepSocketAlive(socket: Duplex): void {
    // Its type says that it returns nothing; whether the connection is kept is what it returns.
    const isKept: unknown = super.keepSocketAlive(socket);
    if (isKept === true) socket.on("data", endUnasked).on("end", endUnasked);
    return isKept as void;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    socket.off("data", endUnasked).off("end", endUnasked);
    super.reuseSocket(socket, request);
  }

  /** Ends every connection; resolves when they are closed. */
  async close(): Promise<void> {
    const lists = [...Object.values(this.sockets), ...Object.values(this.freeSockets)];
    const sockets = lists.flatMap((list) => list ?? []);
    const closed = sockets.filter((socket) => !socket.closed).map((socket) => once(socket, "close"));
    this.destroy();
    await Promise.allSettled(closed);
  }
}

function endUnasked(this: Duplex): void {
  // Else it could be used until it tells that it is closed.
  this.emit("agentRemove");
  this.destroy();
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
  /** They are set on the request that it makes: its copy of them would lose one that is called `__proto__`. */
  readonly headers = {};
  readonly headersSent = false;
  readonly finished = false;
  readonly socket = { destroyed: false };
  isConnected = false;
  readonly #path: string;
  readonly #lines: readonly string[];
  readonly #context: HttpContext;
  readonly #connectedEvent: "connect" | "secureConnect";
  #asker: Asker | undefined;
  #forwarded: ClientRequest | undefined;
  #answer: IncomingMessage | undefined;
  #hasAllOfRequest = false;
  /** Whether any byte of an answer has come. */
  #hasAnswered = false;
  /** Pieces of the body that its connection has not taken. */
  #waitingPieces = 0;

  constructor(asker: Asker, head: string, backend: ResolvedBackend, context: HttpContext) {
    const [line = "", ...lines] = head.split("\r\n");
    this.#asker = asker;
    this.#context = context;
    this.#connectedEvent = connectedEvent(backend);
    this.method = asker.method;
    this.#path = line.slice(this.method.length + 1, line.lastIndexOf(" "));
    this.#lines = lines;
  }

  get blocked(): boolean {
    return this.#forwarded?.writableNeedDrain === true || this.#waitingPieces >= MOST_PIECES;
  }

  begin(proxy: Proxy, options: httpProxy.ServerOptions | undefined): void {
    try {
      proxy.web(this as unknown as IncomingMessage, this as unknown as ServerResponse, options);
    } catch (error) {
      process.nextTick(() => this.#fail({ kind: "invalid", what: `cannot be asked: ${describeError(error)}` }));
    }
  }

  /** http-proxy wants to hear of a client that goes away; the balancer tells by `abandon`. */
  on(): this {
    return this;
  }

  /** http-proxy has made its request and wants the body. It tells of no connection where the request has an `Expect`. */
  pipe(forwarded: ClientRequest): ClientRequest {
    const { headBytes } = this.#context.options.limits;
    this.#forwarded = forwarded;
    forwarded.path = this.#path;
    // Node has written it in capitals.
    forwarded.method = this.method;
    // Otherwise Node would leave out what is behind the 2000th header, be it the framing.
    forwarded.maxHeadersCount = 0;
    if (headBytes !== Infinity) (forwarded as HeadLimited).maxHeaderSize = headBytes;
    // Node has named a host by itself.
    forwarded.removeHeader("host");
    for (const line of this.#lines) {
      const colon = line.indexOf(":");
      if (colon > 0) forwarded.appendHeader(line.slice(0, colon), line.slice(colon + 1).trim());
    }
    forwarded.on("socket", () => this.#onSocket(forwarded));
    forwarded.on("error", (error) => this.#onError(error));
    forwarded.on("drain", () => !this.blocked && this.#asker?.onBackendDrained());
    forwarded.on("information", ({ statusCode, statusMessage, rawHeaders }) => {
      this.#onInterim(statusCode, statusMessage, rawHeaders);
    });
    forwarded.on("continue", () => this.#onInterim(100, "Continue", []));
    forwarded.on("close", () => this.#fail(lossBy(undefined, "answering")));
    return forwarded;
  }

  #onInterim(status: number, reason: string, raw: readonly string[]): void {
    const head = this.#readHead(status, reason, raw);
    if (head !== undefined) this.#asker?.interim(this.#context.answerHead, head, head.length);
  }

  #onSocket(forwarded: ClientRequest): void {
    const connected = (): void => {
      this.isConnected = true;
      this.#asker?.onConnected();
    };
    if (forwarded.socket?.connecting === true) forwarded.socket.once(this.#connectedEvent, connected);
    else connected();
  }

  start(first: Buffer | undefined): void {
    if (first !== undefined) this.sendBody(first);
    else if (this.#asker?.hasBody === true) this.#forwarded?.flushHeaders();
  }

  sendBody(piece: Buffer): void {
    this.#waitingPieces += 1;
    this.#forwarded?.write(piece, this.#onPieceTaken);
  }

  readonly #onPieceTaken = (): void => {
    this.#waitingPieces -= 1;
    if (this.#waitingPieces === MOST_PIECES - 1 && !this.blocked) this.#asker?.onBackendDrained();
  };

  endBody(trailers: string): void {
    this.#hasAllOfRequest = true;
    const fields = fieldsOf(trailers);
    const pairs = Array.from({ length: fields.length / 2 }, (_, at) => fields.slice(2 * at, 2 * at + 2));
    if (pairs.length > 0) this.#forwarded?.addTrailers(pairs as [string, string][]);
    this.#forwarded?.end();
  }

  onResponse(answer: IncomingMessage): void {
    this.#answer = answer;
    const { statusCode = 0, statusMessage = "", rawHeaders } = answer;
    if (statusCode === 101) return this.#spoil(UNASKED_SWITCH);
    const head = this.#readHead(statusCode, statusMessage, rawHeaders);
    if (head === undefined) return;
    this.#asker?.openAnswer(this.#context.answerHead, head, head.length, undefined);
    // Mostly the whole answer comes in one piece, and is then sent in one.
    process.nextTick(() => this.#asker?.write(NOTHING));
    answer.on("data", (piece: Buffer) => {
      const asker = this.#asker;
      if (asker === undefined) return;
      asker.bodyBytes += piece.length;
      if (!asker.write(piece)) answer.pause();
    });
    answer.on("end", () => {
      if (!answer.complete) return;
      const trailers = trailersOf(answer.rawTrailers);
      if (trailers === undefined) {
        return this.#fail({ kind: "invalid", what: `sent an answer whose body cannot be read: ${LONG_TRAILERS}.` });
      }
      const asker = this.#asker;
      this.#asker = undefined;
      asker?.endAnswer(trailers, false, this.#hasAllOfRequest);
    });
    answer.on("error", (error) => this.#onError(error));
  }

  /** Puts a head together again as it came, and has it read by the same rules as any other; `undefined` if it is refused. */
  #readHead(status: number, reason: string, raw: readonly string[]): Buffer | undefined {
    const { answerHead } = this.#context;
    const bytes = headOf(`HTTP/1.1 ${status} ${reason}`, raw);
    const end = answerHead.scan(bytes, 0, bytes.length);
    this.#hasAnswered = true;
    if (end > 0) return bytes.subarray(0, end);
    this.#spoil({ kind: "invalid", what: `sent an answer ${end < 0 ? answerHead.reason : "that is no HTTP"}.` });
    return undefined;
  }

  resume(): void {
    this.#answer?.resume();
  }

  release(keep: boolean): void {
    if (!keep) this.#destroy();
  }

  abandon(): void {
    this.#asker = undefined;
    this.#destroy();
  }

  end(): void {}

  #onError(error: NodeJS.ErrnoException): void {
    if (error.code?.startsWith("HPE_") === true) {
      return this.#fail({ kind: "invalid", what: `sent an answer that is no HTTP: ${error.message}` });
    }
    const isConnected = this.isConnected && error.syscall !== "connect";
    const isStale = this.#forwarded?.reusedSocket === true && !this.#hasAnswered;
    this.#fail(lossBy(error, !isConnected ? "connecting" : isStale ? "kept" : "asked"));
  }

  #destroy(): void {
    this.#forwarded?.destroy();
    // An answer that is not read keeps its connection.
    this.#answer?.destroy();
  }

  #fail(failure: Failure): void {
    const asker = this.#asker;
    this.#asker = undefined;
    asker?.lose(failure);
  }

  #spoil(failure: Failure): void {
    this.#fail(failure);
    this.#destroy();
  }
}
