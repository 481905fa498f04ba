import { once } from "node:events";
import http2 from "node:http2";
import net, { type Socket } from "node:net";
import { serve } from "@lbbench/test-support/servers.js";
import { expect, it, onTestFinished } from "vitest";
import { findDirectAccess, READ_BYTES } from "../connection.js";
import { RecordedStream, RecordingEnd } from "../test-support/recording-end.js";
import { HTTP2 } from "./errors.js";
import type { Fields } from "./fields.js";
import { Http2Connection, type Http2Options } from "./http2-connection.js";
import type { StreamLoss } from "./http2-stream.js";

const access = await findDirectAccess();
const MEMORY = Buffer.allocUnsafeSlow(READ_BYTES);
/** Tells when it is over. */
class Kept extends RecordedStream {
  settle: () => void = () => undefined;
  readonly over = new Promise<void>((resolve) => (this.settle = resolve));
  /** Whether what comes is dealt with at once. */
  consumes = true;
  drains = 0;

  override onData(bytes: Buffer, from: number, to: number): void {
    this.pieces.push(Buffer.from(bytes.subarray(from, to)));
    if (this.consumes) this.consume(to - from);
  }

  override onEnd(trailers: Fields | undefined): void {
    super.onEnd(trailers);
    this.settle();
  }

  override onDrained(): void {
    this.drains += 1;
  }

  override onLost(loss: StreamLoss): void {
    super.onLost(loss);
    this.settle();
  }
}

class Client extends Http2Connection {
  onSettingsCome: () => void = () => undefined;
  readonly settled = new Promise<void>((resolve) => (this.onSettingsCome = resolve));

  protected override onSettings(): void {
    this.onSettingsCome();
  }
}

async function connectTo(port: number, options: Partial<Http2Options> = {}): Promise<Client> {
  const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  await once(socket, "connect");
  const client = new Client(socket, access, { role: "client", ...options });
  onTestFinished(() => client.destroy());
  client.begin(MEMORY);
  return client;
}

/** Starts a server, and connects to it. */
const connectToServer = async (server: net.Server, options?: Partial<Http2Options>): Promise<Client> =>
  connectTo((await serve(server)).port, options);

const POST: Fields = [":method", "POST", ":scheme", "http", ":authority", "a", ":path", "/"];

function get(path: string): Fields {
  return [":method", "GET", ":scheme", "http", ":authority", "127.0.0.1", ":path", path];
}

it("sends requests to a server of Node, and reads heads, bodies and trailers of the answers", async () => {
  const server = http2.createServer((request, response) => {
    response.writeHead(200, { "x-path": request.url });
    response.addTrailers({ "x-end": "yes" });
    response.end(`You asked for ${request.url}`);
  });
  const client = await connectToServer(server);
  const streams = Array.from({ length: 50 }, (_, index) => {
    const stream = new Kept();
    client.open(stream, get(`/${index}`), true);
    return stream;
  });
  await Promise.all(streams.map(({ over }) => over));
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
  const stream = new Kept();
  client.open(stream, POST, false);
  expect(stream.writeData(body, true)).toBe(false);
  await stream.over;
  expect(stream.body.equals(body)).toBe(true);
  expect(stream.drains).toBe(1);
});

it("lets the other side send no more than the window of a stream while it is not consumed", async () => {
  const server = http2.createServer((_request, response) => void response.end(Buffer.alloc(1_000_000)));
  const client = await connectToServer(server, { streamWindowBytes: 20_000 });
  await client.settled;
  const slow = new Kept();
  slow.consumes = false;
  client.open(slow, get("/"), true);
  const quick = new Kept();
  client.open(quick, get("/"), true);
  await quick.over;
  expect(quick.body.length).toBe(1_000_000);
  expect(slow.body.length).toBe(20_000);
  slow.consumes = true;
  slow.consume(slow.body.length);
  await slow.over;
  expect(slow.body.length).toBe(1_000_000);
});

it("tells of resets, of GOAWAY that leaves streams out, and of the end of the connection", async () => {
  const server = http2.createServer();
  const sessions: http2.ServerHttp2Session[] = [];
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => sockets.push(socket));
  server.on("session", (session) => sessions.push(session));
  server.on("stream", (stream, headers) => {
    stream.on("error", () => undefined);
    if (headers[":path"] === "/reset") stream.close(HTTP2.ENHANCE_YOUR_CALM);
  });
  const client = await connectToServer(server);
  const [reset, first, second] = [new Kept(), new Kept(), new Kept()];
  client.open(reset, get("/reset"), true);
  await reset.over;
  expect(reset.loss).toEqual({ kind: "reset", code: HTTP2.ENHANCE_YOUR_CALM });
  client.open(first, get("/"), true);
  client.open(second, get("/"), true);
  await expect.poll(() => sessions.length).toBe(1);
  sessions[0]?.goaway(HTTP2.NO_ERROR, first.id);
  await second.over;
  expect(second.loss).toEqual({ kind: "unprocessed" });
  expect(client.canOpen).toBe(false);
  sockets[0]?.destroy();
  await first.over;
  expect(first.loss?.kind).toBe("closed");
});

class Echo extends Kept {
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

it("answers a client of Node, with bodies of both sides and trailers", async () => {
  const { port } = await startServer();
  const session = http2.connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
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
  const session = http2.connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  const stream = session.request({ ":method": "POST" }, { endStream: false });
  stream.write("first ");
  await expect.poll(() => connections[0]?.streams[0]?.body.length).toBe(6);
  connections[0]?.shutDown();
  await once(session, "goaway");
  stream.end("second");
  let text = "";
  stream.on("data", (piece) => (text += String(piece)));
  await once(session, "close");
  expect(text).toBe("first second");
});

it("sends all that waits when the window of its stream opens once, by more than a frame", async () => {
  const { port, connections } = await startServer({ streamWindowBytes: 100_000 });
  const client = await connectTo(port);
  await client.settled;
  const asked = new Kept();
  client.open(asked, POST, false);
  await expect.poll(() => connections[0]?.streams.length).toBe(1);
  const came = connections[0]?.streams[0] as Kept;
  came.consumes = false;
  asked.writeData(Buffer.alloc(200_000), true);
  await expect.poll(() => came.body.length).toBe(100_000);
  came.consume(100_000);
  await expect.poll(() => [came.body.length, came.hasAll]).toEqual([200_000, true]);
});
