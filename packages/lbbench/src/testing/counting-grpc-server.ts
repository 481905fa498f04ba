import { startCountingHttp2Server, type Http2Language } from "./counting-http2-server.js";
import type { Answer, CountingServer } from "./counting-server.js";

const HEADERS = { ":status": 200, "content-type": "application/grpc" };
const OK = { "grpc-status": "0" };
const UNAVAILABLE = { "grpc-status": "14" };
/** Not compressed, 0 bytes long: a message of any type. */
const EMPTY_MESSAGE = Buffer.alloc(5);

const GRPC: Http2Language = {
  scheme: "grpc",
  statuses: { ok: "OK", error: "UNAVAILABLE" },
  answerOk: (stream) => {
    stream.once("wantTrailers", () => stream.sendTrailers(OK));
    stream.respond(HEADERS, { waitForTrailers: true });
    stream.end(EMPTY_MESSAGE);
  },
  answerError: (stream) => stream.respond({ ...HEADERS, ...UNAVAILABLE }, { endStream: true }),
};

/**
 * Starts a server in this process that answers calls of any unary method, and counts them. It writes HTTP/2 itself, so
 * that no gRPC library is measured by itself. `answer` is given the number of each call, from 1; `ok` for all by default.
 */
export function startCountingGrpcServer(answer?: (number: number) => Answer): Promise<CountingServer> {
  return startCountingHttp2Server(answer, GRPC);
}
