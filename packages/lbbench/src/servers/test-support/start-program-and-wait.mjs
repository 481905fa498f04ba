// Starts a server plugin that runs a program, tells its URL and processes to the parent, and then does nothing.
import { startServer } from "../../../dist/testing/started-server.js";
import { commandServer } from "../../../dist/servers/command.js";
import { haproxyServer } from "../../../dist/servers/haproxy/haproxy.js";
import { nginxStaticServer } from "../../../dist/servers/nginx/nginx-static.js";
import { nginxServer } from "../../../dist/servers/nginx/nginx.js";

const servers = [commandServer, nginxServer, nginxStaticServer, haproxyServer];

process.once(
  "message",
  ({ name, options }) =>
    void start(
      servers.find((server) => server.name === name),
      options,
    ),
);
setInterval(() => {}, 60_000);

async function start(server, options) {
  const { url, processes } = await startServer(server, options);
  process.send({ url, pids: processes.map(({ pid }) => pid) });
}
