/** The balancer to measure: whatever yours is. It takes its configuration from a file, and reads that again on SIGHUP. */
import { readFileSync } from "node:fs";
import { Agent, createServer, request } from "node:http";

const [file = ""] = process.argv.slice(2);
const read = () => JSON.parse(readFileSync(file, "utf8"));
const { listen, admin, policy, keepAlive, most } = read();
/** @type {() => string[]} */
const readBackends = () => read().backends.trim().split(" ");
let backends = readBackends();
const agent = new Agent({ keepAlive: keepAlive > 0, maxFreeSockets: keepAlive, maxSockets: most ?? Infinity });

/**
 * Requests by backend: all of them, and those under way.
 *
 * @type {Map<string, { requests: number, active: number }>}
 */
const counts = new Map();
/** @param {string} backend */
const countOf = (backend) => {
  const count = counts.get(backend) ?? { requests: 0, active: 0 };
  counts.set(backend, count);
  return count;
};

let turn = -1;
const next = () => {
  turn = policy === "random" ? Math.floor(Math.random() * backends.length) : (turn + 1) % backends.length;
  return backends[turn % backends.length] ?? "";
};

const server = createServer((asked, answer) => relay(asked, answer, backends.length - 1));

/**
 * Sends a request to a backend, and to another one where that cannot be reached, as often as `retries`.
 *
 * @param {import("node:http").IncomingMessage} asked
 * @param {import("node:http").ServerResponse} answer
 * @param {number} retries
 */
function relay(asked, answer, retries) {
  /** @type {import("node:http").OutgoingHttpHeaders} */
  const headers = { ...asked.headers, "x-forwarded-for": asked.socket.remoteAddress };
  delete headers.connection;
  const backend = next();
  const count = countOf(backend);
  count.requests += 1;
  count.active += 1;
  answer.on("close", () => (count.active -= 1));
  const sent = request(`http://${backend}`, { method: asked.method, path: asked.url, headers, agent });
  sent.on("response", (from) => {
    answer.writeHead(from.statusCode ?? 502, from.headers);
    from.pipe(answer);
  });
  sent.on("error", (error) => {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ECONNREFUSED" && retries > 0) {
      return relay(asked, answer, retries - 1);
    }
    answer.writeHead(502).end();
  });
  asked.pipe(sent);
}

server.on("error", ({ message }) => {
  console.error(message);
  process.exit(1);
});
server.listen(listen.port, listen.host, listen.backlog);
/** Tells what it knows of the backends that it uses. */
const told = () => backends.map((address) => ({ address, ...countOf(address) }));
createServer((_, answer) => answer.end(JSON.stringify(told())))
  .listen(admin, listen.host)
  .unref();
process.on("SIGHUP", () => (backends = readBackends()));
process.on("SIGTERM", () => server.close(() => process.exit()));
