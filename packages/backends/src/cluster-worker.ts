/** The program of a cluster's worker. It serves until the primary asks it to stop, or is gone. */
import { BackendStartError } from "./backend.js";
import { createHandler } from "./handlers.js";
import { serveHandler, type HandlerServer } from "./http-server.js";
import {
  WORKER_OPTIONS_VARIABLE,
  type WorkerCommand,
  type WorkerMessage,
  type WorkerOptions,
} from "./start-cluster.js";

// Ctrl-C in a terminal reaches every process of the group; the primary decides what it means.
process.on("SIGINT", () => undefined);
process.on("disconnect", () => process.exit());

const { handler, address, identify, worker } = JSON.parse(
  process.env[WORKER_OPTIONS_VARIABLE] ?? "null",
) as WorkerOptions;

try {
  obey(await serveHandler(createHandler(handler, worker), address, identify));
} catch (error) {
  if (!(error instanceof BackendStartError)) throw error;
  tell({ type: "failed", code: error.code, message: error.message }, () => process.exit(1));
}

function obey({ requests, stop }: HandlerServer): void {
  process.on("message", (command: WorkerCommand) => {
    switch (command.type) {
      case "requests":
        tell({ type: "requests", id: command.id, requests: requests() });
        break;
      case "stop":
        void stop(command.graceMs).then(() => process.exit(0));
        break;
    }
  });
}

function tell(message: WorkerMessage, then: () => void = () => undefined): void {
  process.send?.(message, then);
}
