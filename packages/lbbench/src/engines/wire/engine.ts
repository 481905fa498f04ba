import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";
import type { AskedLoad } from "../../plugin.js";
import { generatorEngine } from "../generators.js";
import { checkTls } from "../sockets.js";

const MOST_STREAMS = 10_000;
const MOST_EVENTS = 1_000_000;

const wireOptions = z.strictObject({
  /** Requests that share a connection at a time, by HTTP/2. */
  streams: z.int().min(1).max(MOST_STREAMS).default(DEFAULTS.wire.streams),
  /** Server-sent events after which a stream is ended; without it answers are not read as streams. */
  events: z.int().min(1).max(MOST_EVENTS).exactOptional(),
});

/** Options of the engine, with their defaults. */
export type WireOptions = z.output<typeof wireOptions>;

/**
 * What autocannon cannot do: requests on a schedule, users that come one after another, a connection for each request,
 * certificates that are verified, HTTP/2, and where the time of a request went. By HTTP/2 the connections of a level are its
 * users, and `streams` of them share a connection.
 */
export const wireEngine = generatorEngine({
  name: "wire",
  supports: {
    protocols: ["http"],
    loads: ["connections", "rate", "connectionRate", "users"],
    keepAliveOff: true,
    requestsPerConnection: true,
    connecting: true,
    httpVersions: ["1.1", "2"],
    mixes: true,
    slices: true,
    fills: true,
    holds: true,
    events: true,
    serverTiming: true,
    tlsVerification: true,
  },
  options: wireOptions,
  check: async (asked, { folder }) => {
    await check(asked);
    checkTls(asked.tls, folder);
  },
  share: async (load) => {
    await check(load);
    const options = wireOptions.parse(load.options);
    return { options, streams: options.streams };
  },
});

/** Rejects with an `Error` when requests cannot share connections as they are to, or cannot be sent over HTTP/2. */
async function check({
  options,
  request,
  mix,
  keepAlive,
  requestsPerConnection,
  httpVersion = DEFAULTS.httpVersion,
}: Omit<AskedLoad, "levels" | "timeoutMs">): Promise<void> {
  const { streams, events } = wireOptions.parse(options);
  if (events !== undefined && httpVersion === "2") {
    throw new Error(
      `Expected events (--events) with HTTP/1.1 alone, got ${events} with HTTP/2 (--http2). Leave one of them out.`,
    );
  }
  if (streams > 1 && httpVersion !== "2") {
    throw new Error(
      `Expected streams (--streams) only with HTTP/2 (--http2, httpVersion: "2"), got ${streams} without it: by HTTP/1.1 a connection has one request at a time. Leave it out, or use HTTP/2.`,
    );
  }
  if (streams > 1 && !keepAlive) {
    throw new Error(
      `Expected streams (--streams) only where connections are kept, got ${streams} with a connection for each request (--no-keepalive, keepAlive: false). Leave one of them out.`,
    );
  }
  if (httpVersion !== "2") return;
  if (requestsPerConnection !== undefined) {
    throw new Error(
      `Expected requestsPerConnection (--requests-per-connection) with HTTP/1.1 alone, got ${requestsPerConnection} with HTTP/2 (--http2), where a connection has several requests at a time. ` +
        "Use 1, or leave one of them out.",
    );
  }
  // Loaded only when it is needed.
  const { checkHttp2Request } = await import("./http2.js");
  for (const one of mix?.map((mixed) => mixed.request) ?? [request]) checkHttp2Request(one);
}
