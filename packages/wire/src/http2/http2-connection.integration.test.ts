import { once } from "node:events";
import http2 from "node:http2";
import net, { type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { serve } from "@lbbench/test-support/servers.js";
import { expect, it, onTestFinished } from "vitest";
import { findDirectAccess, READ_BYTES } from "../connection.js";
import { RecordedStream, RecordingEnd } from "../test-support/recording-end.js";
import { HTTP2 } from "./errors.js";
import type { Fields } from "./fields.js";
import type { Http2Options } from "./http2-connection.js";

const access = await findDirectAccess();
const MEMORY = Buffer.allocUnsafeSlow(READ_BYTES);

async function connectTo(port: number, options: Partial<Http2Options> = {}) {
  const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  await once(socket, "connect");
  const client = new RecordingEnd(socket, access, { role: "client", ...options });
  onTestFinished(() => client.destroy());
  client.begin(MEMORY);
  return client;
}

/** Starts a server, and connects to it. */
const connectToServer = async (server: net.Server, options?: Partial<Http2Options>): Promise<RecordingEnd> =>
  connectTo((await serve(server)).port, options);

function fieldsOf(method: "GET" | "POST", path = "/"): Fields {
  return [":method", method, ":scheme", "http", ":authority", "127.0.0.1", ":path", path];
}

/** Opens a stream with a request that has no body. */
function get(client: RecordingEnd, path = "/", consumes = true): RecordedStream {
  const stream = new RecordedStream();
  stream.consumes = consumes;
  client.open(stream, fieldsOf("GET", path), true);
  return stream;
}

/** Opens a stream with a request whose body is to come. */
function post(client: RecordingEnd): RecordedStream {
  const stream = new RecordedStream();
  client.open(stream, fieldsOf("POST"), false);
  return stream;
}

it("sends requests to a server of Node, and reads heads, bodies and trailers of the answers", async () => {
  const server = http2.createServer((request, response) => {
    response.writeHead(200, { "x-path": request.url });
    response.addTrailers({ "x-end": "yes" });
    response.end(`You asked for ${request.url}`);
  });
  const client = await connectToServer(server);
  const streams = Array.from({ length: 50 }, (_, index) => get(client, `/${index}`));
  await expectSoon(() => streams.every(({ hasAll }) => hasAll)).toBe(true);
  for (const [index, stream] of streams.entries()) {
    expect(stream.body.toString()).toBe(`You asked for /${index}`);
    expect(stream.heads[0]).toEqual(expect.arrayContaining([":status", "200", "x-path", `/${index}`]));
    expect(stream.trailers).toEqual(["x-end", "yes"]);
  }
  expect(client.openStreams).toBe(0);
});

it("sends a large body through the windows of the other side, and takes one back", async () => {
  const server = http2.createServer({ settings: { initialWindowSize: 1000 } }, (request, response) => {
    request.pipe(response);
  });
  const client = await connectToServer(server, { streamWindowBytes: 3000 });
  const body = Buffer.alloc(2_000_000, "0123456789abcdef");
  const stream = post(client);
  expect(stream.writeData(body, true)).toBe(false);
  await expectSoon(() => stream.hasAll).toBe(true);
  expect(stream.body.equals(body)).toBe(true);
  expect(stream.drains).toBe(1);
});

it("lets the other side send no more than the window of a stream while it is not consumed", async () => {
  const server = http2.createServer((_request, response) => void response.end(Buffer.alloc(1_000_000)));
  const client = await connectToServer(server, { streamWindowBytes: 20_000 });
  await expectSoon(() => client.hasSettings).toBe(true);
  const slow = get(client, "/", false);
  const quick = get(client);
  await expectSoon(() => quick.hasAll).toBe(true);
  expect(quick.body.length).toBe(1_000_000);
  expect(slow.body.length).toBe(20_000);
  slow.consumes = true;
  slow.consume(slow.body.length);
  await expectSoon(() => slow.hasAll).toBe(true);
  expect(slow.body.length).toBe(1_000_000);
});

it("tells of resets, of GOAWAY that leaves streams out, and of the end of the connection", async () => {
  const server = http2.createServer();
  const sessions: http2.ServerHttp2Session[] = [];
  const sockets: Socket[] = [];
  let asked = 0;
  server.on("connection", (socket: Socket) => sockets.push(socket));
  server.on("session", (session) => sessions.push(session));
  server.on("stream", (stream, headers) => {
    asked += 1;
    stream.on("error", () => undefined);
    if (headers[":path"] === "/reset") stream.close(HTTP2.ENHANCE_YOUR_CALM);
  });
  const client = await connectToServer(server);
  const reset = get(client, "/reset");
  await expectSoon(() => reset.loss).toEqual({ kind: "reset", code: HTTP2.ENHANCE_YOUR_CALM });
  const [first, second] = [get(client), get(client)];
  await expectSoon(() => asked).toBe(3);
  sessions[0]?.goaway(HTTP2.NO_ERROR, first.id);
  await expectSoon(() => second.loss).toEqual({ kind: "unprocessed" });
  expect(client.canOpen).toBe(false);
  sockets[0]?.destroy();
  await expectSoon(() => first.loss?.kind).toBe("closed");
});

/** Answers with the body of the request. */
class Echo extends RecordedStream {
  override onHead(fields: Fields, ends: boolean): void {
    super.onHead(fields, ends);
    this.onAll = () => {
      this.writeHead([":status", "200", "content-type", "text/plain", "x-length", String(this.body.length)], false);
      this.writeData(this.body, false);
      this.writeEnd(["x-ends", String(ends)]);
    };
  }
}

async function startServer(options: Partial<Http2Options> = {}) {
  const connections: RecordingEnd[] = [];
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) => {
    const connection = new RecordingEnd(socket, access, { role: "server", ...options });
    connection.makeStream = () => new Echo();
    connections.push(connection);
    connection.begin(MEMORY);
  });
  const { port } = await serve(server);
  return { port, connections };
}

