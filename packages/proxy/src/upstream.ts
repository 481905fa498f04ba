import type { Agent, IncomingMessage } from "node:http";
import { answerHeaders } from "./answer-head.js";
import { BalancedResponse } from "./balanced-response.js";
import { failResponse } from "./fail-response.js";
import { httpProxy } from "./http-proxy.js";
import type { BackendState } from "./policies/policy.js";
import type { ResolvedBackend } from "./resolve-options.js";
import { withoutPass } from "./without-pass.js";

/** What all upstreams of a balancer share. */
export interface UpstreamContext {
  readonly agent: Agent;
  readonly backendHeader: string | false;
  /** Set when the balancer closes: clients are then asked to close their connections. */
  closing: boolean;
}

/** A backend with its counters and the way to it. */
export interface Upstream extends BackendState {
  available: boolean;
  requests: number;
  errors: number;
  aborted: number;
  inFlight: number;
  /** Passes the request on and the answer back; whatever goes wrong ends the response. */
  readonly forward: (request: IncomingMessage, response: BalancedResponse) => void;
}

/**
 * Makes the way to one backend. It has an http-proxy of its own, which spares http-proxy a copy of all options per
 * request.
 */
export function createUpstream(backend: ResolvedBackend, context: UpstreamContext): Upstream {
  const proxy = httpProxy.createProxyServer<IncomingMessage, BalancedResponse>({
    target: {
      protocol: "http:",
      hostname: backend.hostname,
      host: backend.hostname,
      port: String(backend.port),
      path: backend.basePath,
    },
    agent: context.agent,
    xfwd: true,
    // The client's wish to close is about its own connection, not about ours to the backend.
    headers: { connection: "keep-alive" },
  });
  // It declares a chunked body to be empty, and the backend then takes the body for the next request.
  withoutPass(proxy, "deleteLength");

  const ownHeaders = context.backendHeader === false ? [] : [context.backendHeader, backend.name];
  const fail = (response: BalancedResponse, status: number, what: string): void => {
    failResponse(response, status, `Backend ${backend.name} ${what}`, ownHeaders);
  };

  proxy.on("proxyReq", (forwarded, _request, response) => {
    response.forwarded = forwarded;
    if (response.destroyed) {
      forwarded.destroy();
      return;
    }
    forwarded.on("close", () => {
      if (response.answer?.complete !== true)
        fail(response, 502, "closed the connection before its answer was complete.");
    });
  });

  // Writing the head here, before http-proxy does, keeps an answer that cannot be passed on from becoming an uncaught
  // exception.
  proxy.on("proxyRes", (answer, request, response) => {
    response.answer = answer;
    if (response.destroyed || response.writableEnded) return;
    const { backendHeader, closing } = context;
    const { statusCode = 0, statusMessage = "" } = answer;
    try {
      const headers = answerHeaders(answer, request.httpVersion, { backendHeader, backendName: backend.name, closing });
      response.writeHead(statusCode, statusMessage, headers);
    } catch (error) {
      response.statusMessage = "";
      fail(response, 502, `sent an answer that cannot be passed on: ${describeError(error)}`);
    }
  });

  proxy.on("error", (error, _request, response) => {
    if (!(response instanceof BalancedResponse) || response.answer?.complete === true) return;
    fail(response, 502, `did not answer: ${describeError(error)}`);
  });

  return {
    name: backend.name,
    url: backend.url,
    weight: backend.weight,
    available: true,
    requests: 0,
    errors: 0,
    aborted: 0,
    inFlight: 0,
    forward(request, response) {
      try {
        leaveOutHopHeaders(request);
        proxy.web(request, response);
      } catch (error) {
        fail(response, 400, `cannot be asked for ${JSON.stringify(request.url)}: ${describeError(error)}`);
      }
    },
  };
}

function leaveOutHopHeaders({ headers }: IncomingMessage): void {
  // Upgrades are not passed on, so the backend must not be asked for one.
  if (headers.upgrade !== undefined) delete headers.upgrade;
  // The server has told the client to continue already.
  if (headers.expect !== undefined) delete headers.expect;
}

function describeError(error: unknown): string {
  // An address with several candidates fails with one error for each, and no message of its own.
  if (error instanceof AggregateError) return error.errors.map(describeError).join("; ");
  return error instanceof Error ? error.message : String(error);
}
