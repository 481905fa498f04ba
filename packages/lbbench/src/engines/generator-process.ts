/** A generator process: sends the load of an engine, called over its channel. */
import { serveChild } from "../system/fork.js";
import { sendFirstRequests } from "./first-requests.js";
import { createGenerator, type GeneratorEngine, type PrepareClients } from "./generator.js";

/** The clients of each engine, loaded when first needed. */
const CLIENTS: Readonly<Record<GeneratorEngine, () => Promise<PrepareClients>>> = {
  autocannon: async () => (await import("./autocannon/measuring-client.js")).autocannonClients,
  wire: async () => (await import("./wire/clients.js")).wireClients,
  grpc: async () => (await import("./grpc/clients.js")).grpcClients,
  websocket: async () => (await import("./websocket/clients.js")).webSocketClients,
};

/** Engines, and versions of HTTP, whose code has sent its first requests. */
const begun = new Set<string>();

serveChild(
  createGenerator(async (load, run) => {
    const prepareClients = await CLIENTS[load.engine]();
    const code = `${load.engine} ${load.httpVersion}`;
    // If there is no descriptor left for a server, the load will show that.
    if (!begun.has(code)) await sendFirstRequests(prepareClients, load).catch(() => {});
    begun.add(code);
    return prepareClients(load, run);
  }),
  // Where SIGTERM goes to all processes of a service, the parent first asks for what was measured, and then disconnects.
  (ending) => (ending === "finish" ? new Promise(() => {}) : undefined),
);
