import {
  BalancerListenError,
  BalancerOptionsError,
  createAdminServer,
  createRequestLogger,
  startBalancerWorkers,
  createBalancer,
  loadPolicy,
  reloadBackends,
  type BalancerSnapshot,
  type BalancerWorkers,
  type RequestLogger,
} from "@lbbench/proxy";
import { ConfigError, StartError } from "../index.js";
import { ExitCode } from "./exit-code.js";
import type { CommandIo, Output } from "./io.js";
import { readProxyFlags, type ProxyFlags, type ProxyRequest } from "./proxy-flags.js";
import { untilInterrupted } from "./until-interrupted.js";

/** A balancer that runs here or in workers, seen in the same way. */
type Running = Pick<
  BalancerWorkers,
  "url" | "snapshot" | "addBackend" | "removeBackend" | "drainBackend" | "restoreBackend" | "setBackendWeight" | "close"
>;

/** Runs `lbbench proxy` until it is interrupted; resolves with its exit code. */
export async function runProxyCommand(flags: ProxyFlags, io: CommandIo): Promise<number> {
  const request = readProxyFlags(flags, io.cwd);
  const running = await asStartError(() => (request.workers > 1 ? startWorkers(request) : startHere(request, io.cwd)));
  // Before anything is said: who reads it may interrupt at once.
  const interrupted = untilInterrupted(io);
  try {
    const admin = await startAdmin(request, running);
    const inWorkers = request.workers > 1 ? ` with ${request.workers} workers` : "";
    io.stderr.write(`Balancing ${flags.backend.length} backends at ${running.url}${inWorkers}\n`);
    if (admin !== undefined) io.stderr.write(`Figures and control at ${admin.url}\n`);
    await interrupted;
    await admin?.close();
  } finally {
    const before = await running.snapshot();
    await running.close();
    printCounts(await running.snapshot().catch(() => before), io.stderr);
  }
  return ExitCode.pass;
}

async function startHere({ balancer: plain, listen, logFormat }: ProxyRequest, cwd: string): Promise<Running> {
  const logger = logFormat === undefined ? undefined : await openLog(logFormat);
  const { policy, ...options } = plain;
  const balancer = createBalancer({
    ...options,
    ...(policy === undefined ? {} : { policy: await loadPolicy(policy, { folder: cwd }) }),
    ...(logger === undefined ? {} : { onRequest: logger.log }),
  });
  const { url } = await balancer.listen(listen);
  return {
    url,
    snapshot: async () => balancer.snapshot(),
    addBackend: async (backend) => balancer.addBackend(backend),
    removeBackend: balancer.removeBackend,
    drainBackend: balancer.drainBackend,
    restoreBackend: async (name) => balancer.restoreBackend(name),
    setBackendWeight: async (name, weight) => balancer.setBackendWeight(name, weight),
    close: async (closeOptions) => {
      await balancer.close(closeOptions);
      // A reader that has gone away is no reason to fail at the end.
      await logger?.close().catch(() => undefined);
    },
  };
}

async function startWorkers({ balancer, listen, workers, logFormat }: ProxyRequest): Promise<Running> {
  return startBalancerWorkers({
    workers,
    balancer,
    listen,
    ...(logFormat === undefined ? {} : { log: { format: logFormat } }),
  });
}

async function openLog(format: "json" | "combined"): Promise<RequestLogger> {
  return createRequestLogger(format, 1);
}

async function startAdmin({ adminPort, balancer }: ProxyRequest, running: Running) {
  if (adminPort === undefined) return undefined;
  const admin = createAdminServer({
    snapshot: running.snapshot,
    backends: {
      add: running.addBackend,
      remove: running.removeBackend,
      drain: running.drainBackend,
      restore: running.restoreBackend,
      setWeight: running.setBackendWeight,
      reload: async (list) => reloadBackends(running, list, balancer.mode === undefined ? {} : { mode: balancer.mode }),
    },
  });
  const { url } = await asStartError(() => admin.listen({ port: adminPort }));
  return { url, close: admin.close };
}

async function asStartError<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof BalancerOptionsError) {
      // An option of the balancer that is a flag of the same name here.
      const message = error.message.replace(/^(policy|mode|transport|forwarded)\b/, "--$1");
      throw new ConfigError(message, { cause: error });
    }
    if (error instanceof BalancerListenError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

function printCounts({ backends }: BalancerSnapshot, stderr: Output): void {
  for (const { name, requests, errors, retries } of backends) {
    const again = retries === 0 ? "" : `, ${retries} of them after another backend had failed`;
    stderr.write(`${name}: ${requests} requests${again}, ${errors} errors\n`);
  }
}
