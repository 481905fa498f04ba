import { createProgramEngine } from "../driven-program/create-program-engine.js";
import { abFigures } from "./figures.js";
import { abOptions } from "./options.js";
import { orderAb } from "./order.js";
import { refuseAb } from "./refuse.js";

/**
 * ApacheBench: one thread, HTTP/1.0. Requests in flight at the end of a time, and statuses, it does not tell.
 * `count-requests.ts` says how its counts are read.
 */
export const abEngine = createProgramEngine({
  name: "ab",
  installation: { title: "ab (ApacheBench)", packageName: "apache2-utils" },
  version: { args: ["-V"], find: (output) => /ApacheBench, Version (\S+)/.exec(output)?.[1] ?? null },
  supports: { loads: ["connections"], keepAliveOff: true },
  options: abOptions,
  refuse: refuseAb,
  cores: () => 1,
  order: orderAb,
  figures: abFigures,
});
