import type { Server } from "../plugin.js";
import { balancedServer } from "./balanced.js";
import { clusterServer } from "./cluster.js";
import { commandServer } from "./command.js";
import { grpcGatewayServer } from "./grpc-gateway.js";
import { grpcServer } from "./grpc.js";
import { haproxyServer } from "./haproxy/haproxy.js";
import { nginxStaticServer } from "./nginx/nginx-static.js";
import { nginxServer } from "./nginx/nginx.js";
import { poolServer } from "./pool.js";
import { singleServer } from "./single.js";
import { urlServer } from "./url.js";

/** The server plugins that come with lbbench, by name. */
export const builtInServers: ReadonlyMap<string, Server> = new Map(
  [
    singleServer,
    clusterServer,
    poolServer,
    balancedServer,
    nginxServer,
    haproxyServer,
    nginxStaticServer,
    grpcServer,
    grpcGatewayServer,
    urlServer,
    commandServer,
  ].map((server) => [server.name, server as Server]),
);
