import { request as requestHttp, type ClientRequest } from "node:http";
import { request as requestHttps } from "node:https";
import { connect, type Socket } from "node:net";
import type { ResolvedBackend } from "../options/resolve-backend.js";
import type { ResolvedBackendTls } from "../options/resolve-options.js";
import { describeError } from "../transports/describe-error.js";
import { startTimer } from "../start-timer.js";

/** What a check has found. */
export type CheckOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: string };

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

type Settle = (outcome: CheckOutcome) => void;

/**
 * Asks a backend once whether it is well. In mode `http` it is when a complete answer with a status of 200 to 399 comes
 * in time (redirections are not followed), in mode `tcp` when it accepts a connection. Never rejects; resolves when the
 * connection that it took is closed. Ends early when the signal is aborted.
 */
export async function checkBackend(
  backend: ResolvedBackend,
  options: CheckOptions,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  if (signal.aborted) return failed("the check was ended");
  try {
    return await runCheck(backend, options, signal);
  } catch (error) {
    return failed(describeError(error));
  }
}

function runCheck(backend: ResolvedBackend, options: CheckOptions, signal: AbortSignal): Promise<CheckOutcome> {
  return new Promise((resolve) => {
    let outcome: CheckOutcome | undefined;
    const settle: Settle = (found) => {
      outcome ??= found;
      attempt.destroy();
    };
    const attempt = options.mode === "tcp" ? connectTo(backend, settle) : askFor(backend, options, settle);
    const what = options.mode === "tcp" ? "no connection" : "no complete answer";
    const stopTimer = startTimer(() => settle(failed(`${what} within ${options.timeoutMs} ms`)), options.timeoutMs);
    const onAbort = () => settle(failed("the check was ended"));
    signal.addEventListener("abort", onAbort, { once: true });
    attempt.on("error", (error) => settle(failed(describeError(error))));
    attempt.once("close", () => {
      stopTimer();
      signal.removeEventListener("abort", onAbort);
      resolve(outcome ?? failed("the connection was closed before a complete answer"));
    });
  });
}

function connectTo({ hostname, port, socketPath }: ResolvedBackend, settle: Settle): Socket {
  const socket = connect(socketPath === undefined ? { host: hostname, port } : { path: socketPath });
  return socket.once("connect", () => settle({ ok: true }));
}

function askFor(backend: ResolvedBackend, { path, tls }: CheckOptions, settle: Settle): ClientRequest {
  const options = {
    host: backend.hostname,
    port: backend.port,
    socketPath: backend.socketPath,
    path: backend.basePath + path,
    // A connection of its own: one that was kept would not show that the backend still accepts them.
    agent: false as const,
    headers: { Connection: "close", "User-Agent": "lbbench-health" },
  };
  const asked = backend.secure
    ? requestHttps({ ...options, ca: tls.ca, rejectUnauthorized: tls.verify, servername: tls.servername })
    : requestHttp(options);
  asked.once("response", (response) => {
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 399) settle(failed(`status ${status}`));
    else response.once("end", () => settle({ ok: true })).resume();
  });
  asked.end();
  return asked;
}

function failed(reason: string): CheckOutcome {
  return { ok: false, reason };
}
