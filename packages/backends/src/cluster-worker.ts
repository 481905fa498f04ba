/** The program of a cluster's worker. It serves until the primary asks it to stop, or is gone. */
import { BackendStartError, serveHandler } from "./backend.js";
import { createHandler } from "./handlers.js";
import {
  WORKER_OPTIONS_VARIABLE,
  type WorkerCommand,
  type WorkerMessage,
  type WorkerOptions,
} from "./start-cluster.js";

// Ctrl-C in a terminal reaches every process of the group; the primary decides what it means.
process.on("SIGINT", () => undefined);
process.on("disconnect", () => process.exit());

const tell = (message: WorkerMessage, then = (): void => undefined): void => void process.send?.(message, then);
const { handler, endpoint, worker } = JSON.parse(process.env[WORKER_OPTIONS_VARIABLE] ?? "null") as WorkerOptions;

try {
  const { requests, connections, disturb, stop } = await serveHandler(createHandler(handler, worker), endpoint);
  const counts = async (): Promise<WorkerMessage> => ({ requests: await requests(), connections: await connections() });
  process.on("message", (command: WorkerCommand) => {
    if (command === "counts") void counts().then(tell);
    else if ("disturb" in command) void disturb(command.disturb).then(() => tell("disturbed"));
    else void stop(command).then(async () => tell(await counts(), () => process.exit(0)));
  });
} catch (error) {
  if (!(error instanceof BackendStartError)) throw error;
  tell({ failed: error.message, code: error.code }, () => process.exit(1));
}
