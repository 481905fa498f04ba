// Starts a server plugin of the build, tells its URL and processes to the parent, and then does nothing.
import { startPlugin } from "../../../dist/testing/server-contract.js";
import { builtInServers } from "../../../dist/servers/built-in-servers.js";

process.once("message", ({ name, options }) => void start(builtInServers.get(name), options));
setInterval(() => {}, 60_000);

async function start(server, options) {
  const { url, processes } = await startPlugin(server, options);
  process.send({ url, pids: processes.map(({ pid }) => pid) });
}
