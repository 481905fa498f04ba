import type { Server } from "../plugin.js";
import { balancedServer } from "./balanced.js";
import { clusterServer } from "./cluster.js";
import { commandServer } from "./command.js";
import { singleServer } from "./single.js";
import { urlServer } from "./url.js";

/** The server plugins that come with lbbench, by name. */
export const builtInServers: ReadonlyMap<string, Server> = new Map(
  [singleServer, clusterServer, balancedServer, urlServer, commandServer].map((server) => [
    server.name,
    server as Server,
  ]),
);
