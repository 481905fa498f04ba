import { createProgramEngine } from "../driven-program/create-program-engine.js";
import { heyFigures } from "./figures.js";
import { heyOptions } from "./options.js";
import { orderHey } from "./order.js";
import { refuseHey } from "./refuse.js";

/** hey: Go's HTTP client in as many goroutines as there are connections. It has no flag for its version. */
export const heyEngine = createProgramEngine({
  name: "hey",
  installation: { title: "hey", packageName: "hey" },
  version: { args: ["-h"], find: () => null },
  supports: { loads: ["connections"], keepAliveOff: true },
  options: heyOptions,
  refuse: refuseHey,
  cores: ({ cpus }, available) => Math.min(cpus ?? available, available),
  order: orderHey,
  figures: heyFigures,
});
