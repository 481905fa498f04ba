import type { ResolvedBackend, ResolvedBackendTls } from "../options/resolve-options.js";
import { connectBackend, connectedEvent, describeError, shortageIn } from "../pool/connect-backend.js";
import { pause, startTimer } from "../start-timer.js";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
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
  /** For the whole check. */
  readonly timeoutMs: number;
  readonly tls: ResolvedBackendTls;
}

/**
 * Asks a backend once whether it is well. In mode `http` it is when a complete answer with a status of 200 to 399 comes
 * in time (redirections are not followed), in mode `tcp` when it accepts a connection. Rejects with what is wrong, also when
 * the signal is aborted. Settles when the connection that it took is closed.
 */
export async function checkBackend(
  backend: ResolvedBackend,
  { mode, path, timeoutMs, tls }: CheckOptions,
  signal: AbortSignal,
): Promise<void> {
  // A connection of its own: one that was kept would not show that the backend still accepts them.
  const socket = connectBackend(backend, tls, { allowHalfOpen: false });
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
  const answered = mode === "tcp" ? once(socket, connectedEvent(backend)) : ask(socket, backend, path);
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

/** Asks for a path; resolves when the answer is complete and its status good. */
async function ask(socket: Socket, { hostname, port, basePath, secure }: ResolvedBackend, path: string): Promise<void> {
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
  if (status < 200 || status > 399) throw new Error(`status ${status}`);
  await finished(response.resume());
}
