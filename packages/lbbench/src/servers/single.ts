import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";
import type { Server } from "../plugin.js";
import { handlerOption, portOption } from "./options.js";
import { startBackend } from "./start-backend.js";

const options = z.strictObject({ handler: handlerOption, port: portOption });

/** One sample server in one process. Options: `handler`, `port`. */
export const singleServer: Server<z.infer<typeof options>> = {
  name: "single",
  options,
  start: ({ handler, port }, context) =>
    startBackend("backend-1", { kind: "single", options: { handler, port, host: DEFAULTS.host } }, context),
};
