import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";
import type { AskedLoad } from "../../plugin.js";
import { closedConnections } from "../../stats/load.js";
import { driveGenerators, LEAD_MS, type CompleteEngine } from "../generators.js";
import { splitEvenly, splitLevel } from "../shares.js";
import { checkTls } from "../sockets.js";
import { defined } from "../../stats/defined.js";

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
export const wireEngine: CompleteEngine = {
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
  run: async (load, context) => {
    await check(load);
    const { level, arrival, hold } = load;
    const options = wireOptions.parse(load.options);
    if (level.rate !== undefined && arrival !== undefined) {
      // Every generator takes every n-th request of one schedule, and its part of the requests in flight.
      const parts = splitEvenly(arrival.maxInFlight, Math.min(load.generators, arrival.maxInFlight));
      const shares = parts.map((maxInFlight) => ({ ...load, options, arrival: { ...arrival, maxInFlight } }));
      return driveGenerators({ engine: "wire", shares, asked: { rate: level.rate }, leadMs: LEAD_MS }, context);
    }
    const { streams } = options;
    const levels = splitLevel(level, load.generators, streams);
    const bursts = splitEvenly(hold?.burst ?? 0, levels.length);
    const shares = levels.map((part, index) => ({
      ...load,
      options,
      level: part,
      ...defined({ hold: hold && { ...hold, burst: bursts[index] ?? 0 } }),
    }));
    // The users of a ramp are dealt out to the generators.
    const users = level.users === undefined ? [closedConnections(level)] : splitEvenly(level.users, shares.length);
    const connections = users.reduce((sum, share) => sum + Math.ceil(share / streams), 0);
    return driveGenerators({ engine: "wire", shares, asked: { ...level, connections } }, context);
  },
};

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
