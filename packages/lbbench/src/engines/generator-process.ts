/** A generator process: its functions are called over its channel. */
import { serveChild } from "../system/fork.js";
import { prepareClients } from "./clients.js";
import { sendFirstRequests } from "./first-requests.js";
import { createGenerator } from "./generator.js";

serveChild(
  // If there is no descriptor left for the server of first requests, the load will show that.
  createGenerator(prepareClients, (load) => sendFirstRequests(load).catch(() => {})),
  // Where SIGTERM goes to all processes of a service, the parent first asks for what was measured, and then disconnects.
  (ending) => (ending === "finish" ? new Promise(() => {}) : undefined),
);
