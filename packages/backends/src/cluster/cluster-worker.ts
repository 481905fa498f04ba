/** The program of a cluster's worker. It serves until the primary asks it to stop, or is gone. */
import { createHandler } from "../create-handler.js";
import { serveHandler, type HandlerServer } from "../handler-server.js";
import { stopServer } from "../stop-server.js";
import { WORKER_OPTIONS_VARIABLE, type WorkerCommand, type WorkerMessage, type WorkerOptions } from "./messages.js";

// Ctrl-C in a terminal reaches every process of the group; the primary decides what it means.
process.on("SIGINT", () => undefined);
process.on("disconnect", () => process.exit());

const { handler, address, identify, worker } = JSON.parse(
  process.env[WORKER_OPTIONS_VARIABLE] ?? "null",
) as WorkerOptions;

try {
  obey(await serveHandler(createHandler(handler, worker), address, identify));
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  tell({ type: "failed", code, message }, () => process.exit(1));
}

function obey({ server, requests }: HandlerServer): void {
  process.on("message", (command: WorkerCommand) => {
    switch (command.type) {
      case "requests":
        tell({ type: "requests", id: command.id, requests: requests() });
        break;
      case "stop":
        void stopServer(server, command.graceMs).then(() => process.exit(0));
        break;
    }
  });
}

function tell(message: WorkerMessage, then: () => void = () => undefined): void {
  process.send?.(message, then);
}
