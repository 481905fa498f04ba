import { credentials } from "@grpc/grpc-js";
import { closedConnections } from "../../stats/load.js";
import type { BuildClients, GeneratorLoad } from "../generator.js";
import { splitEvenly } from "../split-level.js";
import { createCaller, type CallerPlan } from "./caller.js";
import { createChannel, type Channel } from "./channel.js";
import { parseGrpcTarget } from "./grpc-target.js";
import { grpcOptions } from "./options.js";
import { resolveCall } from "./resolve-call.js";
import { watchSockets } from "./watch-sockets.js";

/** Reads the call of a load, and returns what builds its channels and the users who call over them. */
export async function grpcCallers(load: GeneratorLoad): Promise<BuildClients> {
  const { address, secure } = parseGrpcTarget(load.url);
  const { channels: count } = grpcOptions.parse(load.options);
  const call = await resolveCall(load, load.folder);
  return (run) => {
    const sockets = watchSockets();
    const security = secure ? credentials.createSsl() : credentials.createInsecure();
    const openChannel = (): Channel => {
      let first = true;
      return createChannel(address, security, () => {
        run.recorder.connected(first);
        first = false;
        run.sawLife();
        return sockets.claim();
      });
    };
    const channels = Array.from({ length: count }, openChannel);
    const plan: CallerPlan = { call, timeoutMs: load.timeoutMs, isConnected: sockets.isConnected };
    const users = splitEvenly(closedConnections(load.level), count);
    for (const [index, channel] of channels.entries()) {
      for (let user = 0; user < (users[index] ?? 0); user += 1) {
        run.enter(createCaller(channel, run, plan));
      }
    }
    return {
      stop: async () => {
        const { received, sent } = sockets.bytes();
        run.recorder.received(received);
        run.recorder.written(sent);
        for (const channel of channels) channel.close();
        await sockets.close();
      },
    };
  };
}
