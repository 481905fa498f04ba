import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";
import type { Server } from "../plugin.js";
import { handlerOption, portOption, processesOption } from "./options.js";
import { startBackend } from "./start-backend.js";

const options = z.strictObject({
  handler: handlerOption,
  workers: processesOption.default(DEFAULTS.clusterWorkers),
  port: portOption,
});

/** A sample server as a node:cluster: several workers on one port. Options: `workers`, `handler`, `port`. */
export const clusterServer: Server<z.infer<typeof options>> = {
  name: "cluster",
  options,
  start: ({ handler, workers, port }, context) =>
    startBackend("cluster", { kind: "cluster", options: { handler, workers, port, host: DEFAULTS.host } }, context),
};
