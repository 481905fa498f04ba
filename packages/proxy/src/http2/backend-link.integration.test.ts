import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import {
  constants,
  createServer as createHttp2Server,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from "node:http2";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { serve } from "@lbbench/test-support/servers.js";
import { startBalancer } from "../test-support/servers.js";
import { get, say } from "../test-support/wire.js";

type OnStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, server: Http2Server) => void;

/** Starts a server of HTTP/2; what it was asked is kept. */
async function startHttp2Backend(onStream: OnStream, options: ServerOptions = {}, place = 0) {
  const server = createHttp2Server(options);
  const sessions = new Set<ServerHttp2Session>();
  const asked: IncomingHttpHeaders[] = [];
  server.on("session", (session) => {
    sessions.add(session.on("error", () => undefined));
    session.once("close", () => sessions.delete(session));
  });
  server.on("stream", (stream, headers) => {
    stream.on("error", () => undefined);
    asked.push(headers);
    onStream(stream, headers, server);
  });
  const served = await serve(server, place);
  return { ...served, url: served.url.replace("http:", "h2c:"), server, sessions, asked };
}

/** Asks by HTTP/1.1, and reads the whole answer. */
async function ask(port: number, options: RequestOptions = {}, body?: string | Buffer) {
  const asked = httpRequest({ host: "127.0.0.1", port, ...options });
  onTestFinished(() => void asked.destroy());
  asked.end(body);
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  const said = await text(answer);
  return { status: answer.statusCode, headers: answer.headers, trailers: answer.trailers, body: said, answer };
}

/** Answers with its method and path, and what was sent. */
const echo: OnStream = (stream, headers) => {
  stream.respond({ ":status": 200, "content-type": "text/plain" });
  stream.write(`${headers[":method"]} ${headers[":path"]} `);
  stream.pipe(stream);
};

describe("a backend that speaks HTTP/2", () => {
  it("is sent requests of HTTP/1.1 as streams, and its answers come back", async () => {
    const backend = await startHttp2Backend(echo);
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
    const answer = await ask(balancer.port, { method: "POST", path: "/a?b=c", headers: { "X-Own": "1" } }, "body");
    expect(answer).toMatchObject({ status: 200, body: "POST /a?b=c body", headers: { "content-type": "text/plain" } });
    expect(backend.asked[0]).toMatchObject({
      ":method": "POST",
      ":scheme": "http",
      ":authority": `127.0.0.1:${balancer.port}`,
      ":path": "/a?b=c",
      "x-own": "1",
      "x-forwarded-for": "127.0.0.1",
    });
    expect(Object.keys(backend.asked[0] ?? {})).not.toContain("connection");
    await expectSoon(() => balancer.stats()["one"]).toEqual({ requests: 1, errors: 0, aborted: 0, inFlight: 0 });
  });

  it("is given 1000 requests of 20 clients on one connection", async () => {
    const backend = await startHttp2Backend(echo);
    const balancer = await startBalancer({ backends: [backend].map(({ url }) => ({ url })) });
    const client = async (name: number): Promise<void> => {
      for (let round = 0; round < 50; round++) {
        const path = `/${name}/${round}`;
        const { body } = await ask(balancer.port, { method: "PUT", path }, path);
        expect(body).toBe(`PUT ${path} ${path}`);
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => client(index)));
    expect(backend.asked).toHaveLength(1000);
    expect(backend.connections()).toBe(1);
  });

  it("has no body in its answers to HEAD, and in 204 and 304", async () => {
    const backend = await startHttp2Backend((stream, headers) => {
      const status = Number(headers[":path"]?.slice(1));
      stream.respond({ ":status": status, "content-length": status === 200 ? 5 : undefined }, { endStream: true });
    });
    const balancer = await startBalancer({ backends: [{ url: backend.url }] });
    const head = await say(balancer.port, get().replace("GET / ", "HEAD /200 "));
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n(?=[^]*content-length: 5\r\n)[^]*\r\n\r\n$/);
    for (const status of [204, 304]) {
      const answer = await say(balancer.port, get().replace(" / ", ` /${status} `));
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\\r\\n\\r\\n$`));
      expect(answer).not.toMatch(/content-length|transfer-encoding/i);
    }
  });

  it("may end its answer with trailers", async () => {
    const backend = await startHttp2Backend((stream) => {
      stream.respond({ ":status": 200 }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "x-sum": "7", "content-length": "3" }));
      stream.end("whole");
    });
    const balancer = await startBalancer({ backends: [{ url: backend.url }] });
    const { body, trailers } = await ask(balancer.port);
    expect(body).toBe("whole");
    expect(trailers).toEqual({ "x-sum": "7" });
  });

  it("may answer before it answers", async () => {
    const backend = await startHttp2Backend((stream) => {
      stream.additionalHeaders({ ":status": 103, link: "</a.css>" });
      stream.respond({ ":status": 200, "content-length": 2 });
      stream.end("ok");
    });
    const balancer = await startBalancer({ backends: [{ url: backend.url }] });
    const said = await say(balancer.port, get());
    expect(said).toMatch(/^HTTP\/1\.1 103 Early Hints\r\nlink: <\/a\.css>\r\n\r\nHTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nok$/);
  });

  it("gets as many connections as its limit of streams asks for, and loses no request", async () => {
    let most = 0;
    const backend = await startHttp2Backend(
      (stream) => {
        const { session } = stream;
        const open = (session as unknown as { open?: number }).open ?? 0;
        Object.assign(session as object, { open: open + 1 });
        most = Math.max(most, open + 1);
        stream.once("close", () => Object.assign(session as object, { open: 0 }));
        echo(stream, { ":method": "POST", ":path": "/" }, backend.server);
      },
      { settings: { maxConcurrentStreams: 1 } },
    );
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => ask(balancer.port, { method: "POST" }, `${index}`)),
    );
    expect(answers.map(({ body }) => body)).toEqual(answers.map((_, index) => `POST / ${index}`));
    expect(most).toBe(1);
    expect(balancer.stats()["one"]).toMatchObject({ requests: 50, errors: 0 });
  });
});
