import { DEFAULTS } from "../../config/defaults.js";
import type { Server } from "../../plugin.js";
import { balancerProgramOptions, type BalancerProgramOptions } from "../balancer-program-options.js";
import { chooseTemplate } from "../config-template.js";
import { nameWithin, startInFront } from "../start-in-front.js";
import { BALANCER_TEMPLATE } from "./balancer-template.js";
import { nginxConfig } from "./config.js";
import { nginxMethod } from "./method.js";
import { runNginx } from "./run-nginx.js";

/**
 * Backends behind nginx, which has to be installed (1.19.5 or newer). Options: `backends`, `handler`, `policy`, `workers`,
 * `keepAlive`, `maxConnections`, `clientConnections`, `template`, `program`, `port`.
 *
 * With several workers `keepAlive` and `clientConnections` are of each. A request for backends that all have
 * `maxConnections` is answered with 502 at once. After failures to answer a backend is left out for a second, as by the
 * balancer of lbbench.
 */
export const nginxServer: Server<BalancerProgramOptions> = {
  name: "nginx",
  options: balancerProgramOptions(DEFAULTS.nginx.program, nginxMethod),
  balances: true,
  start: (chosen, context) =>
    startInFront(chosen.backends, context, async (backends) => {
      const template = await chooseTemplate(chosen.template, BALANCER_TEMPLATE, context.folder);
      return runNginx(
        {
          program: chosen.program,
          port: chosen.port,
          watched: { role: "balancer", name: nameWithin(context, "nginx") },
          config: (place) => nginxConfig(chosen, backends, place, template),
        },
        context,
      );
    }),
};
