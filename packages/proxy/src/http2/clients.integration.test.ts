import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ClientHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { isListening, send } from "@lbbench/test-support/client.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { valuesOf } from "@lbbench/test-support/wire-parse.js";
import { HTTP2, PREFACE } from "@lbbench/wire";
import type { BalancerOptions } from "../options/options.js";
import { askHttp2, openHttp2 } from "../test-support/http2-client.js";
import { CLIENT_BEGIN, data, FLAG, frame, FRAME, SETTING, settings } from "@lbbench/test-support/http2-frames.js";
import { frameClient, requestFrame } from "../test-support/http2-frames.js";
import { manyBytes, readManyBytes } from "../test-support/many-bytes.js";
import {
  asBackends,
  GONE_URL,
  startBackend,
  startBalancer,
  startNamed,
  startRawBackend,
} from "../test-support/servers.js";
import { TRANSPORTS, WAYS_OF_SOCKETS } from "../test-support/transports.js";
import { plainAnswer, startWireBackend, wireClient } from "../test-support/wire.js";

type Options = Partial<Omit<BalancerOptions, "transport">>;

/** Answers with the body of the request. */
function echo(incoming: IncomingMessage, response: ServerResponse): void {
  response.setHeader("content-type", incoming.headers["content-type"] ?? "text/plain");
  response.flushHeaders();
  incoming.pipe(response);
}

