import type { Server } from "../plugin.js";
import { balancedServer } from "./balanced.js";
import { balancerProgram } from "./balancer-program.js";
import { BALANCER_PROGRAMS } from "./balancer-programs.js";
import { commandServer } from "./command.js";
import {
  clusterServer,
  grpcGatewayServer,
  grpcServer,
  poolServer,
  singleServer,
  webSocketServer,
} from "./sample-servers.js";
import { urlServer } from "./url.js";

/** The server plugins that come with lbbench, by name. */
export const builtInServers: ReadonlyMap<string, Server> = new Map(
  [
    singleServer,
    clusterServer,
    poolServer,
    balancedServer,
    ...BALANCER_PROGRAMS.map(balancerProgram),
    grpcServer,
    grpcGatewayServer,
    webSocketServer,
    urlServer,
    commandServer,
  ].map((server) => [server.name, server as Server]),
);
