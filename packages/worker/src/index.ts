import { fileURLToPath } from "node:url";

export { connectWorker, type ConnectedWorker, type WorkerListeners } from "./connect.js";
export type { LoadCounts, SessionEnd } from "./session.js";

/** Path of the Python file that is the master: `python3 MASTER_SCRIPT ADDRESS PORT`; what it reads and prints is said in it. */
export const MASTER_SCRIPT: string = fileURLToPath(new URL("../master.py", import.meta.url));