describe.each(WAYS_OF_SOCKETS)("a balancer by %s whose clients speak HTTP/2", (transport) => {
  /** A balancer in front of one backend, and a connection to it. */
  async function balance(
    listener: (incoming: IncomingMessage, response: ServerResponse) => void,
    options: Options = {},
  ) {
    const backend = await startBackend(listener);
    const balancer = await startBalancer({ transport, backends: [{ url: backend.url, name: "one" }], ...options });
    return { ...balancer, backend, session: await openHttp2(balancer.url) };
  }

  /** The same in front of a server that is written by hand, with a client that writes frames. */
  async function balanceRaw(onConnection: (socket: Socket) => void, options: Options = {}) {
    const backend = await startRawBackend(onConnection);
    const balancer = await startBalancer({ transport, backends: [{ url: backend.url, name: "one" }], ...options });
    return { ...balancer, backend };
  }

  it("takes HTTP/2 by its preface, however that is cut, and HTTP/1.1 on the same port", async () => {
    const { port, url } = await balance((_, response) => response.end("served"));
    const { socket, of } = frameClient(port);
    const whole = Buffer.concat([CLIENT_BEGIN, requestFrame(1)]);
    const { socket: cut } = wireClient(port);
    let came = "";
    cut.on("data", (piece: Buffer) => (came += piece.toString("latin1"))).setNoDelay(true);
    for (const byte of whole) {
      cut.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.write(requestFrame(1));
    await expectSoon(() =>
      of(FRAME.DATA, 1)
        .map(({ payload }) => payload.toString())
        .join(""),
    ).toBe("served");
    await expectSoon(() => came).toMatch(/served/);
    expect(await send(url)).toMatchObject({ status: 200, body: "served" });
  });

  it("passes on what is asked and what is answered, and says where it has been", async () => {
    const wire = await startWireBackend(() =>
      plainAnswer(
        "ok",
        "X-Answer: b",
        "Set-Cookie: a=1",
        "Set-Cookie: b=2",
        "Connection: x-hop",
        "X-Hop: 1",
        "Keep-Alive: 5",
      ),
    );
    const { url, entries, snapshot, port } = await startBalancer({
      transport,
      backends: [{ url: wire.url, name: "one" }],
      via: "here",
      backendHeader: "X-Backend",
    });
    const session = await openHttp2(url);
    const headers = { ":path": "/a?b=c", "x-asked": "a", cookie: ["a=1", "b=2"], te: "trailers", "user-agent": "test" };
    for (let times = 0; times < 3; times++) {
      const answer = await askHttp2(session, headers);
      expect(answer).toMatchObject({ status: 200, body: "ok", code: 0, trailers: undefined });
      expect(answer.headers).toMatchObject({ "x-answer": "b", "set-cookie": ["a=1", "b=2"], "x-backend": "one" });
      expect(answer.headers["date"]).toMatch(/GMT$/);
      for (const name of ["connection", "x-hop", "keep-alive", "transfer-encoding"]) {
        expect(answer.headers[name], name).toBeUndefined();
      }
    }
    const requests = wire.requests();
    expect(requests).toHaveLength(3);
    for (const request of requests) {
      expect(request).toMatchObject({ method: "GET", target: "/a?b=c", body: "" });
      expect(valuesOf(request.lines, "host")).toEqual([`127.0.0.1:${port}`]);
      expect(valuesOf(request.lines, "x-asked")).toEqual(["a"]);
      expect(valuesOf(request.lines, "cookie")).toEqual(["a=1; b=2"]);
      expect(valuesOf(request.lines, "te")).toEqual(["trailers"]);
      expect(valuesOf(request.lines, "via")).toEqual(["2.0 here"]);
      expect(valuesOf(request.lines, "x-forwarded-for")).toEqual(["127.0.0.1"]);
      expect(valuesOf(request.lines, "x-forwarded-proto")).toEqual(["http"]);
    }
    expect(entries[0]).toMatchObject({
      method: "GET",
      path: "/a?b=c",
      httpVersion: "2.0",
      status: 200,
      backend: "one",
      bodyBytes: 2,
      host: `127.0.0.1:${port}`,
      userAgent: "test",
      remoteAddress: "127.0.0.1",
    });
    expect(snapshot()).toMatchObject({ connections: 1, backends: [{ requests: 3, errors: 0, inFlight: 0 }] });
  });

  it.each([
    ["GET", 200, "body"],
    ["HEAD", 200, ""],
    ["GET", 204, ""],
    ["GET", 304, ""],
    ["DELETE", 200, "body"],
  ])("ends the answer to %s with status %i where it ends", async (method, status, body) => {
    const { session } = await balance((_, response) => {
      if (status === 200) response.setHeader("content-length", 4);
      response.writeHead(status).end(status === 200 ? "body" : "");
    });
    const answer = await askHttp2(session, { ":method": method });
    expect(answer).toMatchObject({ status, body, code: 0 });
    expect(answer.headers["content-length"]).toBe(status === 200 ? "4" : undefined);
  });

  it("ends an answer that lasts until the end of its connection, and one of which only the head comes at first", async () => {
    const ends: (() => void)[] = [];
    const { url } = await balanceRaw((socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nX-Late: 1\r\n\r\n");
        ends.push(() => socket.end("all"));
      });
    });
    const stream = (await openHttp2(url)).request({ ":path": "/" });
    const [head] = (await once(stream, "response")) as [Record<string, unknown>];
    expect(head["x-late"]).toBe("1");
    for (const end of ends) end();
    let body = "";
    for await (const piece of stream.setEncoding("utf8")) body += String(piece);
    expect(body).toBe("all");
  });

  it.each([0, 1, 65_535, 65_536, 3_000_000])("carries bodies of %i bytes in both directions", async (bytes) => {
    const { session } = await balance(echo);
    const body = Buffer.alloc(bytes, "abcdefg");
    const chunked = await askHttp2(session, { ":method": "POST" }, body);
    const told = await askHttp2(session, { ":method": "POST", "content-length": bytes }, body);
    for (const answer of [chunked, told]) {
      expect(answer).toMatchObject({ status: 200, code: 0 });
      expect(answer.body === body.toString("latin1")).toBe(true);
    }
  });

  it("lets both sides speak in turn on one stream", async () => {
    const { session } = await balance(echo);
    const stream = session.request({ ":method": "POST" });
    for (const word of ["one", "two", "three"]) {
      stream.write(word);
      const [heard] = (await once(stream, "data")) as [Buffer];
      expect(heard.toString()).toBe(word);
    }
    stream.end();
    await once(stream.resume(), "close");
    expect(stream.rstCode).toBe(HTTP2.NO_ERROR);
  });

  it("passes on trailers of answers, and answers before the answer", async () => {
    const { session } = await balance((incoming, response) => {
      response.writeEarlyHints({ link: "</style.css>; rel=preload" });
      incoming.resume().once("end", () => {
        response.writeHead(200, { Trailer: "Grpc-Status, Grpc-Message" });
        response.write("body");
        response.addTrailers({ "Grpc-Status": "14", "Grpc-Message": "later" });
        response.end();
      });
    });
    const answer = await askHttp2(session, { ":method": "POST" }, "asked");
    expect(answer).toMatchObject({ status: 200, body: "body", interim: [103], code: 0 });
    expect(answer.trailers).toMatchObject({ "grpc-status": "14", "grpc-message": "later" });
  });

  it("passes on trailers of requests", async () => {
    let told: IncomingMessage["trailers"] = {};
    const { session } = await balance((incoming, response) => {
      incoming.resume().once("end", () => {
        told = incoming.trailers;
        response.end();
      });
    });
    const stream = session.request({ ":method": "POST", trailer: "x-checksum" }, { waitForTrailers: true } as object);
    stream.on("wantTrailers", () => stream.sendTrailers({ "x-checksum": "1234" }));
    stream.end("body");
    await once(stream.resume(), "close");
    expect(told).toEqual({ "x-checksum": "1234" });
  });

  it.each(["forward", "answer"] as const)("passes on or answers Expect: 100-continue (%s)", async (expected) => {
    const { session } = await balance(echo, { expect: expected });
    const stream = session.request({ ":method": "POST", expect: "100-continue", "content-length": 4 });
    await once(stream, "continue");
    stream.end("body");
    let body = "";
    for await (const piece of stream.setEncoding("utf8")) body += String(piece);
    expect(body).toBe("body");
  });

  it("shares out the streams of one connection as it does requests", async () => {
    const servers = await startNamed("a", "b", "c", "d");
    const { url, stats } = await startBalancer({ transport, backends: asBackends(servers) });
    const session = await openHttp2(url);
    const bodies = await Promise.all(Array.from({ length: 80 }, async () => (await askHttp2(session, {})).body));
    expect(bodies.toSorted()).toEqual(["a", "b", "c", "d"].flatMap((name) => Array.from({ length: 20 }, () => name)));
    for (const { name } of servers) expect(stats()[name]).toMatchObject({ requests: 20, errors: 0, inFlight: 0 });
  });

  it("answers each stream what it has asked, also where they wait for one slot", async () => {
    const held: (() => void)[] = [];
    let most = 0;
    const { session, stats } = await balance(
      (incoming, response) => {
        held.push(() => response.end(incoming.url));
        most = Math.max(most, held.length);
        // Two are under way at a time.
        if (held.length === 2) for (const answer of held.splice(0)) answer();
      },
      { limits: { connectionsPerBackend: 2 } },
    );
    const asked = Array.from({ length: 100 }, (_, index) => `/${index}`);
    const answers = await Promise.all(asked.map((path) => askHttp2(session, { ":path": path })));
    expect(answers.map(({ body }) => body)).toEqual(asked);
    expect(most).toBe(2);
    expect(stats()["one"]).toMatchObject({ requests: 100, errors: 0, inFlight: 0 });
  });

  it("asks another backend where one cannot be connected to", async () => {
    const [server] = await startNamed("well");
    const backends = [{ url: GONE_URL, name: "gone" }, ...asBackends(server === undefined ? [] : [server])];
    const { url, entries } = await startBalancer({ transport, backends });
    const session = await openHttp2(url);
    const answers = await Promise.all(
      [1, 2, 3, 4].map((index) => askHttp2(session, { ":method": "POST" }, `body ${index}`)),
    );
    expect(answers.map(({ body }) => body)).toEqual(["well", "well", "well", "well"]);
    expect(entries.some(({ retries }) => retries === 1)).toBe(true);
  });

  it.each([
    ["a path that is none of HTTP/1.1", { ":path": "/\xe9" }, 400],
    ["a host that is none", { ":authority": "a:b" }, 400],
    ["an expectation that is not known", { expect: "more" }, 417],
    ["a head that is too long", { "x-long": "a".repeat(16_384) }, 431],
    ["a head that is far too long", { "x-long": "a".repeat(50_000) }, 431],
    ["too many lines", Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x-${index}`, "a"])), 431],
    ["OPTIONS *", { ":method": "OPTIONS", ":path": "*" }, 204],
  ])("answers by itself to %s, and serves the next stream", async (_, headers, status) => {
    const { session, snapshot, stats } = await balance((incoming, response) => response.end(incoming.url));
    expect(await askHttp2(session, headers)).toMatchObject({ status, code: 0 });
    expect(await askHttp2(session, { ":path": "/next" })).toMatchObject({ status: 200, body: "/next" });
    expect(stats()["one"]).toMatchObject({ requests: 1 });
    expect(snapshot().refused).toEqual(status === 204 ? {} : { [status]: 1 });
  });

  it("takes a head of any length where there is no limit", async () => {
    const limits = { headBytes: Infinity, headLines: Infinity };
    const { session } = await balance((_, response) => response.end("served"), { limits });
    expect(session.remoteSettings.maxHeaderListSize).toBe(0x7fff_ffff);
    expect(await askHttp2(session, {})).toMatchObject({ status: 200, body: "served" });
  });

  it("refuses CONNECT, with and without a protocol, and serves the next stream", async () => {
    const { session, port, backend } = await balance((incoming, response) => response.end(incoming.url));
    expect(await askHttp2(session, { ":method": "CONNECT", ":authority": "a:80" })).toMatchObject({ status: 501 });
    const client = frameClient(port, requestFrame(1, [":method", "CONNECT", ":protocol", "websocket"]));
    await expectSoon(() => client.resetOf(1)).toBe(HTTP2.PROTOCOL_ERROR);
    client.write(requestFrame(3));
    await expectSoon(() => client.of(FRAME.DATA, 3).length).toBeGreaterThan(0);
    expect(backend.connections()).toBe(1);
  });

  it("says that no backend is available, and when to come back", async () => {
    const { url, drainBackend } = await startBalancer({ transport, backends: [{ url: GONE_URL, name: "one" }] });
    await drainBackend("one");
    const answer = await askHttp2(await openHttp2(url), {});
    expect(answer).toMatchObject({ status: 503, body: "No backend is available.\n" });
    expect(answer.headers["retry-after"]).toMatch(/^\d+$/);
  });

  it("resets a stream whose backend breaks off its answer, and keeps the connection", async () => {
    const { url, stats, entries } = await balanceRaw((socket) => {
      socket.on("data", (piece: Buffer) => {
        if (piece.includes("/broken")) socket.end("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
        else socket.write(plainAnswer("whole"));
      });
    });
    const session = await openHttp2(url);
    const broken = await askHttp2(session, { ":path": "/broken" });
    expect(broken).toMatchObject({ status: 200, body: "half", code: HTTP2.INTERNAL_ERROR });
    expect(await askHttp2(session, { ":path": "/" })).toMatchObject({ status: 200, body: "whole" });
    expect(stats()["one"]).toMatchObject({ requests: 2, errors: 1, inFlight: 0 });
    expect(entries[0]?.error).toContain("before its answer was complete");
  });

  it("ends a request at the backend when its client resets the stream, and no other one", async () => {
    const answers: (() => void)[] = [];
    const { session, backend, stats, entries } = await balance((incoming, response) => {
      response.write("begun");
      answers.push(() => response.end(incoming.url));
    });
    const streams = ["/a", "/b"].map((path) => session.request({ ":path": path }).on("error", () => undefined));
    const [left, kept] = streams as [ClientHttp2Stream, ClientHttp2Stream];
    await expectSoon(() => answers.length).toBe(2);
    left.close(HTTP2.CANCEL);
    await expectSoon(() => backend.open().length).toBe(1);
    for (const answer of answers) answer();
    let body = "";
    for await (const piece of kept.setEncoding("utf8")) body += String(piece);
    expect(body).toBe("begun/b");
    expect(stats()["one"]).toEqual({ requests: 2, errors: 0, aborted: 1, inFlight: 0 });
    expect(entries.map(({ error }) => error)).toEqual(["The client reset the stream of the request.", undefined]);
  });

  it("ends all requests of a connection that is lost", async () => {
    const { session, backend, stats, snapshot } = await balance(() => undefined);
    for (let index = 0; index < 5; index++) session.request({}).on("error", () => undefined);
    await expectSoon(() => backend.open().length).toBe(5);
    session.destroy();
    await backend.quiet();
    await expectSoon(() => stats()["one"]).toEqual({ requests: 5, errors: 0, aborted: 5, inFlight: 0 });
    await expectSoon(() => snapshot().connections).toBe(0);
  });

  it("asks for no more of a request that is answered before it has come whole", async () => {
    const { port, snapshot } = await balanceRaw((socket) =>
      socket.once("data", () => socket.write(plainAnswer("early"))),
    );
    const client = frameClient(port, requestFrame(1, [":method", "POST"], false), data(1, "half"));
    await expectSoon(() => client.resetOf(1)).toBe(HTTP2.NO_ERROR);
    const came = client.of(FRAME.DATA, 1);
    expect(came.map(({ payload }) => payload.toString()).join("")).toBe("early");
    expect(came.at(-1)?.flags).toBe(FLAG.END_STREAM);
    client.write(data(1, "rest", true), frame(FRAME.PING, 0, 0, Buffer.alloc(8)));
    await expectSoon(() => client.of(FRAME.PING).length).toBe(1);
    expect(client.goaway()).toBeUndefined();
    expect(snapshot()).toMatchObject({ connections: 1, backends: [{ errors: 0, inFlight: 0 }] });
  });

  it("refuses a body that is too long, and serves the next stream", async () => {
    const { session, snapshot } = await balance(echo, { limits: { bodyBytes: 10 } });
    for (const headers of [{ "content-length": 11 }, {}]) {
      const answer = await askHttp2(session, { ":method": "POST", ...headers }, "elevenbytes");
      expect(answer).toMatchObject({ status: 413, code: 0 });
    }
    expect(await askHttp2(session, { ":method": "POST" }, "ten bytes.")).toMatchObject({ body: "ten bytes." });
    expect(snapshot().refused).toEqual({ "413": 2 });
  });

  describe("and are slow", () => {
    it("stops taking an answer that its client does not read, and passes all of it on when it does", async () => {
      const noise = manyBytes();
      const { session, stats } = await balance((_, response) => noise.sendTo(response));
      const stream = session.request({});
      await once(stream, "response");
      await noise.expectStandstill();
      // Others on the connection go on meanwhile: only the window of this stream is shut.
      expect(await readManyBytes(stream, "nothing")).toBe(noise.digest());
      stream.destroy();
      await expectSoon(() => stats()["one"]?.inFlight).toBe(0);
    });

    it("stops taking a request that its backend does not read, and passes all of it on when it does", async () => {
      const noise = manyBytes();
      const held: IncomingMessage[] = [];
      const { session } = await balance((incoming) => void held.push(incoming));
      const stream = session.request({ ":method": "POST" });
      noise.sendTo(stream);
      await noise.expectStandstill();
      const [incoming] = held as [IncomingMessage];
      expect(await readManyBytes(incoming, "nothing")).toBe(noise.digest());
      stream.destroy();
    });

    it("resets a stream whose client opens no window, and ends it at the backend", async () => {
      const { port, stats, backend } = await balance((_, response) => response.end("a".repeat(100_000)), {
        timeouts: { idleMs: 60 },
      });
      const client = frameClient(port, settings([SETTING.INITIAL_WINDOW_SIZE, 0]), requestFrame(1));
      await expectSoon(() => client.resetOf(1)).toBe(HTTP2.INTERNAL_ERROR);
      expect(client.of(FRAME.DATA)).toEqual([]);
      await expectSoon(() => stats()["one"]).toEqual({ requests: 1, errors: 0, aborted: 1, inFlight: 0 });
      await backend.quiet();
      // An answer of the balancer's own waits no longer.
      client.write(requestFrame(3, ["expect", "more"]));
      await expectSoon(() => client.resetOf(3)).toBe(HTTP2.INTERNAL_ERROR);
    });

    it.each([
      ["responseMs", 504],
      ["requestMs", 408],
      ["idleMs", 408],
    ])("answers a stream that goes on longer than %s with %i", async (name, status) => {
      const { session } = await balance(() => undefined, { timeouts: { [name]: 60 } });
      const stream = session.request({ ":method": "POST" }).on("error", () => undefined);
      if (status === 504) stream.end();
      else stream.write("half");
      const [head] = (await once(stream, "response")) as [Record<string, unknown>];
      expect(head[":status"]).toBe(status);
      expect(session.closed).toBe(false);
    });

    it.each([
      ["says nothing behind its preface", Buffer.from(PREFACE)],
      ["does not come to the end of its preface", Buffer.from(PREFACE.slice(0, 20))],
    ])("ends a connection that %s", async (_, bytes) => {
      const { port, snapshot } = await balanceRaw(() => undefined, { timeouts: { headMs: 60 } });
      await wireClient(port, bytes.toString("latin1")).ended();
      await expectSoon(() => snapshot().connections).toBe(0);
    });

    it("ends a connection on which nothing happens, and says so", async () => {
      const { session, snapshot } = await balance((_, response) => response.end(), { timeouts: { keepAliveMs: 60 } });
      expect(await askHttp2(session, {})).toMatchObject({ status: 200 });
      const [code] = (await once(session, "goaway")) as [number];
      expect(code).toBe(HTTP2.NO_ERROR);
      await expectSoon(() => snapshot().connections).toBe(0);
    });
  });

  describe("and closes", () => {
    it("says GOAWAY, takes nothing new, and ends when the last stream has its answer", async () => {
      const answers: (() => void)[] = [];
      const { session, close, port, stats } = await balance((incoming, response) => {
        response.write("begun ");
        answers.push(() => response.end(incoming.url));
      });
      const asked = ["/a", "/b", "/c"].map((path) => askHttp2(session, { ":path": path }));
      await expectSoon(() => answers.length).toBe(3);
      const idle = await openHttp2(`http://127.0.0.1:${port}`);
      const goaways = [once(session, "goaway"), once(idle, "goaway")];
      let isClosed = false;
      const closed = close().then(() => (isClosed = true));
      await Promise.all(goaways);
      await expectSoon(() => idle.closed).toBe(true);
      expect(await isListening(port)).toBe(false);
      expect(isClosed).toBe(false);
      for (const answer of answers) answer();
      expect((await Promise.all(asked)).map(({ body, code }) => [body, code])).toEqual([
        ["begun /a", 0],
        ["begun /b", 0],
        ["begun /c", 0],
      ]);
      await closed;
      expect(stats()["one"]).toEqual({ requests: 3, errors: 0, aborted: 0, inFlight: 0 });
    });

    it("serves streams that a client opened before it had heard of it", async () => {
      const held: ServerResponse[] = [];
      const { port, close } = await balanceRaw(() => undefined, {
        backends: [{ url: (await startBackend((_, response) => void held.push(response))).url, name: "one" }],
      });
      const client = frameClient(port, requestFrame(1));
      await expectSoon(() => held.length).toBe(1);
      const closed = close();
      await expectSoon(() => client.of(FRAME.GOAWAY).length).toBe(1);
      client.write(requestFrame(3));
      await expectSoon(() => held.length).toBe(2);
      const [ping] = client.of(FRAME.PING);
      client.write(frame(FRAME.PING, 1, 0, ping?.payload));
      await expectSoon(() => client.of(FRAME.GOAWAY).length).toBe(2);
      expect(client.of(FRAME.GOAWAY).map(({ payload }) => payload.readUInt32BE(0))).toEqual([0x7fff_ffff, 3]);
      for (const response of held) response.end("served");
      await client.closed;
      const served = client.of(FRAME.DATA).map(({ payload }) => payload.toString());
      expect(served.filter((text) => text !== "")).toEqual(["served", "served"]);
      await closed;
    });

    it("does not wait for a client that never answers", async () => {
      const { port, close } = await balance((_, response) => response.end());
      const client = frameClient(port, requestFrame(1));
      await expectSoon(() => client.of(FRAME.HEADERS, 1).length).toBe(1);
      await Promise.all([close(), client.closed]);
    });
  });
});

