import type { ResolvedBackend, ResolvedBackendTls } from "../options/resolve-options.js";
import { connectBackend, connectedEvent, describeError, shortageIn } from "../pool/connect-backend.js";
import { pause, startTimer } from "../start-timer.js";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { ClientHttp2Stream, IncomingHttpHeaders, IncomingHttpStatusHeader } from "node:http2";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { finished } from "node:stream/promises";

/** The largest part of the interval that is left out, so that checks spread out over time. */
const JITTER = 0.1;

/**
 * Checks at once, and then again and again, never twice at a time. `check` rejects when all is not well, and soon after its
 * signal is aborted; `onChecked` is told of each check that came to its end. One that this machine was too short of
 * something to make says nothing of the backend: `onShortage` is told the system's code in place of it. `intervalMs` is from the beginning of one to
 * that of the next. What is returned ends that, also the check under way, and resolves when it has ended. Keeps no process
 * alive.
 */
export function keepChecking(
  intervalMs: number,
  check: (signal: AbortSignal) => Promise<void>,
  onShortage: (code: string) => void,
  onChecked: (isWell: boolean) => void,
): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const dueMs = performance.now() + intervalMs * (1 - JITTER * Math.random());
      const error: unknown = await check(signal).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (signal.aborted) return;
      const shortage = shortageIn(error);
      if (shortage === undefined) onChecked(error === undefined);
      else onShortage(shortage);
      await pause(Math.max(dueMs - performance.now(), 0), signal);
    }
  };
  const ended = run();
  return () => {
    stop.abort();
    return ended;
  };
}

/** How a backend is checked. */
export interface CheckOptions {
  /** `http` asks for `path`; `tcp` is content with a connection. */
  readonly mode: "http" | "tcp";
  /** Put behind the path in the backend's URL. */
  readonly path: string;
  /** Name of the gRPC service that is asked about in place of that; "" for the server as a whole. */
  readonly grpc: string | false;
  /** For the whole check. */
  readonly timeoutMs: number;
  readonly tls: ResolvedBackendTls;
}

/**
 * Asks a backend once whether it is well. In mode `http` it is when a complete answer with a status of 200 to 399 comes
 * in time (redirections are not followed), or, if asked by gRPC, SERVING; in mode `tcp` when it accepts a connection. It is asked
 * in the version of HTTP that requests are sent in. Rejects with what is wrong, also when
 * the signal is aborted. Settles when the connection that it took is closed.
 */
export async function checkBackend(
  backend: ResolvedBackend,
  { mode, path, grpc, timeoutMs, tls }: CheckOptions,
  signal: AbortSignal,
): Promise<void> {
  // A connection of its own: one that was kept would not show that the backend still accepts them.
  const socket = connectBackend(backend, tls, { allowHalfOpen: false, protocols: PROTOCOLS[backend.http] });
  let reason: Error | undefined;
  const end = (why: string, cause?: Error): void => {
    reason ??= shortageIn(cause) === undefined ? new Error(why, { cause }) : cause;
    socket.destroy();
  };
  const onAbort = (): void => end("the check was ended");
  const stopTimer = startTimer(() => end(`no complete answer within ${timeoutMs} ms`), timeoutMs);
  signal.addEventListener("abort", onAbort, { once: true });
  socket.on("error", (error) => end(describeError(error), error));
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const answered = mode === "tcp" ? once(socket, connectedEvent(backend)) : ask(socket, backend, path, grpc);
  const brokenOff = closed.then(() => Promise.reject(new Error("the connection was closed before a complete answer")));
  try {
    await Promise.race([answered, brokenOff]);
  } catch (error) {
    throw reason ?? new Error(describeError(error), { cause: error });
  } finally {
    stopTimer();
    signal.removeEventListener("abort", onAbort);
    socket.destroy();
    await closed;
  }
}

/** What is offered under TLS (ALPN). */
const PROTOCOLS = { "1.1": ["http/1.1"], "2": ["h2"], chosen: ["h2", "http/1.1"] };

