import { once } from "node:events";
import { constants, createServer, type Http2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import type { Answer, CountingServer } from "./counting-server.js";

/** What a server says over HTTP/2. */
export interface Http2Language extends Pick<CountingServer, "statuses"> {
  /** Beginning of its URL: `http`. */
  readonly scheme: string;
  readonly answerOk: (stream: ServerHttp2Stream) => void;
  readonly answerError: (stream: ServerHttp2Stream) => void;
}

const HTTP: Http2Language = {
  scheme: "http",
  statuses: { ok: "200", error: "503" },
  answerOk: (stream) => {
    stream.respond({ ":status": 200 });
    stream.end("hello");
  },
  answerError: (stream) => {
    stream.respond({ ":status": 503 });
    stream.end("no");
  },
};

/**
 * Starts a server in this process that speaks HTTP/2 by prior knowledge and nothing else. `answer` is given the number of
 * each request, from 1; `ok` for all by default.
 */
export async function startCountingHttp2Server(
  answer: (number: number) => Answer = () => "ok",
  language: Http2Language = HTTP,
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
    // Requests that their client gives up.
    stream.on("error", () => {});
    stream.resume();
    requests += 1;
    answerStream(stream, answer(requests), language);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `${language.scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    statuses: language.statuses,
    requests: () => requests,
    connections: () => connections,
    close: async () => {
      server.close();
      for (const session of sessions) session.destroy();
      await once(server, "close");
    },
  };
}

function answerStream(stream: ServerHttp2Stream, answer: Answer, language: Http2Language): void {
  switch (answer) {
    case "ok":
      language.answerOk(stream);
      break;
    case "error":
      language.answerError(stream);
      break;
    case "hang up":
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      break;
    case "nothing":
      break;
  }
}
