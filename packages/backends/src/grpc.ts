/** Both sides of the gRPC sample: the service that does a handler's work, and the gateway that calls it. */
import {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  status,
  type handleUnaryCall,
  type MethodDefinition,
  type sendUnaryData,
  type ServiceError,
} from "@grpc/grpc-js";
import { load, type ServiceDefinition } from "@grpc/proto-loader";
import { validateHeaderValue, type ServerResponse } from "node:http";
import { createServer, type Socket } from "node:net";
import type { Address } from "./backend.js";
import { GRPC_DEFAULTS } from "./defaults.js";
import { GRPC_SAMPLE, type GrpcRefusal } from "./grpc-sample.js";
import { workOf, type HandlerSpec } from "./handlers.js";
import { listen } from "./http-server.js";
import { readBody, TEXT, type Handler } from "./work.js";

/** A request as the `.proto` file has it. */
export interface WorkRequest {
  readonly body: Buffer;
  /** Empty when there is none. */
  readonly contentType: string;
}

/** A reply as the `.proto` file has it. */
export interface WorkReply {
  /** HTTP status of the same answer over HTTP. */
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** The sample service's method: its path, and how its messages become bytes and back. */
export type WorkMethod = MethodDefinition<WorkRequest, WorkReply>;

/** Reads the `.proto` file; fields that were not sent have their default. */
export async function loadWorkMethod(): Promise<WorkMethod> {
  const definition = await load(GRPC_SAMPLE.protoFile, { defaults: true });
  // Both names are those of our own file, and a test calls the method.
  const service = definition[GRPC_SAMPLE.service] as ServiceDefinition;
  return service[GRPC_SAMPLE.method] as unknown as WorkMethod;
}

/** A service that does a handler's work, and its counts. */
export interface GrpcService {
  readonly port: number;
  /** Calls received so far. */
  readonly calls: () => number;
  /** Those of them that were refused. */
  readonly refused: () => number;
  /** Takes no more calls, lets those in progress finish for a time, ends the rest; resolves when no connection is left. */
  readonly stop: (graceMs: number) => Promise<void>;
}

/**
 * Starts a service without TLS that does a handler's work; rejects with a `BackendStartError` when the address cannot be listened on.
 *
 * The connections are accepted here and handed over: grpc-js itself prints when a port is in use, lets a shortage of
 * descriptors end the process, and has a shorter backlog than the HTTP servers it is compared with.
 *
 * @param identify whether each answer carries `x-worker`, the id of this process.
 * @param maxCalls calls in progress beyond which calls are refused.
 */
export async function serveWork(
  handler: HandlerSpec,
  address: Address,
  identify: boolean,
  maxCalls: number,
  refuseWith: GrpcRefusal,
): Promise<GrpcService> {
  const work = callWork(handler);
  const refusal = { code: status[refuseWith], details: `${maxCalls} calls are in progress, and more are not taken` };
  let [calls, refused, inProgress] = [0, 0, 0];
  const method: handleUnaryCall<WorkRequest, WorkReply> = (call, reply) => {
    calls += 1;
    if (identify) call.sendMetadata(workerMetadata());
    if (inProgress >= maxCalls) {
      refused += 1;
      reply(refusal);
      return;
    }
    inProgress += 1;
    let isOpen = true;
    const end = (): void => {
      if (isOpen) inProgress -= 1;
      isOpen = false;
    };
    call.on("cancelled", end);
    const begin = (): void => {
      if (!isOpen) return;
      work(call.request, (answer) => {
        if (!isOpen) return;
        end();
        sendReply(answer, reply);
      });
    };
    // Work that keeps the processor busy ends before the next call is seen. With a limit, it waits until those that
    // came together have been counted.
    if (maxCalls === Infinity) begin();
    else setImmediate(begin);
  };
  const grpcServer = new Server({ "grpc.enable_channelz": 0, "grpc.max_receive_message_length": -1 });
  grpcServer.addService({ method: await loadWorkMethod() }, { method });
  const injector = grpcServer.createConnectionInjector(ServerCredentials.createInsecure());
  const sockets = new Set<Socket>();
  const netServer = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // A client that resets its connection is no error of the server.
    socket.on("error", () => undefined);
    injector.injectConnection(socket);
  });
  const port = await listen(netServer, address);
  return {
    port,
    calls: () => calls,
    refused: () => refused,
    async stop(graceMs) {
      const closed = new Promise<void>((resolve) => netServer.close(() => resolve()));
      // Without a grace period there is nothing to announce, and clients take an announced end for an INTERNAL error.
      if (graceMs > 0) grpcServer.tryShutdown(() => undefined);
      const end = setTimeout(() => sockets.forEach((socket) => socket.destroy()), graceMs);
      await closed;
      clearTimeout(end);
      grpcServer.forceShutdown();
    },
  };
}

