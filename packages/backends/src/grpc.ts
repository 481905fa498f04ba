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
} from "@grpc/grpc-js";
import { load, type ServiceDefinition } from "@grpc/proto-loader";
import { createServer } from "node:net";
import {
  type ConnectionCounts,
  countConnections,
  type Endpoint,
  listen,
  type RunningBackend,
  runningHere,
  stopWith,
  urlOf,
} from "./backend.js";
import { disturbable } from "./disturbance.js";
import { GRPC_DEFAULTS, GRPC_SAMPLE, type GrpcRefusal } from "./defaults.js";
import { workOf, type HandlerSpec } from "./handlers.js";
import { prepareAnswer, readBody, sendAnswer, TEXT, type Answer, type Handler } from "./work.js";

/** Request and reply as the `.proto` file has them. */
export interface WorkRequest {
  readonly body: Buffer;
  readonly contentType: string;
}

export interface WorkReply extends WorkRequest {
  readonly status: number;
}

/** Reads the `.proto` file for the method of the sample service; fields that were not sent have their default. */
export async function loadWorkMethod(): Promise<MethodDefinition<WorkRequest, WorkReply>> {
  const definition = await load(GRPC_SAMPLE.protoFile, { defaults: true });
  // Both names are those of our own file, and a test calls the method.
  const service = definition[GRPC_SAMPLE.service] as ServiceDefinition;
  return service[GRPC_SAMPLE.method] as unknown as MethodDefinition<WorkRequest, WorkReply>;
}

/**
 * Starts a service without TLS that does a handler's work; rejects with a `BackendStartError` when the address cannot be listened on.
 *
 * The connections are accepted here and handed over: grpc-js itself prints when a port is in use, lets a shortage of
 * descriptors end the process, and has a shorter backlog than the HTTP servers it is compared with.
 */
export async function serveWork(
  handler: HandlerSpec,
  endpoint: Endpoint,
  maxCalls: number,
  refuseWith: GrpcRefusal,
): Promise<RunningBackend & { readonly refused: () => Promise<number> }> {
  const { draw, perform } = workOf(handler);
  const refusal = { code: status[refuseWith], details: `${maxCalls} calls are in progress, and more are not taken` };
  const worker = new Metadata();
  worker.set("x-worker", String(process.pid));
  const inProgress = new Set<object>();
  /** Calls that are not answered yet, waiting ones included. */
  const unanswered = new Set<Parameters<handleUnaryCall<WorkRequest, WorkReply>>[0]>();
  let [calls, refused] = [0, 0];
  const serveCall: handleUnaryCall<WorkRequest, WorkReply> = (call, reply) => {
    if (inProgress.size >= maxCalls) {
      refused += 1;
      return reply(refusal);
    }
    inProgress.add(call);
    call.on("cancelled", () => inProgress.delete(call));
    const begin = (): void => {
      if (!inProgress.has(call)) return;
      perform({ drawn: draw?.(), ...call.request }, (answer) => {
        if (inProgress.delete(call)) sendReply(answer, reply);
      });
    };
    // Work that keeps the processor busy ends before the next call is seen. With a limit, it starts after all calls that came
    // together were counted.
    if (maxCalls === Infinity) begin();
    else setImmediate(begin);
  };
  const { serve, disturb } = disturbable(
    serveCall,
    (_call, reply) => reply({ code: status.UNAVAILABLE, details: "This server was told to fail this call" }),
    (call) => call.cancelled,
  );
  const method: typeof serveCall = (call, reply) => {
    calls += 1;
    if (endpoint.identify) call.sendMetadata(worker);
    unanswered.add(call);
    call.on("cancelled", () => unanswered.delete(call));
    serve(call, (...answer) => {
      unanswered.delete(call);
      reply(...answer);
    });
  };
  const grpcServer = new Server({ "grpc.enable_channelz": 0, "grpc.max_receive_message_length": -1 });
  grpcServer.addService({ method: await loadWorkMethod() }, { method });
  const injector = grpcServer.createConnectionInjector(ServerCredentials.createInsecure());
  const netServer = createServer({ noDelay: true }, (socket) => {
    // A client that resets its connection is no error of the server.
    socket.on("error", () => undefined);
    injector.injectConnection(socket);
  });
  const { open, counts } = countConnections(netServer, () => undefined);
  const url = urlOf(endpoint.host, await listen(netServer, endpoint), "grpc");
  const close = async (graceMs: number): Promise<void> => {
    // Without a grace period there is nothing to announce, and clients take an announced end for an INTERNAL error.
    if (graceMs > 0) grpcServer.tryShutdown(() => undefined);
    await new Promise((resolve) => netServer.close(resolve));
    grpcServer.forceShutdown();
  };
  const stop = stopWith(close, () => open.forEach((_, socket) => socket.destroy()));
  const connections = (): ConnectionCounts => counts(new Set([...unanswered].map((call) => call.getPeer())).size);
  return { ...runningHere(url, () => calls, connections, disturb, stop), refused: async () => refused };
}

/** OK below 500, UNAVAILABLE for 503, INTERNAL for any other 5xx. */
function sendReply({ status: httpStatus, headers, body }: Answer, reply: sendUnaryData<WorkReply>): void {
  if (httpStatus >= 500) {
    const code = httpStatus === 503 ? status.UNAVAILABLE : status.INTERNAL;
    return reply({ code, details: `The handler answered with ${httpStatus}` });
  }
  const contentType = headers[headers.indexOf("Content-Type") + 1] ?? "";
  const bytes = typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.length);
  reply(null, { status: httpStatus, contentType, body: bytes });
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

/** What a gateway answers when its call failed with a gRPC status; 502 for statuses that are not in the table. */
const GATEWAY_STATUSES: ReadonlyMap<number, number> = new Map([
  [status.UNAVAILABLE, 503],
  [status.RESOURCE_EXHAUSTED, 503],
  [status.DEADLINE_EXCEEDED, 504],
]);

/** Makes a handler that calls a service, over its channels in turn, each a connection that is opened when it is called first. */
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
          // The client has gone and cannot be told.
          if (response.destroyed) return;
          if (reply !== undefined) return sendAnswer(response, answerOf(reply));
          const { code = status.UNKNOWN, details = "no reply" } = error ?? {};
          const httpStatus = GATEWAY_STATUSES.get(code) ?? 502;
          sendAnswer(response, prepareAnswer(httpStatus, TEXT, `${status[code]}: ${details}\n`));
        },
      );
      response.on("close", () => {
        if (!response.writableEnded) call.cancel();
      });
    });
  return { handler, close: () => clients.forEach((client) => client.close()) };
}

/** The service may be any that knows the messages: what it replies need not be something that can be said over HTTP. */
function answerOf({ status: httpStatus, contentType, body }: WorkReply): Answer {
  if (httpStatus < 200 || httpStatus > 599 || !/^[\t\u0020-\u007E\u0080-\u00FF]*$/.test(contentType)) {
    return prepareAnswer(502, TEXT, `The service's reply is no HTTP answer: status ${httpStatus}.\n`);
  }
  return { status: httpStatus, headers: ["Content-Type", contentType, "Content-Length", String(body.length)], body };
}
