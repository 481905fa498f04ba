/** A backend, a balancer or a bare server in a process of its own, which answers its parent's calls and ends with it; see `processes.ts`. */
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:tls";
import { setTimeout as delay } from "node:timers/promises";
import { createBalancer, parsePolicy } from "@lbbench/proxy";

/** Notes each request that it reads to its end. It answers `/health` without a note, and `/never` never. */
async function startBackend({ port: bound = 0, delayMs = 0 }) {
  const served = [];
  const server = createServer((request, response) => {
    if (request.url === "/health") {
      response.end("well");
      return;
    }
    request.resume().once("end", () => {
      served.push(`${request.method} ${request.url}`);
      if (request.url !== "/never") setTimeout(() => response.end("served"), delayMs);
    });
  });
  // Longer than the balancer keeps its connections.
  server.keepAliveTimeout = 60_000;

  /** Listens, also again; waits for as long as another process has the port. */
  const listen = async () => {
    for (;;) {
      server.listen(bound, "127.0.0.1");
      try {
        await once(server, "listening");
        bound = server.address().port;
        return;
      } catch (error) {
        if (error.code !== "EADDRINUSE") throw error;
        await delay(20);
      }
    }
  };
  await listen();
  // Idle connections are closed, those in use go on being served.
  const stopListening = () => {
    server.close();
    server.closeIdleConnections();
  };
  return { port: bound, functions: { served: () => served, listen, stopListening } };
}

/** Bytes of the heap that are in use after a collection. Needs `--expose-gc`. */
const heapBytes = () => {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
};

/** A server of TLS that does nothing but answer. */
async function startBare({ tls }) {
  const server = createTlsServer(tls, (socket) => {
    socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")).on("error", () => undefined);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { port: server.address().port, functions: { heapBytes } };
}

/** A balancer, as it is built, with its policy as text. */
async function startBalancer({ policy = "round-robin", ...options }) {
  const balancer = createBalancer({ ...options, policy: parsePolicy(policy) });
  const { port } = await balancer.listen();
  /** Bytes that are in use after a collection, on the heap and outside of it, and processor time in ms. */
  const usage = () => {
    const heap = heapBytes();
    const { user, system } = process.cpuUsage();
    return { bytes: heap + process.memoryUsage().external, cpuMs: (user + system) / 1000 };
  };
  return { port, functions: { snapshot: balancer.snapshot, heapBytes, usage } };
}

process.on("disconnect", () => process.exit(0));
const [kind, settings] = process.argv.slice(2);
const starts = { backend: startBackend, balancer: startBalancer, bare: startBare };
const { port, functions } = await starts[kind](JSON.parse(settings));
const table = new Map(Object.entries(functions));
const answer = async ({ id, name }) => process.send?.({ id, value: await table.get(name)() });
process.on("message", (call) => void answer(call));
// The parent may be gone before a listener was there.
if (process.connected) process.send({ port });
else process.exit(0);
