import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { GRPC_DEFAULTS } from "../defaults.js";
import type { WorkMethod, WorkReply, WorkRequest } from "./work-method.js";

/** The way to a service over several channels, each with a connection of its own. */
export interface WorkChannels {
  /**
   * Calls the service over the next channel in turn; `done` gets the error or the reply, once. Returns a function that
   * gives the call up.
   */
  readonly call: (request: WorkRequest, done: (error: ServiceError | null, reply?: WorkReply) => void) => () => void;
  readonly close: () => void;
}

/** Opens channels to `host:port`; they connect when they are called first. Every call has the deadline. */
export function openChannels(method: WorkMethod, target: string, count: number, deadlineMs: number): WorkChannels {
  const clients = Array.from(
    { length: count },
    () => new Client(target, credentials.createInsecure(), CHANNEL_OPTIONS),
  );
  let turn = 0;
  return {
    call(request, done) {
      const client = clients[turn++ % count] as Client;
      const { path, requestSerialize, responseDeserialize } = method;
      const options = { deadline: Date.now() + deadlineMs };
      const call = client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        new Metadata({ waitForReady: false }),
        options,
        done,
      );
      return () => call.cancel();
    },
    close: () => clients.forEach((client) => client.close()),
  };
}

const CHANNEL_OPTIONS = Object.freeze({
  // Channels to one address would share one connection otherwise.
  "grpc.use_local_subchannel_pool": 1,
  // A proxy that the environment names is not what is measured.
  "grpc.enable_http_proxy": 0,
  "grpc.enable_channelz": 0,
  "grpc.max_receive_message_length": -1,
  "grpc.initial_reconnect_backoff_ms": GRPC_DEFAULTS.reconnectMs,
  "grpc.max_reconnect_backoff_ms": GRPC_DEFAULTS.maxReconnectMs,
});
