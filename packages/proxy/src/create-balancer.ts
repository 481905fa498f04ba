import { Agent, createServer, type IncomingMessage } from "node:http";
import { BalancedResponse } from "./balanced-response.js";
import { BalancerListenError } from "./balancer-listen-error.js";
import { BALANCER_DEFAULTS } from "./defaults.js";
import { destroyAgent } from "./destroy-agent.js";
import { sendText } from "./fail-response.js";
import { listen } from "./listen.js";
import type { Balancer, BalancerOptions, CloseOptions, ListenAddress, ListenOptions } from "./options.js";
import { logEntry } from "./request-log.js";
import { resolveOptions } from "./resolve-options.js";
import { countEnd, readStats } from "./stats.js";
import { createUpstream, type UpstreamContext } from "./upstream.js";

/** A load balancer over the given backends, not listening yet. Throws a `BalancerOptionsError`. */
export function createBalancer(options: BalancerOptions): Balancer {
  const { backends, policy, backendHeader, onRequest } = resolveOptions(options);
  // Without these limits lifted, requests would queue in the agent, and connections above 256 would be opened for one
  // request each.
  const agent = new Agent({
    keepAlive: true,
    maxSockets: Infinity,
    maxFreeSockets: Infinity,
    timeout: BALANCER_DEFAULTS.backendIdleMs,
  });
  const context: UpstreamContext = { agent, backendHeader, closing: false };
  const upstreams = backends.map((backend) => createUpstream(backend, context));
  const picker = policy.create();
  let unfinished = 0;

  const server = createServer({ ServerResponse: BalancedResponse, noDelay: true }, handle);
  server.keepAliveTimeout = BALANCER_DEFAULTS.keepAliveTimeoutMs;
  // A slow request is a measurement, not an attack.
  server.requestTimeout = 0;
  server.headersTimeout = 0;
  // A connection that cannot be accepted, for want of descriptors say, must not end the balancer.
  server.on("error", () => undefined);

  function handle(request: IncomingMessage, response: BalancedResponse): void {
    if (onRequest !== undefined) response.startedAtMs = performance.now();
    unfinished += 1;
    response.on("close", settle);
    const upstream = picker.pick(upstreams, request);
    if (upstream === undefined) {
      response.failure = "No backend is available.";
      sendText(response, 503, response.failure, []);
      return;
    }
    upstream.requests += 1;
    upstream.inFlight += 1;
    response.upstream = upstream;
    upstream.forward(request, response);
  }

  function settle(this: BalancedResponse): void {
    unfinished -= 1;
    countEnd(this);
    if (context.closing) endIdleConnections();
    onRequest?.(logEntry(this));
  }

  function endIdleConnections(): void {
    if (unfinished === 0) server.closeAllConnections();
    else server.closeIdleConnections();
  }

  let listening: Promise<ListenAddress> | undefined;
  let closed: Promise<void> | undefined;

  async function start(listenOptions: ListenOptions = {}): Promise<ListenAddress> {
    if (listening !== undefined || closed !== undefined) {
      throw new BalancerListenError("A balancer listens once; create another one to listen again.");
    }
    listening = listen(server, listenOptions);
    return listening;
  }

  async function shutDown(): Promise<void> {
    context.closing = true;
    await listening?.catch(() => undefined);
    if (server.listening) {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        endIdleConnections();
      });
    }
    await destroyAgent(agent);
  }

  async function close({ graceMs = BALANCER_DEFAULTS.closeGraceMs }: CloseOptions = {}): Promise<void> {
    closed ??= shutDown();
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    try {
      await closed;
    } finally {
      clearTimeout(timer);
    }
  }

  return { listen: start, stats: () => readStats(upstreams), close };
}
