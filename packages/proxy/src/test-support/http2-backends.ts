import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from "node:http2";
import { serve } from "@lbbench/test-support/servers.js";

/** What a server does with a request. */
export type OnStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, server: Http2Server) => void;

/** Starts a server of HTTP/2 on Node's own; the heads of its requests are kept. */
export async function startHttp2Backend(onStream: OnStream, options: ServerOptions = {}) {
  const server = createServer(options);
  const sessions = new Set<ServerHttp2Session>();
  const asked: IncomingHttpHeaders[] = [];
  server.on("session", (session) => {
    sessions.add(session.on("error", () => undefined));
    session.once("close", () => sessions.delete(session));
  });
  server.on("stream", (stream, headers) => {
    asked.push(headers);
    onStream(
      stream.on("error", () => undefined),
      headers,
      server,
    );
  });
  const served = await serve(server);
  return { ...served, url: served.url.replace("http:", "h2c:"), sessions, asked };
}

/** Answers with its method and path, and what it was sent. */
export const echo: OnStream = (stream, headers) => {
  stream.respond({ ":status": 200, "content-type": "text/plain" });
  stream.write(`${headers[":method"]} ${headers[":path"]} `);
  stream.pipe(stream);
};
