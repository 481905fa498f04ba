import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";
import { generatorEngine } from "../generators.js";
import { checkTls } from "../sockets.js";
import { readHandshake } from "./handshake.js";

const MOST_SOCKETS = 100_000;
/** To find out whether a WebSocket can be opened by a request. */
const SOMEWHERE = "ws://localhost";

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
export const webSocketEngine = generatorEngine({
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
    readHandshake(SOMEWHERE, request);
    checkTls(tls, folder);
  },
  share: ({ level, request, keepAlive, options: asked }) => {
    readHandshake(SOMEWHERE, request);
    const options = webSocketOptions.parse(asked);
    const { sockets } = options;
    // Users have a WebSocket each, and so has a message where none is kept.
    return level.rate === undefined || !keepAlive ? { options } : { options, pool: { sockets }, connections: sockets };
  },
});
