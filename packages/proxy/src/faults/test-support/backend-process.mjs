import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { serveCalls } from "./serve-calls.mjs";

/**
 * A backend that notes every request it serves. Settings: `port` (0: any), `delayMs` before each answer, `notes` (false:
 * only counts). It answers `/health` without a note, and `/never` never.
 */
const { port = 0, delayMs = 0, notes = true } = JSON.parse(process.argv[2] ?? "{}");

const served = [];
let count = 0;

const server = createServer((request, response) => {
  if (request.url === "/health") {
    response.end("well");
    return;
  }
  request.resume().once("end", () => {
    count += 1;
    if (notes) served.push(`${request.method} ${request.url}`);
    if (request.url === "/never") return;
    if (delayMs === 0) response.end("served");
    else setTimeout(() => response.end("served"), delayMs);
  });
});
// Longer than the balancer keeps its connections.
server.keepAliveTimeout = 60_000;

let bound = port;

/** Listens, also again; waits for as long as somebody else has the port. */
async function listen() {
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
}

await listen();

serveCalls(
  {
    served: () => served,
    count: () => count,
    connections: () => new Promise((resolve) => server.getConnections((_, open) => resolve(open))),
    listen,
    // Idle connections are closed, those in use go on being served.
    stopListening: () => {
      server.close();
      server.closeIdleConnections();
    },
  },
  bound,
);
