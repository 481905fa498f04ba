/** A backend or a balancer in a process of its own, which answers its parent's calls and ends with it; see `processes.ts`. */
import { once } from "node:events";
import { createServer } from "node:http";
import { createBalancer, parsePolicy } from "@lbbench/proxy";

/** Answers what it has read to its end, and `/never` never. */
async function startBackend() {
  const server = createServer((request, response) => {
    request.resume().once("end", () => request.url === "/never" || response.end("served"));
  });
  // Longer than the balancer keeps its connections.
  server.keepAliveTimeout = 60_000;
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { port: server.address().port, functions: {} };
}

/** A balancer, as it is built, with its policy as text. */
async function startBalancer({ policy = "round-robin", ...options }) {
  const balancer = createBalancer({ ...options, policy: parsePolicy(policy) });
  const { port } = await balancer.listen();
  /** Bytes of the heap that are in use after a collection. Needs `--expose-gc`. */
  const heapBytes = () => {
    globalThis.gc();
    globalThis.gc();
    return process.memoryUsage().heapUsed;
  };
  return { port, functions: { snapshot: balancer.snapshot, heapBytes } };
}

process.on("disconnect", () => process.exit(0));
const [kind, settings] = process.argv.slice(2);
const start = kind === "balancer" ? startBalancer : startBackend;
const { port, functions } = await start(JSON.parse(settings));
const table = new Map(Object.entries(functions));
const answer = async ({ id, name }) => process.send?.({ id, value: await table.get(name)() });
process.on("message", (call) => void answer(call));
// The parent may be gone before anybody listened for that.
if (process.connected) process.send({ port });
else process.exit(0);
