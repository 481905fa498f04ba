import type { Client, Dispatcher } from "undici";
import { answerHeadersOfBytes } from "../../http/answer-head.js";
import { InvalidAnswerError } from "../../http/invalid-answer-error.js";
import type { ResolvedBackend, ResolvedBackendTls } from "../../options/resolve-options.js";
import { describeError } from "../describe-error.js";
import type { Attempt, AttemptEvents, AttemptRequest, FailureKind, Link, LinkContext } from "../link.js";
import { createConnectionStack, type ConnectionStack } from "./connection-stack.js";
import { trailersOfBytes } from "./trailers.js";

/** A link that speaks to its backend through undici. */
export function createUndiciLink(backend: ResolvedBackend, tls: ResolvedBackendTls, context: LinkContext): Link {
  const connections = createConnectionStack(backend, tls, context.headBytes);
  return {
    send: (request, events) => {
      const attempt = new UndiciAttempt(connections, events, context.ownHeader);
      attempt.begin(request);
      return attempt;
    },
    close: connections.close,
  };
}

/** undici misses the body of a 204 or 304 that tells its length, as a 304 may (RFC 9110, 8.6), and ends the connection. */
const LENGTH_MISMATCH = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";

/**
 * An attempt, which is at the same time what undici calls: its methods of the kind that gives headers as bytes are
 * given one object for each request, and nothing else is made.
 */
class UndiciAttempt implements Attempt {
  readonly #connections: ConnectionStack;
  readonly #ownHeader: string | undefined;
  readonly #client: Client;
  #events: AttemptEvents | undefined;
  #abort: (() => void) | undefined;
  #resume: (() => void) | undefined;
  #invalid: string | undefined;
  #connected = false;
  #hasNoBody = false;
  #completed = false;

  constructor(connections: ConnectionStack, events: AttemptEvents, ownHeader: string | undefined) {
    this.#connections = connections;
    this.#events = events;
    this.#ownHeader = ownHeader;
    this.#client = connections.take();
  }

  begin({ head, path, body }: AttemptRequest): void {
    const options = {
      path,
      method: head.method as Dispatcher.HttpMethod,
      headers: head.headers as string[],
      body: body ?? null,
      // Without this a connection would be closed after each HEAD, and after each GET with a body.
      reset: false,
      // Of no use here, but undici would look for one in the Host of each request.
      servername: "backend",
    };
    try {
      this.#client.dispatch(options, this as unknown as Dispatcher.DispatchHandler);
    } catch (error) {
      this.#connections.discard(this.#client);
      process.nextTick(() => this.#fail("invalid", `cannot be asked: ${describeError(error)}`));
    }
  }

  resume(): void {
    this.#resume?.();
  }

  abandon(): void {
    this.#events = undefined;
    // A connection that is not made yet cannot be told to stop; it goes with its client.
    if (this.#abort === undefined) this.#connections.discard(this.#client);
    else this.#abort();
  }

  onConnect(abort: () => void): void {
    this.#abort = abort;
    this.#connected = true;
    if (this.#events === undefined) abort();
    else this.#events.onConnected();
  }

  onHeaders(status: number, raw: readonly Buffer[], resume: () => void, reason: string): boolean {
    const events = this.#events;
    if (events === undefined) return true;
    this.#resume = resume;
    this.#hasNoBody = status === 204 || status === 304;
    try {
      const headers = answerHeadersOfBytes(raw, this.#ownHeader);
      if (status >= 100 && status < 200) events.onInformation(status, reason, headers);
      else events.onHead(status, reason, headers);
    } catch (error) {
      if (!(error instanceof InvalidAnswerError)) throw error;
      this.#invalid = error.message;
      this.#abort?.();
    }
    return true;
  }

  onData(chunk: Buffer): boolean {
    return this.#events === undefined || this.#events.onData(chunk);
  }

  onComplete(trailers: readonly Buffer[] | null): void {
    const events = this.#events;
    this.#events = undefined;
    this.#completed = true;
    this.#connections.give(this.#client);
    events?.onEnd(trailers === null || trailers.length === 0 ? "" : trailersOfBytes(trailers));
  }

  onError(error: Error): void {
    // The client has been given back then, and may have been taken by another attempt.
    if (this.#completed) return;
    this.#connections.discard(this.#client);
    if (this.#hasNoBody && (error as NodeJS.ErrnoException).code === LENGTH_MISMATCH) {
      this.#end("");
      return;
    }
    if (this.#invalid !== undefined) this.#fail("invalid", `sent an answer that cannot be passed on: ${this.#invalid}`);
    else if (error.name === "HTTPParserError")
      this.#fail("invalid", `sent an answer that is no HTTP: ${error.message}`);
    else this.#fail(this.#connected ? "broken" : "connect", `did not answer: ${describeError(error)}`);
  }

  #end(trailers: string): void {
    const events = this.#events;
    this.#events = undefined;
    events?.onEnd(trailers);
  }

  #fail(kind: FailureKind, reason: string): void {
    const events = this.#events;
    this.#events = undefined;
    events?.onFailed(kind, reason);
  }
}
