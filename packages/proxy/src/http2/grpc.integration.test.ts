import {
  Client,
  credentials,
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServiceError,
  status as STATUS,
} from "@grpc/grpc-js";
import { once } from "node:events";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { GONE_URL, startBalancer } from "../test-support/servers.js";

type Method = MethodDefinition<Buffer, Buffer>;

const same = (bytes: Buffer): Buffer => bytes;

function methodOf(name: string, requestStream: boolean, responseStream: boolean): Method {
  return {
    path: `/test.Test/${name}`,
    requestStream,
    responseStream,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
}

const METHODS = {
  unary: methodOf("Unary", false, false),
  down: methodOf("Down", false, true),
  up: methodOf("Up", true, false),
  both: methodOf("Both", true, true),
  fail: methodOf("Fail", false, false),
};

/** Starts a gRPC server, and counts its calls by method. */
async function startGrpc(port = 0) {
  const counts = new Map<string, number>();
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const server = new Server();
  const unary: handleUnaryCall<Buffer, Buffer> = (call, done) => {
    count("unary");
    const trailers = new Metadata();
    trailers.set("x-trailer", "behind");
    const [given = ""] = call.metadata.get("x-given");
    done(null, Buffer.from(`${call.request.toString()} ${given.toString()}`), trailers);
  };
  const down: handleServerStreamingCall<Buffer, Buffer> = (call) => {
    count("down");
    for (let piece = 0; piece < 200; piece++) call.write(Buffer.alloc(1000, piece));
    call.end();
  };
  const up: handleClientStreamingCall<Buffer, Buffer> = (call, done) => {
    count("up");
    let bytes = 0;
    call.on("data", (piece: Buffer) => (bytes += piece.length));
    call.on("end", () => done(null, Buffer.from(String(bytes))));
  };
  const both: handleBidiStreamingCall<Buffer, Buffer> = (call) => {
    count("both");
    call.on("data", (piece: Buffer) => call.write(piece));
    call.on("end", () => call.end());
  };
  const fail: handleUnaryCall<Buffer, Buffer> = (call, done) => {
    count("fail");
    done({ code: Number(call.request.toString()), details: "as asked: ü" });
  };
  server.addService(METHODS, { unary, down, up, both, fail });
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, at) =>
      error === null ? resolve(at) : reject(error),
    );
  });
  onTestFinished(() => server.forceShutdown());
  return { url: `h2c://127.0.0.1:${bound}`, port: bound, server, counts };
}

function connect(port: number): Client {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  onTestFinished(() => client.close());
  return client;
}

/** Makes a unary call. */
function call(client: Client, { path }: Method, request: string, given = new Metadata()) {
  return new Promise<{ answer: string; trailers: Metadata }>((resolve, reject) => {
    let answer = "";
    const made = client.makeUnaryRequest(path, same, same, Buffer.from(request), given, (error, value) => {
      if (error !== null) reject(error);
      else answer = value?.toString() ?? "";
    });
    made.on("status", ({ code, metadata }) => code === STATUS.OK && resolve({ answer, trailers: metadata }));
  });
}