describe.each(TRANSPORTS)("a balancer by %s whose clients speak HTTP/2 under TLS", (transport) => {
  it("takes what ALPN has chosen, and tells the backend of the scheme", async () => {
    const backend = await startBackend((incoming, response) => response.end(incoming.headers["x-forwarded-proto"]));
    const { url } = await startBalancer({ transport, backends: [{ url: backend.url }], tls: LOCALHOST });
    const session = await openHttp2(url, { ca: LOCALHOST.cert, servername: "localhost" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => askHttp2(session, {})));
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: "https", code: 0 });
  });

  it("carries long bodies, and closes without losing a stream", async () => {
    const backend = await startBackend(echo);
    const { url, close } = await startBalancer({ transport, backends: [{ url: backend.url }], tls: LOCALHOST });
    const session = await openHttp2(url, { ca: LOCALHOST.cert, servername: "localhost" });
    const body = Buffer.alloc(2_000_000, "abcdefg");
    const stream = session.request({ ":method": "POST" });
    await new Promise<void>((resolve) => void stream.write(body, () => resolve()));
    const closed = close();
    stream.end(body);
    let bytes = 0;
    for await (const piece of stream) bytes += (piece as Buffer).length;
    expect(bytes).toBe(2 * body.length);
    await closed;
  });
});
