/** The clients of a load: its users, or its schedule, with what its engine sends by. */
import type { Clients, GeneratorEngine, GeneratorLoad } from "./generator.js";
import type { LoadRun } from "./load-run.js";
import { enterOpenLoop } from "./open-loop.js";
import { enterUsers, type PrepareSenders } from "./requester.js";

/** What each engine sends by, loaded when it is first needed. */
const SENDERS: Readonly<Record<GeneratorEngine, () => Promise<PrepareSenders>>> = {
  autocannon: async () => (await import("./autocannon/measuring-client.js")).autocannonSenders,
  wire: async () => (await import("./wire/senders.js")).wireSenders,
  grpc: async () => (await import("./grpc/codec.js")).grpcSenders,
  websocket: async () => (await import("./websocket/senders.js")).webSocketSenders,
};

/** Builds the clients of a load, and enters its users in the run, which starts them. */
export async function prepareClients(load: GeneratorLoad, run: LoadRun): Promise<Clients> {
  const prepareSenders = await SENDERS[load.engine]();
  const { requestersFor, connectionOf, close } = await prepareSenders(load);
  if (load.hold !== undefined) {
    // Loaded only when it is needed.
    const { enterHeld } = await import("./held.js");
    return enterHeld(run, load, requestersFor);
  }
  const createRequester = await requestersFor(run);
  if (load.level.rate === undefined) return enterUsers(run, load, createRequester);
  const clients = await enterOpenLoop(run, load, createRequester, connectionOf);
  return { stop: () => clients.stop().then(close) };
}
