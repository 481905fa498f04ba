import { createProgramEngine } from "../driven-program/create-program-engine.js";
import { wrkFigures } from "./figures.js";
import { wrkOptions } from "./options.js";
import { orderWrk } from "./order.js";
import { refuseWrk } from "./refuse.js";

/** wrk: epoll in threads, for a time. A script of ours counts statuses and tells its figures to the microsecond. */
export const wrkEngine = createProgramEngine({
  name: "wrk",
  installation: { title: "wrk", packageName: "wrk" },
  version: { args: ["-v"], find: (output) => /^wrk (\S+)/m.exec(output)?.[1] ?? null },
  supports: { loads: ["connections"], amounts: ["duration"], keepAliveOff: true },
  options: wrkOptions,
  refuse: refuseWrk,
  cores: ({ threads }, available) => Math.min(threads, available),
  order: orderWrk,
  figures: wrkFigures,
});
