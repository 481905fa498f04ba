import { Client, connectivityState, type ChannelCredentials } from "@grpc/grpc-js";
import { FIRST_BACKOFF_MS, LONGEST_BACKOFF_MS } from "../backoff.js";
import type { Connection } from "./watch-sockets.js";

/** One connection to the target, opened by the first call and again whenever it was lost. */
export interface Channel {
  readonly client: Client;
  /** Whether its last connection ended by a reset. */
  readonly wasReset: () => boolean;
  readonly close: () => void;
}

const OPTIONS = Object.freeze({
  // Channels to one address would share one connection otherwise.
  "grpc.use_local_subchannel_pool": 1,
  // A call that is made again in secret would be one more for the server than for us.
  "grpc.enable_retries": 0,
  "grpc.service_config_disable_resolution": 1,
  // A proxy that the environment names is not what is measured.
  "grpc.enable_http_proxy": 0,
  "grpc.enable_channelz": 0,
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": -1,
  "grpc.initial_reconnect_backoff_ms": FIRST_BACKOFF_MS,
  "grpc.max_reconnect_backoff_ms": LONGEST_BACKOFF_MS,
});

/**
 * Makes a channel; nothing is connected before the first call.
 *
 * @param onConnected called each time a connection is established and the server has spoken HTTP/2 on it; gives that
 *   connection.
 */
export function createChannel(
  address: string,
  credentials: ChannelCredentials,
  onConnected: () => Connection | undefined,
): Channel {
  const client = new Client(address, credentials, OPTIONS);
  const channel = client.getChannel();
  let connection: Connection | undefined;
  const watch = (state: connectivityState): void => {
    channel.watchConnectivityState(state, Infinity, () => {
      const now = channel.getConnectivityState(false);
      if (now === connectivityState.READY) connection = onConnected();
      if (now !== connectivityState.SHUTDOWN) watch(now);
    });
  };
  watch(channel.getConnectivityState(false));
  return { client, wasReset: () => connection?.wasReset() ?? false, close: () => client.close() };
}