function openSession(port: number): http2.ClientHttp2Session {
  const session = http2.connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  return session;
}

it("answers a client of Node, with bodies of both sides and trailers", async () => {
  const session = openSession((await startServer()).port);
  const ask = async (length: number): Promise<[string, number, unknown]> => {
    const stream = session.request({ ":method": "POST", "x-many": "v".repeat(30_000) }, { endStream: false });
    let trailers: unknown;
    let size = 0;
    let head: http2.IncomingHttpHeaders = {};
    stream.on("response", (fields) => (head = fields));
    stream.on("trailers", (fields) => (trailers = fields["x-ends"]));
    stream.on("data", (piece: Buffer) => (size += piece.length));
    stream.end(Buffer.alloc(length, "x"));
    await once(stream, "end");
    return [String(head["x-length"]), size, trailers];
  };
  const answers = await Promise.all([0, 1, 16_384, 65_535, 500_000].map((length) => ask(length)));
  expect(answers).toEqual([0, 1, 16_384, 65_535, 500_000].map((length) => [String(length), length, "false"]));
});

it("loses no stream when it shuts down: a client of Node ends its session by itself", async () => {
  const { port, connections } = await startServer();
  const session = openSession(port);
  const stream = session.request({ ":method": "POST" }, { endStream: false });
  stream.write("first ");
  await expectSoon(() => connections[0]?.streams[0]?.body.length).toBe(6);
  connections[0]?.shutDown();
  await once(session, "goaway");
  stream.end("second");
  const answer = text(stream);
  await once(session, "close");
  expect(await answer).toBe("first second");
});

it("sends all that waits when the window of its stream opens once, by more than a frame", async () => {
  const { port, connections } = await startServer({ streamWindowBytes: 100_000 });
  const client = await connectTo(port);
  await expectSoon(() => client.hasSettings).toBe(true);
  const asked = post(client);
  await expectSoon(() => connections[0]?.streams.length).toBe(1);
  const came = connections[0]?.streams[0] as RecordedStream;
  came.consumes = false;
  asked.writeData(Buffer.alloc(200_000), true);
  await expectSoon(() => came.body.length).toBe(100_000);
  came.consume(100_000);
  await expectSoon(() => [came.body.length, came.hasAll]).toEqual([200_000, true]);
});
