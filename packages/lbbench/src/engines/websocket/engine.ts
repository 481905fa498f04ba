import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";
import type { Load } from "../../plugin.js";
import { driveGenerators, LEAD_MS, type CompleteEngine } from "../generators.js";
import { splitEvenly, splitLevel } from "../shares.js";
import { checkTls } from "../sockets.js";
import { readHandshake } from "./handshake.js";
import { defined } from "../../stats/defined.js";

const MOST_SOCKETS = 100_000;

const webSocketOptions = z.strictObject({
  /** WebSockets that the messages of a rate go over in turn. They are opened before the first message leaves. */
  sockets: z.int().min(1).max(MOST_SOCKETS).default(DEFAULTS.websocket.sockets),
});

/** Options of the engine, with their defaults. */
export type WebSocketOptions = z.output<typeof webSocketOptions>;

/**
 * Sends messages over WebSockets that are kept, by the client of `ws`. A request is a message, and its answer the next one that comes over the
 * same WebSocket: an echo, unless another body is expected. Users have a WebSocket each, with one message open; the messages of a rate go over
 * so many `sockets` in turn, whether or not earlier ones were answered. Close codes are those of `dropped`, a refused upgrade is `non2xx`.
 *
 * The client limits: `ws` masks every message in JavaScript, so that an echo costs a generator more processor time than a request by the
 * engine `wire`. `GENERATOR_SATURATED` says where that was the limit. Compression is not offered.
 */
export const webSocketEngine: CompleteEngine = {
  name: "websocket",
  supports: {
    protocols: ["websocket"],
    loads: ["connections", "rate", "users"],
    keepAliveOff: true,
    connecting: true,
    slices: true,
    fills: true,
    tlsVerification: true,
  },
  options: webSocketOptions,
  check: async ({ request, tls }, { folder }) => {
    checkRequest(request);
    checkTls(tls, folder);
  },
  run: async (load, context) => {
    checkRequest(load.request);
    const { level, arrival, keepAlive } = load;
    const options = webSocketOptions.parse(load.options);
    if (level.rate === undefined || arrival === undefined) {
      const shares = splitLevel(level, load.generators).map((part) => ({ ...load, options, level: part }));
      return driveGenerators({ engine: "websocket", shares, asked: level }, context);
    }
    const { sockets } = options;
    const most = keepAlive ? Math.min(sockets, arrival.maxInFlight) : arrival.maxInFlight;
    const parts = splitEvenly(arrival.maxInFlight, Math.min(load.generators, most));
    const split = splitEvenly(sockets, parts.length);
    const shares = parts.map((maxInFlight, index) => ({
      ...load,
      options: { sockets: split[index] },
      arrival: { ...arrival, maxInFlight },
    }));
    const asked = { rate: level.rate, ...defined({ connections: keepAlive ? sockets : undefined }) };
    return driveGenerators({ engine: "websocket", shares, asked, leadMs: LEAD_MS }, context);
  },
};

/** Throws an `Error` for a request by which no WebSocket can be opened. */
function checkRequest(request: Load["request"]): void {
  readHandshake("ws://localhost", request);
}
