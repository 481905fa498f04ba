import { createBalancer } from "../create-balancer.js";
import { createRequestLogger, type RequestLogger } from "../observe/request-log.js";
import type { Balancer, BalancerSnapshot } from "../options/options.js";
import { answerCalls, type AnswerMessage } from "./calls.js";
import type { BalancerChanges, WorkerApi, WorkerMessage, WorkerSetup } from "./worker.js";
import { fromPlainOptions } from "./workers-options.js";

/** The program of a worker: it serves until its primary says otherwise, or is gone. */

// Ctrl-C in a terminal reaches every process of the group; what it means is for the primary to say.
process.on("SIGINT", () => undefined);
// The primary is gone, or has heard all that there is to hear.
process.on("disconnect", () => process.exit(0));
// It was gone before this module was loaded, and with it the event that tells so.
if (!process.connected) process.exit(0);

function post(message: AnswerMessage | WorkerMessage): void {
  // To a primary that has just ended; its end says all that there is to say.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

const answer = answerCalls(
  workerFunctions((figures) => post({ figures })),
  post,
);
process.on("message", (message) => void answer(message));
post({ ready: true });

/** How often a worker tells its figures; what it counts after the last time is lost when it dies. */
const TELL_INTERVAL_MS = 250;
/** File descriptor of the standard output. */
const STANDARD_OUTPUT = 1;

interface Served {
  readonly balancer: Balancer;
  readonly logger: RequestLogger | undefined;
}

/** What a worker does for its primary; `tellFigures` is called again and again from the start on. */
function workerFunctions(tellFigures: (figures: BalancerSnapshot) => void): WorkerApi {
  let served: Promise<Served> | undefined;

  // Changes may come while the log is being opened; they are made in their order once there is a balancer.
  const begun = async (): Promise<Served> => {
    if (served === undefined) throw new Error("A worker has to be started before anything else is asked of it.");
    return served;
  };
  const change =
    <Name extends keyof BalancerChanges>(name: Name) =>
    async (...args: Parameters<BalancerChanges[Name]>): Promise<void> => {
      const { balancer } = await begun();
      await (balancer[name] as (...given: typeof args) => void | Promise<void>)(...args);
    };

  return {
    async start(setup) {
      served = prepare(setup);
      const { balancer } = await served;
      setInterval(() => tellFigures(balancer.snapshot()), TELL_INTERVAL_MS).unref();
      return balancer.listen(setup.listen);
    },
    snapshot: async () => (await begun()).balancer.snapshot(),
    async close(graceMs) {
      const { balancer, logger } = await begun();
      await balancer.close({ graceMs });
      // What could not be logged must not keep the worker from ending.
      await logger?.close().catch(() => undefined);
      return balancer.snapshot();
    },
    addBackend: change("addBackend"),
    removeBackend: change("removeBackend"),
    drainBackend: change("drainBackend"),
    restoreBackend: change("restoreBackend"),
    setBackendWeight: change("setBackendWeight"),
  };
}

async function prepare({ balancer: plain, log, draining, removed }: WorkerSetup): Promise<Served> {
  const logger = log === undefined ? undefined : await createRequestLogger(log.format, STANDARD_OUTPUT);
  const options = await fromPlainOptions(plain);
  const balancer = createBalancer(logger === undefined ? options : { ...options, onRequest: logger.log });
  await Promise.all(draining.map((name) => balancer.drainBackend(name)));
  await Promise.all(removed.map((name) => balancer.removeBackend(name)));
  return { balancer, logger };
}
