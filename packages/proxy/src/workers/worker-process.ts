import { balance } from "../create-balancer.js";
import { createRequestLogger } from "../observe/request-log.js";
import type { Balancer } from "../options/options.js";
import { resolveOptions } from "../options/resolve-options.js";
import type { EncodedError, PrimaryApi, WorkerApi, WorkerSetup } from "./worker.js";
import { fromPlainOptions } from "./workers-options.js";
import { createBirpc } from "birpc";

/** The program of a worker: it serves until its primary says otherwise, or is gone. */

// Ctrl-C in a terminal, or its end, reaches every process of the group; what it means is for the primary to say.
process.on("SIGINT", () => undefined);
process.on("SIGHUP", () => undefined);
// The primary is gone, or has heard all that there is to hear.
process.on("disconnect", () => process.exit(0));
// It was gone before this module was loaded, and with it the event that tells so.
if (!process.connected) process.exit(0);

/** How often a worker reports; what it counts after the last time is not known when it is killed. */
const REPORT_INTERVAL_MS = 100;
/** File descriptor of the standard output. */
const STANDARD_OUTPUT = 1;

let served: ReturnType<typeof prepare> | undefined;

/** Changes may come while the log is being opened; they are made in their order once there is a balancer. */
async function begun() {
  if (served === undefined) throw new Error("A worker has to be started before anything else is asked of it.");
  return served;
}

const functions: WorkerApi = {
  async start(setup) {
    served = prepare(setup);
    const { balancer } = await served;
    report(balancer, false);
    setInterval(report, REPORT_INTERVAL_MS, balancer, false).unref();
    // Also when an error ends it that nothing catches.
    process.on("exit", () => report(balancer, true));
    process.once("SIGTERM", () => {
      report(balancer, true);
      process.kill(process.pid, "SIGTERM");
    });
    return balancer.listen(setup.listen);
  },
  report: async () => report((await begun()).balancer, false),
  async change(name, args) {
    const { balancer } = await begun();
    await (balancer[name] as (...given: readonly unknown[]) => void | Promise<void>)(...args);
  },
  async close(graceMs) {
    const { balancer, logger } = await begun();
    await balancer.close({ graceMs });
    // What could not be logged must not keep the worker from ending.
    await logger?.close().catch(() => undefined);
    report(balancer, true);
  },
};

const primary = createBirpc<PrimaryApi, WorkerApi>(functions, {
  // To a primary that has just ended; its end says all that there is to say.
  post: (message: object) => void (process.connected && process.send?.(message, undefined, undefined, () => undefined)),
  on: (receive) => void process.on("message", receive),
  serialize: (message: { readonly e?: unknown }) =>
    message.e === undefined ? message : { ...message, e: encodeError(message.e) },
  timeout: -1,
});
void primary.ready.asEvent();

function report(balancer: Balancer, isLast: boolean): void {
  void primary.report.asEvent({ figures: balancer.snapshot(), atMs: Date.now(), isLast });
}

async function prepare({ balancer: plain, log, draining }: WorkerSetup) {
  const logger = log === undefined ? undefined : await createRequestLogger(log.format, STANDARD_OUTPUT);
  const options = await fromPlainOptions(plain);
  const balancer = balance(
    resolveOptions(logger === undefined ? options : { ...options, onRequest: logger.log }, { leastBackends: 0 }),
  );
  await Promise.all(draining.map((name) => balancer.drainBackend(name)));
  return { balancer, logger };
}

function encodeError(error: unknown): EncodedError {
  const { name, message, code }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  return { name, message, code };
}
