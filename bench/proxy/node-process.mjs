/**
 * What the bench's Node processes share: `backends` they were given as arguments, `listening` to say that they listen,
 * and their end when the bench goes away.
 */
import { once } from "node:events";
import { Agent } from "node:http";

process.on("disconnect", () => process.exit());

/** URLs of the backends, from the command line. */
export const backends = process.argv.slice(2).filter((each) => each.startsWith("http://"));

/** The next backend's URL, in turn. */
export function nextBackend() {
  const backend = backends[turn];
  turn = turn + 1 === backends.length ? 0 : turn + 1;
  return backend;
}
let turn = 0;

/** An agent that keeps every connection; what the proxies that take an agent are given. */
export function keepAliveAgent() {
  return new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity });
}

/** Tells the bench where this process can be reached. */
export function listening(...ports) {
  process.send({ ports });
}

/** Lets servers listen on free ports and tells the bench; no idle connection is closed. */
export async function listen(...servers) {
  for (const server of servers) {
    server.keepAliveTimeout = 0;
    server.listen(0, "127.0.0.1", 1024);
    await once(server, "listening");
  }
  listening(...servers.map((server) => server.address().port));
}

/** Answers a request that could not be passed on. */
export function fail(response) {
  if (response.headersSent) response.destroy();
  else response.writeHead(502).end();
}
