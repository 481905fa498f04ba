import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import {
  Metadata,
  Server,
  ServerCredentials,
  status as statuses,
  type sendUnaryData,
  type ServerUnaryCall,
} from "@grpc/grpc-js";
import { loadSync, type ServiceDefinition } from "@grpc/proto-loader";
import { GRPC_SAMPLE } from "@lbbench/backends";

/** What the server does with one call. */
export interface CallAction {
  /** Name of the status that it ends the call with; or what becomes of it without one. */
  readonly end: keyof typeof statuses | "fin" | "rst" | "hang";
  readonly delayMs?: number;
  readonly details?: string;
  /** Sends headers when the call comes, so that the status comes in trailers of their own. */
  readonly headersFirst?: boolean;
  /** Bytes in the body of the answer; `hello` without it. */
  readonly body?: string;
}

/** Says what to do with a call; `number` counts from 1 over the whole server. */
export type CallBehaviour = (number: number) => CallAction;

/** What the server did, by its own account. */
export interface CallLog {
  accepted: number;
  calls: number;
  /** Calls in progress, now and at most. */
  inProgress: number;
  mostInProgress: number;
  /** Calls that their client gave up. */
  cancelled: number;
  /** Statuses sent. */
  readonly statuses: Record<string, number>;
  /** Connections that it closed in the middle of a call. */
  hungUp: number;
  /** From the call to its answer, in ms, for each status sent. */
  readonly serviceMs: number[];
  /** Message bytes of answers. */
  bodyBytes: number;
  /** Of connections that are closed. */
  readBytes: number;
  writtenBytes: number;
  /** Metadata and body of the first call. */
  first?: { readonly metadata: Record<string, unknown>; readonly body: string };
}

/** A gRPC server that does exactly what it is told with the calls of the sample service, and writes down what it did. */
export interface GrpcTruthServer {
  readonly url: string;
  readonly port: number;
  readonly log: CallLog;
  /** Resolves when no connection is open any more. */
  readonly drained: () => Promise<void>;
  /** Closes the port and every connection. */
  readonly close: () => Promise<void>;
}

/** How the server is reached: over TLS with key and certificate, or at a port that is asked for. */
export interface GrpcTruthOptions {
  readonly identity?: { readonly key: Buffer; readonly cert: Buffer };
  readonly port?: number;
}

const service = loadSync(GRPC_SAMPLE.protoFile)[GRPC_SAMPLE.service] as ServiceDefinition;

/** Starts a server of the library that gRPC services in Node use, on a free port of the loopback. */
export async function startGrpcTruthServer(
  behaviour: CallBehaviour,
  { identity, port = 0 }: GrpcTruthOptions = {},
): Promise<GrpcTruthServer> {
  const log = emptyLog();
  const sockets = new Map<number | undefined, Socket>();
  const waiting: (() => void)[] = [];
  const grpcServer = new Server({ "grpc.enable_channelz": 0 });
  grpcServer.addService(service, {
    [GRPC_SAMPLE.method]: (call: WorkCall, answer: WorkAnswer) => {
      const socket = sockets.get(Number(call.getPeer().split(":").at(-1)));
      serve(call, answer, socket, behaviour, log);
    },
  });
  const credentials =
    identity === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(null, [{ private_key: identity.key, cert_chain: identity.cert }]);
  const injector = grpcServer.createConnectionInjector(credentials);
  const server = net.createServer({ noDelay: true }, (socket) => {
    log.accepted += 1;
    const { remotePort } = socket;
    sockets.set(remotePort, socket);
    socket.on("error", () => {});
    socket.once("close", () => {
      log.readBytes += socket.bytesRead;
      log.writtenBytes += socket.bytesWritten;
      sockets.delete(remotePort);
      if (sockets.size === 0) for (const resolve of waiting.splice(0)) resolve();
    });
    injector.injectConnection(socket);
  });
  server.listen(port, "127.0.0.1", 4096);
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  return {
    url: `${identity === undefined ? "grpc" : "grpcs"}://127.0.0.1:${address.port}`,
    port: address.port,
    log,
    drained: () => (sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets.values()) socket.destroy();
      await closed;
      grpcServer.forceShutdown();
    },
  };
}

type WorkCall = ServerUnaryCall<{ readonly body: Buffer }, unknown>;
type WorkAnswer = sendUnaryData<unknown>;

function emptyLog(): CallLog {
  return {
    accepted: 0,
    calls: 0,
    inProgress: 0,
    mostInProgress: 0,
    cancelled: 0,
    statuses: {},
    hungUp: 0,
    serviceMs: [],
    bodyBytes: 0,
    readBytes: 0,
    writtenBytes: 0,
  };
}

function serve(
  call: WorkCall,
  answer: WorkAnswer,
  socket: Socket | undefined,
  behaviour: CallBehaviour,
  log: CallLog,
): void {
  const startMs = performance.now();
  log.calls += 1;
  log.first ??= { metadata: call.metadata.getMap(), body: String(call.request.body) };
  log.inProgress += 1;
  log.mostInProgress = Math.max(log.mostInProgress, log.inProgress);
  let over = false;
  const finish = (): boolean => {
    if (over) return false;
    over = true;
    log.inProgress -= 1;
    return true;
  };
  call.on("cancelled", () => {
    if (finish()) log.cancelled += 1;
  });
  const action = behaviour(log.calls);
  if (action.headersFirst === true) call.sendMetadata(new Metadata());
  const act = (): void => {
    if (action.end === "hang" || !finish()) return;
    if (action.end === "fin" || action.end === "rst") {
      log.hungUp += 1;
      if (action.end === "fin") socket?.destroy();
      else socket?.resetAndDestroy();
      return;
    }
    log.statuses[action.end] = (log.statuses[action.end] ?? 0) + 1;
    log.serviceMs.push(performance.now() - startMs);
    sendStatus(action, answer, log);
  };
  if (action.delayMs === undefined) act();
  else setTimeout(act, action.delayMs);
}

function sendStatus({ end, details = "", body = "hello" }: CallAction, answer: WorkAnswer, log: CallLog): void {
  if (end === "OK") {
    const reply = { status: 200, body: Buffer.from(body) };
    log.bodyBytes += service[GRPC_SAMPLE.method]?.responseSerialize(reply).length ?? Number.NaN;
    answer(null, reply);
  } else {
    answer({ code: statuses[end as keyof typeof statuses], details });
  }
}
