import { credentials } from "@grpc/grpc-js";
import type { BuildClients, GeneratorLoad } from "../generator.js";
import { userStartsUs } from "../user-starts.js";
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
    for (const [user, startUs] of userStartsUs(load, load.place).entries()) {
      // In turn, so that users that come one after another share them evenly as well.
      const channel = channels[user % count];
      if (channel !== undefined) run.enter(createCaller(channel, run, plan), startUs);
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