/** Does a handler's work for calls, and hands over the reply, maybe before it returns. */
function callWork(handler: HandlerSpec): (request: WorkRequest, done: (reply: WorkReply) => void) => void {
  const { usesBody, draw, perform } = workOf(handler);
  return ({ body, contentType }, done) => {
    const carried = usesBody ? { body, ...(contentType === "" ? {} : { contentType }) } : {};
    perform({ drawn: draw(), ...carried }, ({ status: httpStatus, headers, body: answered }) =>
      done({
        status: httpStatus,
        contentType: headers[headers.indexOf("Content-Type") + 1] ?? "",
        body:
          typeof answered === "string"
            ? Buffer.from(answered)
            : Buffer.from(answered.buffer, answered.byteOffset, answered.byteLength),
      }),
    );
  };
}

/** OK below 500, UNAVAILABLE for 503, INTERNAL for any other 5xx. */
function sendReply(answer: WorkReply, reply: sendUnaryData<WorkReply>): void {
  if (answer.status < 500) return reply(null, answer);
  const code = answer.status === 503 ? status.UNAVAILABLE : status.INTERNAL;
  reply({ code, details: `The handler answered with ${answer.status}` });
}

function workerMetadata(): Metadata {
  const metadata = new Metadata();
  metadata.set("x-worker", String(process.pid));
  return metadata;
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

/**
 * Makes a handler that calls the service at `host:port` once for each request and answers with its reply, or with a 5xx when there
 * is none. It calls over so many channels in turn, each a connection of its own that is opened when it is called first.
 */
export async function openGateway(
  target: string,
  channels: number,
  deadlineMs: number,
): Promise<{ readonly handler: Handler; readonly close: () => void }> {
  const { path, requestSerialize, responseDeserialize } = await loadWorkMethod();
  const open = (): Client => new Client(target, credentials.createInsecure(), CHANNEL_OPTIONS);
  const clients = Array.from({ length: channels }, open);
  let turn = 0;
  const handler: Handler = (request, response) =>
    readBody(request, Infinity, (body = Buffer.alloc(0)) => {
      const client = clients[turn++ % channels] as Client;
      const call = client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        { body, contentType: request.headers["content-type"] ?? "" },
        new Metadata({ waitForReady: false }),
        { deadline: Date.now() + deadlineMs },
        (error, reply) => {
          // The client has gone, and with it whoever could be told.
          if (response.destroyed) return;
          if (error !== null || reply === undefined) answerFailure(response, error);
          else answerReply(response, reply);
        },
      );
      response.on("close", () => {
        if (!response.writableEnded) call.cancel();
      });
    });
  return { handler, close: () => clients.forEach((client) => client.close()) };
}

function answerReply(response: ServerResponse, reply: WorkReply): void {
  if (isAnswer(reply)) answer(response, reply);
  else answerText(response, 502, `The service's reply is no HTTP answer: status ${reply.status}.\n`);
}

/** Whether the reply can be sent over HTTP; the service may be any that knows the messages. */
function isAnswer({ status: httpStatus, contentType }: WorkReply): boolean {
  try {
    validateHeaderValue("content-type", contentType);
  } catch {
    return false;
  }
  return httpStatus >= 200 && httpStatus <= 599;
}

/** What a gateway answers when its call failed with a gRPC status; 502 for what has none of its own. */
const GATEWAY_STATUSES: ReadonlyMap<number, number> = new Map([
  [status.UNAVAILABLE, 503],
  [status.RESOURCE_EXHAUSTED, 503],
  [status.DEADLINE_EXCEEDED, 504],
]);

function answerFailure(response: ServerResponse, error: ServiceError | null): void {
  const code = error?.code ?? status.UNKNOWN;
  answerText(response, GATEWAY_STATUSES.get(code) ?? 502, `${status[code]}: ${error?.details ?? "no reply"}\n`);
}

function answerText(response: ServerResponse, httpStatus: number, text: string): void {
  answer(response, { status: httpStatus, contentType: TEXT, body: Buffer.from(text) });
}

function answer(response: ServerResponse, { status: httpStatus, contentType, body }: WorkReply): void {
  response.writeHead(httpStatus, ["Content-Type", contentType, "Content-Length", String(body.length)]);
  response.end(body);
}
