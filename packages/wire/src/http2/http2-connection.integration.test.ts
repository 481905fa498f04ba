import { once } from "node:events";
import http2, { type Http2Server } from "node:http2";
import net, { type AddressInfo, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { findDirectAccess, READ_BYTES } from "../connection.js";
import { HTTP2 } from "./errors.js";
import type { Fields } from "./fields.js";
import { Http2Connection, type Http2Options } from "./http2-connection.js";
import { Http2Stream, type StreamLoss } from "./http2-stream.js";

const access = await findDirectAccess();
const MEMORY = Buffer.allocUnsafeSlow(READ_BYTES);
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A stream that keeps what it is told. */
class Kept extends Http2Stream {
  readonly heads: Fields[] = [];
  readonly pieces: Buffer[] = [];
  trailers: Fields | undefined;
  loss: StreamLoss | undefined;
  hasAll = false;
  settle: () => void = () => undefined;
  readonly over = new Promise<void>((resolve) => (this.settle = resolve));
  onAll: (() => void) | undefined;
  /** Whether what comes is dealt with at once. */
  consumes = true;
  drains = 0;

  get body(): Buffer {
    return Buffer.concat(this.pieces);
  }

  onHead(fields: Fields, _ends: boolean): void {
    this.heads.push(fields);
  }

  onData(bytes: Buffer, from: number, to: number): void {
    this.pieces.push(Buffer.from(bytes.subarray(from, to)));
    if (this.consumes) this.consume(to - from);
  }

  onEnd(trailers: Fields | undefined): void {
    this.trailers = trailers;
    this.hasAll = true;
    this.onAll?.();
    this.settle();
  }

  onDrained(): void {
    this.drains += 1;
  }

  onLost(loss: StreamLoss): void {
    this.loss = loss;
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

/** Connects to a server of Node. */
async function connectTo(server: net.Server | Http2Server, options: Partial<Http2Options> = {}): Promise<Client> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  cleanups.push(() => server.close());
  const socket = net.connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
  await once(socket, "connect");
  const client = new Client(socket, access, { role: "client", ...options });
  cleanups.push(() => client.destroy());
  client.begin(MEMORY);
  return client;
}

function get(path: string): Fields {
  return [":method", "GET", ":scheme", "http", ":authority", "127.0.0.1", ":path", path];
}

it("sends requests to a server of Node, and reads heads, bodies and trailers of the answers", async () => {
  const server = http2.createServer((request, response) => {
    response.writeHead(200, { "x-path": request.url });
    response.addTrailers({ "x-end": "yes" });
    response.end(`You asked for ${request.url}`);
  });
  const client = await connectTo(server);
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
  const client = await connectTo(server, { streamWindowBytes: 3000 });
  const body = Buffer.alloc(2_000_000, "0123456789abcdef");
  const stream = new Kept();
  client.open(stream, [":method", "POST", ":scheme", "http", ":authority", "a", ":path", "/"], false);
  expect(stream.writeData(body, true)).toBe(false);
  await stream.over;
  expect(stream.body.equals(body)).toBe(true);
  expect(stream.drains).toBe(1);
});

it("lets the other side send no more than the window of a stream while it is not consumed", async () => {
  const server = http2.createServer((_request, response) => void response.end(Buffer.alloc(1_000_000)));
  const client = await connectTo(server, { streamWindowBytes: 20_000 });
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
  const client = await connectTo(server);
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

class Server extends Http2Connection {
  readonly streams: Kept[] = [];
  protected override createStream(): Http2Stream {
    const stream = new Echo();
    this.streams.push(stream);
    return stream;
  }
}

async function startServer(options: Partial<Http2Options> = {}): Promise<{ port: number; connections: Server[] }> {
  const connections: Server[] = [];
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) => {
    const connection = new Server(socket, access, { role: "server", ...options });
    connections.push(connection);
    cleanups.push(() => connection.destroy());
    connection.begin(MEMORY);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  cleanups.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, connections };
}

it("answers a client of Node, with bodies of both sides and trailers", async () => {
  const { port } = await startServer();
  const session = http2.connect(`http://127.0.0.1:${port}`);
  cleanups.push(() => session.destroy());
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
  cleanups.push(() => session.destroy());
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
  const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  await once(socket, "connect");
  const client = new Client(socket, access, { role: "client" });
  cleanups.push(() => client.destroy());
  client.begin(MEMORY);
  await client.settled;
  const asked = new Kept();
  client.open(asked, [":method", "POST", ":scheme", "http", ":authority", "a", ":path", "/"], false);
  await expect.poll(() => connections[0]?.streams.length).toBe(1);
  const [came] = connections[0]?.streams ?? [];
  if (came === undefined) throw new Error("No stream has come.");
  came.consumes = false;
  asked.writeData(Buffer.alloc(200_000), true);
  await expect.poll(() => came.body.length).toBe(100_000);
  came.consume(100_000);
  await expect.poll(() => [came.body.length, came.hasAll]).toEqual([200_000, true]);
});
