/** What a generator process does: it opens channels, and lets users call over them. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import {
  Client,
  connectivityState,
  credentials,
  type ClientUnaryCall,
  type Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import type { Clients, GeneratorLoad } from "../generator.js";
import type { LoadRun } from "../load-run.js";
import {
  enterUsers,
  FIRST_BACKOFF_MS,
  linePlanOf,
  LONGEST_BACKOFF_MS,
  requestersBy,
  type Line,
  type RequestAccount,
} from "../requester.js";
import { countBytes, endOf, RESET } from "../sockets.js";
import { parseGrpcTarget, resolveCall, type UnaryCall } from "./call.js";
import { classifyFailure } from "./classify-failure.js";
import type { GrpcOptions } from "./engine.js";

/** Reads the call of a load, and builds its channels and the users who call over them. */
export async function grpcCallers(load: GeneratorLoad, run: LoadRun): Promise<Clients> {
  const { address, secure } = parseGrpcTarget(load.url);
  // As the engine has read them.
  const options = load.options as GrpcOptions;
  const call = await resolveCall({ options, request: load.request }, load.folder);
  const sockets = watchSockets(run);
  const security = secure
    ? credentials.createSsl(null, null, null, { rejectUnauthorized: load.insecure !== true })
    : credentials.createInsecure();
  const channels = Array.from({ length: options.channels }, () =>
    watchChannel(new Client(address, security, CHANNEL_OPTIONS), run, sockets),
  );
  let users = 0;
  const createRequester = requestersBy(run, linePlanOf(load), (account, onDone) => {
    // In turn, so that users that come one after another share them evenly as well.
    const channel = channels[users % channels.length] as Channel;
    users += 1;
    return createLine(channel, sockets, call, account, onDone);
  });
  const { stop } = enterUsers(run, load, createRequester);
  return {
    stop: async () => {
      await stop();
      for (const { client } of channels) client.close();
      await sockets.close();
    },
  };
}

const CHANNEL_OPTIONS = Object.freeze({
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

/** One connection to the target, opened by the first call and again whenever it was lost. */
type Channel = ReturnType<typeof watchChannel>;

/** Tells of each connection of a client that is established, and on which the server has spoken HTTP/2. */
function watchChannel(client: Client, run: LoadRun, sockets: SocketWatch) {
  const channel = client.getChannel();
  const { established } = run.countConnections();
  let wasReset = (): boolean => false;
  const watch = (state: connectivityState): void => {
    channel.watchConnectivityState(state, Infinity, () => {
      const now = channel.getConnectivityState(false);
      if (now === connectivityState.READY) {
        established();
        wasReset = sockets.claim();
      }
      if (now !== connectivityState.SHUTDOWN) watch(now);
    });
  };
  watch(channel.getConnectivityState(false));
  /** `wasReset`: whether its last connection ended by a reset of the other side. */
  return { client, wasReset: () => wasReset() };
}

/** An answer is compared and counted, not read: that is work of the generator and not of the target. */
const asItIs = (bytes: Buffer): Buffer => bytes;

/**
 * Lets one user call over a channel. The time of a call is not kept by a deadline of the library: a server that is told a deadline ends
 * the call at the same moment, and who was first would be left to chance.
 */
function createLine(
  { client, wasReset }: Channel,
  sockets: SocketWatch,
  call: UnaryCall,
  account: RequestAccount,
  onDone: (connected: boolean) => void,
): Line {
  let underWay: ClientUnaryCall | undefined;
  let headers: Metadata | undefined;
  const settle = (error: ServiceError | null, answer: Buffer = Buffer.alloc(0)): void => {
    underWay = undefined;
    // One that was given up has its outcome; this says that it has really ended.
    if (!account.isOpen) return onDone(true);
    if (error === null) {
      account.body(answer);
      if (call.isExpected(answer)) account.settleOk("OK");
      else account.settleFailure({ kind: "mismatched", status: "OK" }, true);
      return onDone(true);
    }
    const failure = classifyFailure(error, headers);
    const connected = failure.kind !== "connectErrors";
    // The library calls both dropped.
    account.settleFailure(failure.kind === "dropped" && wasReset() ? RESET : failure, connected);
    onDone(connected);
  };
  return {
    send: () => {
      headers = undefined;
      underWay = client.makeUnaryRequest(call.path, () => call.message, asItIs, undefined, call.metadata, {}, settle);
      underWay.once("metadata", (received: Metadata) => {
        headers = received;
      });
    },
    giveUp: () => {
      account.settleFailure({ kind: "timedOut" }, sockets.isConnected());
      underWay?.cancel();
    },
    close: async () => underWay?.cancel(),
  };
}

/** What is known of the sockets that this process connects. */
type SocketWatch = ReturnType<typeof watchSockets>;

/** Of Node; the gRPC library itself neither counts bytes nor shows its sockets. */
const NEW_SOCKET = "net.client.socket";
const CLOSE_GRACE_MS = 500;

/** Watches the sockets that are opened from now on. */
function watchSockets(run: LoadRun) {
  const open = new Set<Socket>();
  const unclaimed = new Set<Socket>();
  const add = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    open.add(socket);
    unclaimed.add(socket);
    socket.once("close", () => {
      open.delete(socket);
      unclaimed.delete(socket);
      // As they were on the wire: frames of HTTP/2, and with TLS what it made of them.
      countBytes(run, socket);
    });
  };
  subscribe(NEW_SOCKET, add);
  run.watch({
    carry: () => {
      for (const socket of open) countBytes(run, socket, -1);
      return null;
    },
  });
  return {
    /** Whether one of them is connected, whatever is spoken on it. */
    isConnected: () => [...open].some(({ connecting }) => !connecting),
    /**
     * Takes the connection on which a channel has just become ready: the server has spoken on it, and no channel has claimed it. The
     * library tells of each channel as soon as it has read what makes it ready, so there is no other. What is returned tells whether
     * the connection has ended by a reset of the other side.
     */
    claim: (): (() => boolean) => {
      const socket = [...unclaimed].find(({ bytesRead }) => bytesRead > 0);
      if (socket === undefined) return () => false;
      unclaimed.delete(socket);
      let wasReset = false;
      socket.once("error", ({ code }: NodeJS.ErrnoException) => {
        wasReset ||= code === RESET.code;
      });
      socket.once("end", () => {
        wasReset ||= endOf(socket) === RESET;
      });
      return () => wasReset;
    },
    /** Waits until all sockets are closed, and closes those that are not after half a second. */
    close: async () => {
      unsubscribe(NEW_SOCKET, add);
      const destroy = setTimeout(() => {
        for (const socket of open) socket.destroy();
      }, CLOSE_GRACE_MS);
      await Promise.all([...open].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
      clearTimeout(destroy);
    },
  };
}
