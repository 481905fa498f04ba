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
import { Backoff, FIRST_BACKOFF_MS, LONGEST_BACKOFF_MS, watchTime, type LoadRun, type LoadUser } from "../load-run.js";
import { userStartsUs } from "../shares.js";
import { endOf, RESET } from "../sockets.js";
import { parseGrpcTarget, resolveCall, type UnaryCall } from "./call.js";
import { classifyFailure } from "./classify-failure.js";
import type { GrpcOptions } from "./engine.js";

/** Reads the call of a load, and builds its channels and the users who call over them. */
export async function grpcCallers(load: GeneratorLoad, run: LoadRun): Promise<Clients> {
  const { address, secure } = parseGrpcTarget(load.url);
  // As the engine has read them.
  const options = load.options as GrpcOptions;
  const call = await resolveCall({ options, request: load.request }, load.folder);
  const sockets = watchSockets();
  const security = secure ? credentials.createSsl() : credentials.createInsecure();
  const channels = Array.from({ length: options.channels }, () =>
    watchChannel(new Client(address, security, CHANNEL_OPTIONS), run, sockets),
  );
  for (const [user, startUs] of userStartsUs(load, load.place).entries()) {
    // In turn, so that users that come one after another share them evenly as well.
    const channel = channels[user % channels.length] as Channel;
    run.enter(createCaller(channel, { run, sockets, call, timeoutMs: load.timeoutMs }), startUs);
  }
  return {
    stop: async () => {
      const { received, sent } = sockets.bytes();
      run.recorder.received(received);
      run.recorder.written(sent);
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
  let isFirst = true;
  let wasReset = (): boolean => false;
  const watch = (state: connectivityState): void => {
    channel.watchConnectivityState(state, Infinity, () => {
      const now = channel.getConnectivityState(false);
      if (now === connectivityState.READY) {
        run.recorder.connected(isFirst);
        run.sawLife();
        isFirst = false;
        wasReset = sockets.claim();
      }
      if (now !== connectivityState.SHUTDOWN) watch(now);
    });
  };
  watch(channel.getConnectivityState(false));
  /** `wasReset`: whether its last connection ended by a reset of the other side. */
  return { client, wasReset: () => wasReset() };
}

/** What all users of a run have in common. */
interface CallerPlan {
  readonly run: LoadRun;
  readonly sockets: SocketWatch;
  readonly call: UnaryCall;
  readonly timeoutMs: number;
}

/** An answer is compared and counted, not read: that is work of the generator and not of the target. */
const asItIs = (bytes: Buffer): Buffer => bytes;

/**
 * Creates a user that makes one call after the other over a channel and gives each of them one outcome.
 *
 * The time of a call is kept here and not by a deadline of the library: a server that is told a deadline ends the call at
 * the same moment, and who was first would be left to chance.
 */
function createCaller({ client, wasReset }: Channel, { run, sockets, call, timeoutMs }: CallerPlan): LoadUser {
  const { recorder } = run;
  const backoff = new Backoff();
  let isFirst = true;
  let underWay: ClientUnaryCall | undefined;
  /** When the call under way left; `null` without one. */
  let sentUs: number | null = null;
  let headers: Metadata | undefined;
  let stopWatch = (): void => {};
  let waiting: NodeJS.Timeout | undefined;
  let isOver = false;

  const end = (): void => {
    isOver = true;
    stopWatch();
    clearTimeout(waiting);
  };
  const send = (): void => {
    if (isOver) return;
    if (!run.take(isFirst)) {
      end();
      return run.leave(user);
    }
    isFirst = false;
    headers = undefined;
    sentUs = run.nowUs();
    recorder.sent(sentUs);
    underWay = client.makeUnaryRequest(call.path, () => call.message, asItIs, undefined, call.metadata, {}, settle);
    underWay.once("metadata", (received: Metadata) => {
      headers = received;
    });
  };
  const settle = (error: ServiceError | null, answer: Buffer = Buffer.alloc(0)): void => {
    const since = sentUs;
    sentUs = null;
    // One that was given up has its outcome; this says that it has really ended.
    if (since === null) return send();
    const nowUs = run.nowUs();
    if (error === null) {
      run.sawLife();
      recorder.body(answer.length);
      if (call.isExpected(answer)) recorder.ok(since, nowUs, "OK");
      else recorder.failed("mismatched", since, nowUs, { status: "OK" });
    } else {
      const failure = classifyFailure(error, headers);
      // The library calls both dropped.
      const { kind, ...why } = failure.kind === "dropped" && wasReset() ? RESET : failure;
      recorder.failed(kind, since, nowUs, why);
      if (kind === "connectErrors") {
        run.sawNoConnection();
        waiting = setTimeout(send, backoff.nextMs());
        return;
      }
      if (kind === "non2xx" || kind === "mismatched") run.sawLife();
    }
    backoff.reset();
    send();
  };
  const giveUp = (): void => {
    if (sentUs === null) return;
    if (!sockets.isConnected()) run.sawNoConnection();
    recorder.failed("timedOut", sentUs, run.nowUs(), {});
    sentUs = null;
    underWay?.cancel();
  };

  const user: LoadUser = {
    start: () => {
      const elapsedMs = (): number => (sentUs === null ? 0 : (run.nowUs() - sentUs) / 1000);
      stopWatch = watchTime(timeoutMs, elapsedMs, giveUp).stop;
      send();
    },
    cut: () => {
      const isOpen = sentUs !== null;
      sentUs = null;
      end();
      if (isOpen) underWay?.cancel();
      return isOpen ? 1 : 0;
    },
  };
  return user;
}

/** What is known of the sockets that this process connects. */
type SocketWatch = ReturnType<typeof watchSockets>;

/** Of Node; the gRPC library itself neither counts bytes nor shows its sockets. */
const NEW_SOCKET = "net.client.socket";
const CLOSE_GRACE_MS = 500;

/** Watches the sockets that are opened from now on. */
function watchSockets() {
  const open = new Set<Socket>();
  const unclaimed = new Set<Socket>();
  const closed = { received: 0, sent: 0 };
  const add = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    open.add(socket);
    unclaimed.add(socket);
    socket.once("close", () => {
      open.delete(socket);
      unclaimed.delete(socket);
      closed.received += socket.bytesRead;
      closed.sent += socket.bytesWritten;
    });
  };
  subscribe(NEW_SOCKET, add);
  return {
    /** Bytes read and written so far, as they were on the wire: frames of HTTP/2, and with TLS what it made of them. */
    bytes: () => ({
      received: [...open].reduce((sum, { bytesRead }) => sum + bytesRead, closed.received),
      sent: [...open].reduce((sum, { bytesWritten }) => sum + bytesWritten, closed.sent),
    }),
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