/** Asks in the version of HTTP that the backend speaks; resolves when the answer is complete and a good one. */
async function ask(socket: Socket, backend: ResolvedBackend, path: string, grpc: string | false): Promise<void> {
  if (backend.http === "1.1") return askByHttp1(socket, backend, path);
  await once(socket, connectedEvent(backend));
  const { alpnProtocol = "h2" } = socket as Socket & { readonly alpnProtocol?: string | false };
  if (alpnProtocol === "h2") return askByHttp2(socket, backend, path, grpc);
  if (grpc !== false) throw new Error("HTTP/2, by which gRPC is spoken, is not what the backend chooses");
  return askByHttp1(socket, backend, path);
}

async function askByHttp1(
  socket: Socket,
  { hostname, port, basePath, secure }: ResolvedBackend,
  path: string,
): Promise<void> {
  const asked = request({
    createConnection: () => socket,
    host: hostname,
    port,
    defaultPort: secure ? 443 : 80,
    path: basePath + path,
    headers: { Connection: "close", "User-Agent": "lbbench-health" },
  });
  asked.on("error", () => undefined).end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  const { statusCode: status = 0 } = response;
  expectGood(status);
  await finished(response.resume());
}

async function askByHttp2(
  socket: Socket,
  { host, basePath, secure }: ResolvedBackend,
  path: string,
  grpc: string | false,
): Promise<void> {
  // Most balancers have no use for it.
  const { connect } = await import("node:http2");
  const session = connect(`${secure ? "https" : "http"}://${host}`, { createConnection: () => socket });
  session.on("error", () => undefined);
  try {
    const common = { ":authority": host, "user-agent": "lbbench-health" };
    if (grpc !== false) {
      const headers = { "content-type": "application/grpc", te: "trailers" };
      const asked = session.request({ ...common, ...headers, ":method": "POST", ":path": basePath + HEALTH_CHECK });
      await readServing(asked.end(checkRequest(grpc)));
    } else {
      const asked = session.request({ ...common, ":path": basePath + path });
      const [headers] = (await once(asked, "response")) as [Http2Headers];
      expectGood(headers[":status"] ?? 0);
      await finished(asked.resume());
    }
  } finally {
    session.destroy();
  }
}

type Http2Headers = IncomingHttpHeaders & IncomingHttpStatusHeader;

function expectGood(status: number): void {
  if (status < 200 || status > 399) throw new Error(`status ${status}`);
}

/** The method of https://github.com/grpc/grpc/blob/master/doc/health-checking.md */
const HEALTH_CHECK = "/grpc.health.v1.Health/Check";
const SERVING_STATUSES = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];
/** In front of each message: whether it is compressed, and its length. */
const PREFIX_BYTES = 5;

/** The message `HealthCheckRequest`, whose field 1 is the name of the service, as gRPC sends it. The name has at most 127 bytes. */
function checkRequest(service: string): Buffer {
  const name = Buffer.from(service);
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Resolves when the answer is the message `HealthCheckResponse` with SERVING, its field 1, and status 0 behind it. */
async function readServing(asked: ClientHttp2Stream): Promise<void> {
  let trailers: Http2Headers = {};
  asked.on("trailers", (came) => (trailers = came));
  const [headers] = (await once(asked, "response")) as [Http2Headers];
  expectGood(headers[":status"] ?? 0);
  const answer = await buffer(asked);
  const code = trailers["grpc-status"] ?? headers["grpc-status"];
  const text = trailers["grpc-message"] ?? headers["grpc-message"] ?? "";
  if (code !== "0") throw new Error(`gRPC status ${String(code)} ${String(text)}`.trim());
  const message = answer.subarray(PREFIX_BYTES);
  const serving = message[0] === 0x08 ? (message[1] ?? 0) : 0;
  if (serving !== SERVING_STATUSES.indexOf("SERVING")) {
    throw new Error(`the gRPC service is ${SERVING_STATUSES[serving] ?? serving}`);
  }
}
