/** What a generator process does: it opens channels, and lets users call over them. */
import {
  Client,
  connectivityState,
  credentials,
  type ChannelCredentials,
  type ClientUnaryCall,
  type Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import type { BuildClients, GeneratorLoad } from "../generator.js";
import {
  Backoff,
  FIRST_BACKOFF_MS,
  LONGEST_BACKOFF_MS,
  watchTime,
  type LoadRun,
  type LoadUser,
  type TimeWatch,
} from "../load-run.js";
import { userStartsUs } from "../shares.js";
import { RESET } from "../sockets.js";
import { parseGrpcTarget, resolveCall, type UnaryCall } from "./call.js";
import { classifyFailure } from "./classify-failure.js";
import type { GrpcOptions } from "./engine.js";
import { watchSockets } from "./watch-sockets.js";

/** Reads the call of a load, and returns what builds its channels and the users who call over them. */
export async function grpcCallers(load: GeneratorLoad): Promise<BuildClients> {
  const { address, secure } = parseGrpcTarget(load.url);
  // As the engine has read them.
  const options = load.options as GrpcOptions;
  const call = await resolveCall({ options, request: load.request }, load.folder);
  return (run) => {
    const sockets = watchSockets();
    const security = secure ? credentials.createSsl() : credentials.createInsecure();
    const channels = Array.from({ length: options.channels }, () => {
      let first = true;
      return openChannel(address, security, () => {
        run.recorder.connected(first);
        first = false;
        run.sawLife();
        return sockets.claim();
      });
    });
    const plan: CallerPlan = { call, timeoutMs: load.timeoutMs, isConnected: sockets.isConnected };
    for (const [user, startUs] of userStartsUs(load, load.place).entries()) {
      // In turn, so that users that come one after another share them evenly as well.
      const channel = channels[user % channels.length];
      if (channel !== undefined) run.enter(createCaller(channel, run, plan), startUs);
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
  };
}

/** One connection to the target, opened by the first call and again whenever it was lost. */
interface Channel {
  readonly client: Client;
  /** Whether its last connection ended by a reset. */
  readonly wasReset: () => boolean;
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

/**
 * Makes a channel; nothing is connected before the first call.
 *
 * @param onConnected called each time a connection is established and the server has spoken HTTP/2 on it; returns what tells whether
 *   that connection was reset.
 */
function openChannel(
  address: string,
  security: ChannelCredentials,
  onConnected: () => Channel["wasReset"] | undefined,
): Channel {
  const client = new Client(address, security, CHANNEL_OPTIONS);
  const channel = client.getChannel();
  let wasReset: Channel["wasReset"] | undefined;
  const watch = (state: connectivityState): void => {
    channel.watchConnectivityState(state, Infinity, () => {
      const now = channel.getConnectivityState(false);
      if (now === connectivityState.READY) wasReset = onConnected();
      if (now !== connectivityState.SHUTDOWN) watch(now);
    });
  };
  watch(channel.getConnectivityState(false));
  return { client, wasReset: () => wasReset?.() ?? false };
}

/** What all users of a run have in common. */
interface CallerPlan {
  readonly call: UnaryCall;
  readonly timeoutMs: number;
  /** Whether there is a connection, though nothing may be answered on it. */
  readonly isConnected: () => boolean;
}

const NOTHING: Buffer = Buffer.alloc(0);

/** An answer is compared and counted, not read: that is work of the generator and not of the target. */
const asItIs = (bytes: Buffer): Buffer => bytes;

/**
 * Creates a user that makes one call after the other over a channel and gives each of them one outcome.
 *
 * The time of a call is kept here and not by a deadline of the library: a server that is told a deadline ends the call at
 * the same moment, and who was first would be left to chance.
 */
function createCaller(
  { client, wasReset }: Channel,
  run: LoadRun,
  { call, timeoutMs, isConnected }: CallerPlan,
): LoadUser {
  const { path, message, metadata, isExpected } = call;
  const { recorder } = run;
  const backoff = new Backoff();
  let first = true;
  let ended = false;
  let underWay: ClientUnaryCall | undefined;
  /** When the call under way left; `null` without one. */
  let sentUs: number | null = null;
  let headers: Metadata | undefined;
  let watch: TimeWatch | undefined;
  let waiting: NodeJS.Timeout | undefined;

  const end = (): void => {
    ended = true;
    watch?.stop();
    clearTimeout(waiting);
  };
  const send = (): void => {
    if (ended) return;
    if (!run.take(first)) {
      end();
      run.leave(user);
      return;
    }
    first = false;
    headers = undefined;
    sentUs = run.nowUs();
    recorder.sent(sentUs);
    underWay = client.makeUnaryRequest(path, () => message, asItIs, undefined, metadata, {}, settle);
    underWay.once("metadata", (received: Metadata) => {
      headers = received;
    });
  };
  const settle = (error: ServiceError | null, answer?: Buffer): void => {
    const since = sentUs;
    sentUs = null;
    // One that was given up has its outcome; this says that it has really ended.
    const foundNoConnection = since !== null && enter(since, error, answer);
    if (foundNoConnection) waiting = setTimeout(send, backoff.nextMs());
    else send();
  };
  /** Records the outcome; tells whether it is that there was no connection. */
  const enter = (since: number, error: ServiceError | null, answer = NOTHING): boolean => {
    const nowUs = run.nowUs();
    if (error === null) {
      run.sawLife();
      recorder.body(answer.length);
      if (isExpected(answer)) recorder.ok(since, nowUs, "OK");
      else recorder.failed("mismatched", since, nowUs, { status: "OK" });
      backoff.reset();
      return false;
    }
    const failure = classifyFailure(error, headers);
    // The library calls both dropped.
    const { kind, ...why } = failure.kind === "dropped" && wasReset() ? RESET : failure;
    recorder.failed(kind, since, nowUs, why);
    if (kind === "connectErrors") {
      run.sawNoConnection();
      return true;
    }
    backoff.reset();
    if (kind === "non2xx" || kind === "mismatched") run.sawLife();
    return false;
  };
  const giveUp = (): void => {
    if (sentUs === null) return;
    if (!isConnected()) run.sawNoConnection();
    recorder.failed("timedOut", sentUs, run.nowUs(), {});
    sentUs = null;
    underWay?.cancel();
  };

  const user: LoadUser = {
    start: () => {
      watch = watchTime(timeoutMs, () => (sentUs === null ? 0 : (run.nowUs() - sentUs) / 1000), giveUp);
      send();
    },
    cut: () => {
      const open = sentUs !== null;
      sentUs = null;
      end();
      if (open) underWay?.cancel();
      return open ? 1 : 0;
    },
  };
  return user;
}
