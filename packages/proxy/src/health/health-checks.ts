import type { ResolvedBackend, ResolvedBackendTls } from "../options/resolve-options.js";
import { pause, startTimer } from "../start-timer.js";
import { describeError } from "../pool/connect-backend.js";
import { type ClientRequest, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { connect, type Socket } from "node:net";

/** What checks are made of. */
interface HealthCheckOptions<Target> {
  /** From the beginning of a check to that of the next; up to a tenth less, so that checks spread out over time. */
  readonly intervalMs: number;
  /** Checks once; must not reject, and must resolve soon after the signal is aborted. */
  readonly check: (target: Target, signal: AbortSignal) => Promise<CheckOutcome>;
  /** Told of each check that came to its end. */
  readonly onOutcome: (target: Target, outcome: CheckOutcome) => void;
  readonly nowMs: () => number;
  /** From 0 to below 1; `Math.random` by default. */
  readonly random?: () => number;
}

/** Checks that go on until they are closed. */
export interface HealthChecks<Target> {
  /** Checks it at once, and then again and again, never twice at a time. */
  readonly add: (target: Target) => void;
  /** Ends its checks, also the one under way. */
  readonly remove: (target: Target) => void;
  /** Ends all checks; resolves when none is under way. */
  readonly close: () => Promise<void>;
}

/** The largest part of the interval that is left out. */
const JITTER = 0.1;

/** Starts checks of nothing yet; their timers do not keep the process alive. */
export function startHealthChecks<Target>(options: HealthCheckOptions<Target>): HealthChecks<Target> {
  const stops = new Map<Target, AbortController>();
  const underWay = new Set<Promise<void>>();
  let closed = false;

  const remove = (target: Target): void => {
    stops.get(target)?.abort();
    stops.delete(target);
  };
  const add = (target: Target): void => {
    if (closed || stops.has(target)) return;
    const stop = new AbortController();
    stops.set(target, stop);
    const checking = checkAgainAndAgain(target, options, stop.signal).finally(() => underWay.delete(checking));
    underWay.add(checking);
  };
  const close = async (): Promise<void> => {
    closed = true;
    for (const target of stops.keys()) remove(target);
    await Promise.all(underWay);
  };
  return { add, remove, close };
}

async function checkAgainAndAgain<Target>(
  target: Target,
  { intervalMs, check, onOutcome, nowMs, random = Math.random }: HealthCheckOptions<Target>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const startedMs = nowMs();
    const outcome = await check(target, signal);
    if (signal.aborted) return;
    onOutcome(target, outcome);
    const dueMs = startedMs + intervalMs * (1 - JITTER * random());
    await pause(Math.max(dueMs - nowMs(), 0), signal);
  }
}

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
