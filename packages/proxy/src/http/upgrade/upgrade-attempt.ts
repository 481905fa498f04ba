import { request as sendRequest, type ClientRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { ResolvedBackend, ResolvedBackendTls } from "../../options/resolve-options.js";
import { connectBackend, connectedEvent } from "../../transports/connect-backend.js";
import { describeError } from "../../transports/describe-error.js";
import { headerObject } from "../../transports/http-proxy/header-object.js";
import type { FailureKind } from "../../transports/link.js";
import type { RequestHead } from "../request-head.js";

/** What is asked of a backend. */
interface UpgradeRequest {
  readonly head: RequestHead;
  /** What the client has asked for in `Upgrade`. */
  readonly protocol: string;
  /** Size of the answer's head in bytes. */
  readonly headBytes: number;
}

/** What is told of an attempt: either it has failed, or there is an answer. Nothing is told after it was abandoned. */
export interface UpgradeEvents {
  readonly onConnected: () => void;
  /** An answer before the answer, such as 103. */
  readonly onInformation: (status: number, reason: string, rawHeaders: readonly string[]) => void;
  /** The backend has agreed; `first` is what it has sent behind its answer. The connection is the caller's now. */
  readonly onAgreed: (answer: IncomingMessage, backend: Socket, first: Buffer) => void;
  /** The backend has answered otherwise. The answer's body is still to be read. */
  readonly onRefused: (answer: IncomingMessage) => void;
  readonly onFailed: (kind: FailureKind, reason: string) => void;
}

/**
 * Asks a backend for another protocol, on a connection of its own: the same for every transport, none of which keeps
 * such a connection. Returns what gives the attempt up. Nothing is told before it returns.
 */
export function attemptUpgrade(
  backend: ResolvedBackend,
  tls: ResolvedBackendTls,
  { head, protocol, headBytes }: UpgradeRequest,
  events: UpgradeEvents,
): () => void {
  let over = false;
  let connected = false;
  const socket = connectBackend(backend, tls);

  function fail(kind: FailureKind, reason: string): void {
    if (over) return;
    over = true;
    socket.destroy();
    events.onFailed(kind, reason);
  }

  socket.once(connectedEvent(backend), () => {
    if (over) return;
    connected = true;
    events.onConnected();
  });
  // As long as the request has not taken the connection over, and once it has let it go.
  socket.on("error", (error) => fail(connected ? "broken" : "connect", `did not answer: ${describeError(error)}`));

  let forwarded: ClientRequest;
  try {
    forwarded = sendRequest({
      createConnection: () => socket,
      method: head.method,
      headers: headerObject([...head.headers, "Connection", "Upgrade", "Upgrade", protocol]),
      setHost: false,
      ...(Number.isFinite(headBytes) && headBytes > 0 ? { maxHeaderSize: headBytes } : {}),
    });
  } catch (error) {
    process.nextTick(() => fail("invalid", `cannot be asked: ${describeError(error)}`));
    return () => void (over = true);
  }
  // Node refuses some paths that may be passed on, and would say so by throwing.
  forwarded.path = backend.basePath + head.path;
  forwarded.on("information", (info: { statusCode: number; statusMessage: string; rawHeaders: string[] }) => {
    if (!over && info.statusCode !== 100) events.onInformation(info.statusCode, info.statusMessage, info.rawHeaders);
  });
  forwarded.on("upgrade", (answer: IncomingMessage, agreed: Socket, first: Buffer) => {
    if (over) return;
    over = true;
    events.onAgreed(answer, agreed, first);
  });
  forwarded.on("response", (answer: IncomingMessage) => {
    if (over) return;
    if (answer.statusCode === 101) {
      fail("invalid", "sent an answer that cannot be passed on: it agrees to an upgrade, but does not say to what.");
      return;
    }
    over = true;
    events.onRefused(answer);
  });
  forwarded.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code?.startsWith("HPE_") === true) fail("invalid", `sent an answer that is no HTTP: ${error.message}`);
    else fail(connected ? "broken" : "connect", `did not answer: ${describeError(error)}`);
  });
  forwarded.on("close", () => fail("broken", "closed the connection before its answer was complete."));
  forwarded.end();
  return () => {
    over = true;
    forwarded.destroy();
    socket.destroy();
  };
}
