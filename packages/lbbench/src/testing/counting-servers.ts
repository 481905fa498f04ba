/** Servers in this process that count what they get, one for each protocol that engines speak. */
import { once } from "node:events";
import { createServer } from "node:http";
import { constants, createServer as createHttp2Server, type Http2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo, Server } from "node:net";

/** What is done with a request; `nothing` leaves it open, `hang up` ends it without an answer. */
export type Answer = "ok" | "error" | "hang up" | "nothing";

/** What is done with each request, by its number, from 1. */
export type AnswerTo = (number: number) => Answer;

/** A server that counts what it gets. */
export interface CountingServer {
  readonly url: string;
  /** Names of the statuses that it answers with. */
  readonly statuses: { readonly ok: string; readonly error: string };
  /** Requests that arrived. */
  readonly requests: () => number;
  /** Connections that were accepted. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

const allOk: AnswerTo = () => "ok";

/** Starts an HTTP server. */
export async function startCountingServer(answer: AnswerTo = allOk): Promise<CountingServer> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    const answers: Readonly<Record<Answer, () => unknown>> = {
      ok: () => response.end("hello"),
      error: () => response.writeHead(503).end("no"),
      "hang up": () => request.socket.destroy(),
      nothing: () => {},
    };
    answers[answer(requests)]();
  });
  const rest = { statuses: { ok: "200", error: "503" }, requests: () => requests };
  const counting = await listen(server, "http", rest, () => server.closeAllConnections());
  return { ...counting, url: `${counting.url}/` };
}

/** How a server that speaks HTTP/2 answers. */
interface Http2Language extends Pick<CountingServer, "statuses"> {
  readonly scheme: string;
  readonly ok: (stream: ServerHttp2Stream) => void;
  readonly error: (stream: ServerHttp2Stream) => void;
}

/** Starts a server that speaks HTTP/2 by prior knowledge and nothing else. */
export function startCountingHttp2Server(answer: AnswerTo = allOk): Promise<CountingServer> {
  const say = (status: number, body: string) => (stream: ServerHttp2Stream) => {
    stream.respond({ ":status": status });
    stream.end(body);
  };
  const statuses = { ok: "200", error: "503" };
  return startHttp2(answer, { scheme: "http", statuses, ok: say(200, "hello"), error: say(503, "no") });
}

const GRPC_HEADERS = { ":status": 200, "content-type": "application/grpc" };
/** Not compressed, 0 bytes long: a message of any type. */
const EMPTY_MESSAGE = Buffer.alloc(5);

/**
 * Starts a server that answers calls of any unary method, and counts them. It writes HTTP/2 itself, so that no gRPC library is
 * measured by itself.
 */
export function startCountingGrpcServer(answer: AnswerTo = allOk): Promise<CountingServer> {
  return startHttp2(answer, {
    scheme: "grpc",
    statuses: { ok: "OK", error: "UNAVAILABLE" },
    ok: (stream) => {
      stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.respond(GRPC_HEADERS, { waitForTrailers: true });
      stream.end(EMPTY_MESSAGE);
    },
    error: (stream) => stream.respond({ ...GRPC_HEADERS, "grpc-status": "14" }, { endStream: true }),
  });
}

function startHttp2(answer: AnswerTo, { scheme, statuses, ok, error }: Http2Language): Promise<CountingServer> {
  let requests = 0;
  const sessions = new Set<Http2Session>();
  const server = createHttp2Server();
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  const answers: Readonly<Record<Answer, (stream: ServerHttp2Stream) => void>> = {
    ok,
    error,
    "hang up": (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
    nothing: () => {},
  };
  server.on("stream", (stream) => {
    // Requests that their client gives up.
    stream.on("error", () => {});
    stream.resume();
    requests += 1;
    answers[answer(requests)](stream);
  });
  return listen(server, scheme, { statuses, requests: () => requests }, () => {
    for (const session of sessions) session.destroy();
  });
}

async function listen(
  server: Server,
  scheme: string,
  rest: Pick<CountingServer, "statuses" | "requests">,
  cutOff: () => void,
): Promise<CountingServer> {
  let connections = 0;
  server.on("connection", () => (connections += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    ...rest,
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    close: async () => {
      server.close();
      cutOff();
      await once(server, "close");
    },
  };
}
