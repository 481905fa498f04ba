import net, { type Socket } from "node:net";
import { Metadata, Server, ServerCredentials, status as statuses } from "@grpc/grpc-js";
import type { sendUnaryData, ServerUnaryCall } from "@grpc/grpc-js";
import { loadSync, type ServiceDefinition } from "@grpc/proto-loader";
import { GRPC_SAMPLE } from "@lbbench/backends";
import type { Action, Outcome } from "../../src/testing/ground-truth/action.js";
import { accept, standUp, trackSockets, type ReachOptions } from "../../src/testing/ground-truth/truth-server.js";
import {
  after,
  createServerLog,
  enterAction,
  enterRequest,
  type ServerLog,
  type TruthServer,
} from "../../src/testing/ground-truth/server-log.js";

/** What the server does with one call. */
export interface CallAction {
  /** Name of the status that it ends the call with; or what becomes of it without one. */
  readonly end: keyof typeof statuses | "fin" | "rst" | "hang";
  readonly delay?: Action["delay"];
  /** Sends headers when the call comes, so that the status comes in trailers of their own. */
  readonly headersFirst?: boolean;
  /** Bytes in the body of the answer; `hello` without it. */
  readonly body?: string;
}

/** Says what to do with a call; `number` counts from 1 over the whole server. */
export type CallBehaviour = (number: number) => CallAction;

/** What the server did, with the statuses of gRPC, and bytes of connections that are closed. */
export interface CallLog extends ServerLog {
  /** Calls that said until when they are waited for. */
  withDeadline: number;
  /** Metadata and body of the first call. */
  first?: { readonly metadata: Record<string, unknown>; readonly body: string };
}

const service = loadSync(GRPC_SAMPLE.protoFile)[GRPC_SAMPLE.service] as ServiceDefinition;

/** Starts a server of the library that gRPC services in Node use: it does what it is told with calls of the sample service. */
export async function startGrpcTruthServer(
  behaviour: CallBehaviour,
  reach: ReachOptions = {},
): Promise<TruthServer<CallLog>> {
  const log: CallLog = { ...createServerLog(), withDeadline: 0 };
  const sockets = new Map<number | undefined, Socket>();
  const open = trackSockets();
  const grpcServer = new Server({ "grpc.enable_channelz": 0 });
  grpcServer.addService(service, {
    [GRPC_SAMPLE.method]: (call: WorkCall, answer: WorkAnswer) => {
      const socket = sockets.get(Number(call.getPeer().split(":").at(-1)));
      serve(call, answer, behaviour, log, socket);
    },
  });
  const injector = grpcServer.createConnectionInjector(
    reach.identity === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(null, [{ private_key: reach.identity.key, cert_chain: reach.identity.cert }]),
  );
  const server = net.createServer({ noDelay: true }, (socket) => {
    const { remotePort } = socket;
    sockets.set(remotePort, socket);
    socket.once("close", () => sockets.delete(remotePort));
    accept(socket, open, log);
    injector.injectConnection(socket);
  });
  server.once("close", () => grpcServer.forceShutdown());
  return { log, ...(await standUp(server, "grpc", reach, open)) };
}

type WorkCall = ServerUnaryCall<{ readonly body: Buffer }, unknown>;
type WorkAnswer = sendUnaryData<unknown>;

const OUTCOMES: Readonly<Record<string, Outcome>> = { OK: "ok", fin: "dropped", rst: "resets", hang: "timedOut" };

function serve(call: WorkCall, answer: WorkAnswer, behaviour: CallBehaviour, log: CallLog, socket?: Socket): void {
  const readAtMs = enterRequest(log);
  log.first ??= { metadata: call.metadata.getMap(), body: String(call.request.body) };
  if (call.getDeadline() !== Infinity) log.withDeadline += 1;
  let isOver = false;
  call.on("cancelled", () => void (isOver = true));
  const { end, delay = 0, body = "hello", headersFirst = false } = behaviour(log.requests);
  if (headersFirst) call.sendMetadata(new Metadata());
  after(delay, () => {
    if (isOver) return;
    isOver = end !== "hang";
    const isStatus = !["fin", "rst", "hang"].includes(end);
    const reply = { status: 200, body: Buffer.from(body) };
    const bodyBytes = end === "OK" ? (service[GRPC_SAMPLE.method]?.responseSerialize(reply).length ?? Number.NaN) : 0;
    enterAction(log, { outcome: OUTCOMES[end] ?? "non2xx", status: isStatus ? end : null, bodyBytes }, readAtMs);
    if (end === "fin") socket?.destroy();
    else if (end === "rst") socket?.resetAndDestroy();
    else if (end === "OK") answer(null, reply);
    else if (end !== "hang") answer({ code: statuses[end], details: "" });
  });
}
