// Starts a server plugin of the build, tells its URL and processes to the parent, and then does nothing.
import { startServer } from "../../../dist/testing/started-server.js";
import { builtInServers } from "../../../dist/servers/built-in-servers.js";

process.once("message", ({ name, options }) => void start(builtInServers.get(name), options));
setInterval(() => {}, 60_000);

async function start(server, options) {
  const { url, processes } = await startServer(server, options);
  process.send({ url, pids: processes.map(({ pid }) => pid) });
}
