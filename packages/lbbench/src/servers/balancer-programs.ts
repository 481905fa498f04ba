/** The programs of others that lbbench runs as balancers. */
import type { BalancerProgram } from "./balancer-program.js";
import { caddy } from "./caddy.js";
import { envoy } from "./envoy.js";
import { haproxy } from "./haproxy.js";
import { nginx } from "./nginx.js";
import { traefik } from "./traefik.js";

/** In the order in which they are listed everywhere. */
export const BALANCER_PROGRAMS: readonly BalancerProgram[] = [nginx, haproxy, caddy, envoy, traefik];