describe("gRPC through the balancer", () => {
  it("makes calls of one message, with what stands around them", async () => {
    const backend = await startGrpc();
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
    const given = new Metadata();
    given.set("x-given", "with it");
    const { answer, trailers } = await call(connect(balancer.port), METHODS.unary, "hello", given);
    expect([answer, trailers.get("x-trailer")]).toEqual(["hello with it", ["behind"]]);
    expect(balancer.stats()["one"]).toEqual({ requests: 1, errors: 0, aborted: 0, inFlight: 0 });
  });

  it("makes calls whose answers, requests or both are streams", async () => {
    const backend = await startGrpc();
    const balancer = await startBalancer({ backends: [{ url: backend.url }] });
    const client = connect(balancer.port);
    const pieces: Buffer[] = [];
    const down = client.makeServerStreamRequest(METHODS.down.path, same, same, Buffer.from("go"));
    for await (const piece of down) pieces.push(piece as Buffer);
    expect(pieces.map((piece) => [piece.length, piece[0]])).toEqual(Array.from({ length: 200 }, (_, at) => [1000, at]));

    const summed = await new Promise<string>((resolve, reject) => {
      const up = client.makeClientStreamRequest(METHODS.up.path, same, same, (error, value) =>
        error === null ? resolve(String(value)) : reject(error),
      );
      for (let piece = 0; piece < 200; piece++) up.write(Buffer.alloc(1000));
      up.end();
    });
    expect(summed).toBe("200000");

    const both = client.makeBidiStreamRequest(METHODS.both.path, same, same);
    for (let round = 0; round < 20; round++) {
      both.write(Buffer.from(`round ${round}`));
      const said = await new Promise((resolve) => both.once("data", (piece: Buffer) => resolve(piece.toString())));
      expect(said).toBe(`round ${round}`);
    }
    const ended = new Promise((resolve) => both.on("status", ({ code }) => resolve(code)));
    both.on("data", () => undefined).end();
    expect(await ended).toBe(STATUS.OK);
  });

  it("tells of statuses and their texts as the server says them", async () => {
    const backend = await startGrpc();
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
    const client = connect(balancer.port);
    for (const code of [STATUS.NOT_FOUND, STATUS.RESOURCE_EXHAUSTED, STATUS.UNAVAILABLE]) {
      const error = await call(client, METHODS.fail, String(code)).catch((reason: unknown) => reason as ServiceError);
      expect(error).toMatchObject({ code, details: "as asked: ü" });
    }
    await call(client, METHODS.unary, "a");
    expect(backend.counts.get("fail")).toBe(3);
    const grpc = { OK: 1, NOT_FOUND: 1, RESOURCE_EXHAUSTED: 1, UNAVAILABLE: 1 };
    await expectSoon(() => balancer.snapshot().backends[0]?.grpc).toEqual(grpc);
    expect(balancer.stats()["one"]).toMatchObject({ requests: 4, errors: 0 });
  });

  it("is told by a status why the balancer could not make a call", async () => {
    const backends = [{ url: GONE_URL.replace("http:", "h2c:"), name: "göne" }];
    const balancer = await startBalancer({ backends });
    const error = await call(connect(balancer.port), METHODS.unary, "a").catch(
      (reason: unknown) => reason as ServiceError,
    );
    expect(error).toMatchObject({
      code: STATUS.UNAVAILABLE,
      details: expect.stringMatching(/^Backend göne did not answer/),
    });
  });

  it("is told that its deadline has passed where a server ends it for that", async () => {
    const raw = http2.createServer();
    raw.on("stream", (stream) => {
      stream.on("error", () => undefined);
      setTimeout(() => stream.close(http2.constants.NGHTTP2_CANCEL), 60);
    });
    await once(raw.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void raw.close());
    const url = `h2c://127.0.0.1:${(raw.address() as AddressInfo).port}`;
    const balancer = await startBalancer({ backends: [{ url }] });
    const session = http2.connect(balancer.url);
    onTestFinished(() => session.destroy());
    const ask = async (timeout: string): Promise<unknown> => {
      const call = { ":method": "POST", ":path": "/a", "content-type": "application/grpc", "grpc-timeout": timeout };
      const [head] = (await once(session.request(call).resume(), "response")) as [http2.IncomingHttpHeaders];
      return head["grpc-status"];
    };
    expect([await ask("50m"), await ask("1H")]).toEqual([String(STATUS.DEADLINE_EXCEEDED), String(STATUS.UNAVAILABLE)]);
  });

  it("gives each of four servers a quarter of the calls of one connection", async () => {
    const backends = await Promise.all(Array.from({ length: 4 }, () => startGrpc()));
    const balancer = await startBalancer({ backends: backends.map(({ url }) => ({ url })) });
    const client = connect(balancer.port);
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 41 }, () => call(client, METHODS.unary, "a")));
    }
    for (const { counts } of backends) expect(Math.abs((counts.get("unary") ?? 0) - 102.5)).toBeLessThanOrEqual(1);
    expect(balancer.snapshot().connections).toBe(1);
  });

  it("loses no call when a server shuts down and another one is there", async () => {
    const [leaving, staying] = [await startGrpc(), await startGrpc()];
    const balancer = await startBalancer({ backends: [{ url: leaving.url, name: "leaving" }, { url: staying.url }] });
    const client = connect(balancer.port);
    let made = 0;
    const caller = async (): Promise<void> => {
      for (; made < 600; made++) {
        if (made === 200) leaving.server.tryShutdown(() => undefined);
        const { answer } = await call(client, METHODS.unary, "a");
        expect(answer).toBe("a ");
      }
    };
    await Promise.all(Array.from({ length: 10 }, caller));
    await expectSoon(() => balancer.stats()["leaving"]?.inFlight).toBe(0);
    expect((staying.counts.get("unary") ?? 0) + (leaving.counts.get("unary") ?? 0)).toBeGreaterThanOrEqual(600);
  });
});
