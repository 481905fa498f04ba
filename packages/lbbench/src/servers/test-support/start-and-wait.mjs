// Starts a server plugin of the build, halts what it is asked to, tells its URL and processes to the parent, and then does nothing.
import { startPlugin } from "../../../dist/testing/server-contract.js";
import { builtInServers } from "../../../dist/servers/built-in-servers.js";

process.once("message", ({ name, options, halt }) => void start(builtInServers.get(name), options, halt));
setInterval(() => {}, 60_000);

async function start(server, options, halt) {
  const { url, processes, parts = [] } = await startPlugin(server, options);
  await parts.find(({ name }) => name === halt)?.apply({ kind: "pause" });
  process.send({ url, pids: processes.map(({ pid }) => pid) });
}
