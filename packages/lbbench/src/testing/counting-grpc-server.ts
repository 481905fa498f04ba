import { once } from "node:events";
import { constants, createServer, type Http2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import type { Answer, CountingServer } from "./counting-server.js";

const HEADERS = { ":status": 200, "content-type": "application/grpc" };
const OK = { "grpc-status": "0" };
const UNAVAILABLE = { "grpc-status": "14" };
/** Not compressed, 0 bytes long: a message of any type. */
const EMPTY_MESSAGE = Buffer.alloc(5);

/**
 * Starts a server in this process that answers calls of any unary method, and counts them. It writes HTTP/2 itself, so
 * that no gRPC library is measured by itself. `answer` is given the number of each call, from 1; `ok` for all by default.
 */
export async function startCountingGrpcServer(
  answer: (number: number) => Answer = () => "ok",
): Promise<CountingServer> {
  let requests = 0;
  let connections = 0;
  const sessions = new Set<Http2Session>();
  const server = createServer();
  server.on("connection", () => (connections += 1));
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  server.on("stream", (stream) => {
    // Calls that their client gives up.
    stream.on("error", () => {});
    stream.resume();
    requests += 1;
    answerCall(stream, answer(requests));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `grpc://127.0.0.1:${(server.address() as AddressInfo).port}`,
    statuses: { ok: "OK", error: "UNAVAILABLE" },
    requests: () => requests,
    connections: () => connections,
    close: async () => {
      server.close();
      for (const session of sessions) session.destroy();
      await once(server, "close");
    },
  };
}

function answerCall(stream: ServerHttp2Stream, answer: Answer): void {
  switch (answer) {
    case "ok":
      stream.once("wantTrailers", () => stream.sendTrailers(OK));
      stream.respond(HEADERS, { waitForTrailers: true });
      stream.end(EMPTY_MESSAGE);
      break;
    case "error":
      stream.respond({ ...HEADERS, ...UNAVAILABLE }, { endStream: true });
      break;
    case "hang up":
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      break;
    case "nothing":
      break;
  }
}
