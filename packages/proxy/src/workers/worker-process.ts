/** The program of a worker: it serves until its primary says otherwise, or is gone. */
import { answerCalls, type AnswerMessage } from "./calls.js";
import type { WorkerMessage } from "./worker-api.js";
import { workerFunctions } from "./worker-functions.js";

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
