/** The process that generates load, for every engine that does so in processes of its own: called over its channel. */
import { serveChild } from "../system/fork.js";
import { sendFirstRequests } from "./first-requests.js";
import { createGenerator, type GeneratorEngine, type PrepareClients } from "./generator.js";

/** What each engine sends its load with, loaded when it is first needed. */
const CLIENTS: Readonly<Record<GeneratorEngine, () => Promise<PrepareClients>>> = {
  autocannon: async () => (await import("./autocannon/measuring-client.js")).autocannonClients,
  wire: async () => (await import("./wire/clients.js")).wireClients,
  grpc: async () => (await import("./grpc/callers.js")).grpcCallers,
};

/** Engines, and versions of HTTP, whose code has sent its first requests. */
const begun = new Set<string>();

serveChild(
  createGenerator(async (load, run) => {
    const prepareClients = await CLIENTS[load.engine]();
    const code = `${load.engine} ${load.httpVersion}`;
    // Where there is no descriptor left for a server, the load itself has to show that.
    if (!begun.has(code)) await sendFirstRequests(prepareClients, load).catch(() => {});
    begun.add(code);
    return prepareClients(load, run);
  }),
);
