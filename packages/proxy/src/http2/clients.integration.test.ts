import { once } from "node:events";
import type { IncomingMessage, RequestListener } from "node:http";
import type { ClientHttp2Stream } from "node:http2";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { isListening, send } from "@lbbench/test-support/client.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { valuesOf } from "@lbbench/test-support/wire-parse.js";
import { HTTP2, PREFACE } from "@lbbench/wire";
import type { BalancerOptions } from "../options/options.js";
import { askHttp2, openHttp2 } from "../test-support/http2-client.js";
import {
  CLIENT_BEGIN,
  data,
  FLAG,
  frame,
  FRAME,
  SETTING,
  settings,
  textOf,
} from "@lbbench/test-support/http2-frames.js";
import { frameClient, requestFrame } from "../test-support/http2-frames.js";
import { manyBytes, readManyBytes } from "../test-support/many-bytes.js";
import {
  asBackends,
  GONE_URL,
  startBackend,
  startBalancer,
  startHolding,
  startNamed,
  startRawBackend,
  startSaying,
} from "../test-support/servers.js";
import { TRANSPORTS, WAYS_OF_SOCKETS } from "../test-support/transports.js";
import { plainAnswer, startWireBackend, wireClient } from "../test-support/wire.js";
import { balance } from "./test-support/balance.js";

type Options = Partial<Omit<BalancerOptions, "transport">>;

/** Answers with the body of the request. */
const echo: RequestListener = (incoming, response) => {
  response.flushHeaders();
  incoming.pipe(response);
};

describe.each(WAYS_OF_SOCKETS)("a balancer by %s whose clients speak HTTP/2", (transport) => {
  /** A balancer in front of one backend. */
  const start = <Backend extends { readonly url: string }>(
    starting: Backend | Promise<Backend>,
    options: Options = {},
  ) => balance(starting, { transport, ...options });

  /** The same with a connection to it. */
  async function connect(listener: RequestListener, options?: Options) {
    const balancer = await start(startBackend(listener), options);
    return { ...balancer, session: await openHttp2(balancer.url) };
  }

  it("takes HTTP/2 by its preface, however that is cut, and HTTP/1.1 on the same port", async () => {
    const { port, url } = await start(startBackend((_, response) => response.end("served")));
    const whole = frameClient(port, requestFrame(1));
    const cut = wireClient(port);
    cut.socket.setNoDelay(true);
    for (const byte of Buffer.concat([CLIENT_BEGIN, requestFrame(1)])) {
      cut.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expectSoon(() => textOf(whole.of(FRAME.DATA, 1))).toBe("served");
    await cut.until(/served/);
    expect(await send(url)).toMatchObject({ status: 200, body: "served" });
  });

  it("passes on what is asked and what is answered, and says where it has been", async () => {
    const hop = ["Connection: x-hop", "X-Hop: 1", "Keep-Alive: 5"];
    const answer = plainAnswer("ok", "X-Answer: b", "Set-Cookie: a=1", "Set-Cookie: b=2", ...hop);
    const options = { via: "here", backendHeader: "X-Backend" };
    const { url, entries, snapshot, port, backend } = await start(
      startWireBackend(() => answer),
      options,
    );
    const session = await openHttp2(url);
    const headers = { ":path": "/a?b=c", "x-asked": "a", cookie: ["a=1", "b=2"], te: "trailers", "user-agent": "test" };
    for (let times = 0; times < 3; times++) {
      const came = await askHttp2(session, headers);
      expect(came).toMatchObject({ status: 200, body: "ok", code: 0, trailers: undefined });
      expect(came.headers).toMatchObject({ "x-answer": "b", "set-cookie": ["a=1", "b=2"], "x-backend": "one" });
      expect(came.headers["date"]).toMatch(/GMT$/);
      for (const name of ["connection", "x-hop", "keep-alive", "transfer-encoding"]) {
        expect(came.headers[name], name).toBeUndefined();
      }
    }
    const sent = {
      host: [`127.0.0.1:${port}`],
      "x-asked": ["a"],
      cookie: ["a=1; b=2"],
      te: ["trailers"],
      via: ["2.0 here"],
      "x-forwarded-for": ["127.0.0.1"],
      "x-forwarded-proto": ["http"],
    };
    const requests = backend.requests();
    expect(requests).toHaveLength(3);
    for (const { lines, ...request } of requests) {
      expect(request).toEqual({ method: "GET", target: "/a?b=c", body: "" });
      expect(Object.fromEntries(Object.keys(sent).map((name) => [name, valuesOf(lines, name)]))).toEqual(sent);
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
  ])("ends the answer to %s with status %i where it ends", async (method, status, body) => {
    const { session } = await connect((_, response) => {
      if (status === 200) response.setHeader("content-length", 4);
      response.writeHead(status).end(status === 200 ? "body" : "");
    });
    const answer = await askHttp2(session, { ":method": method });
    expect(answer).toMatchObject({ status, body, code: 0 });
    expect(answer.headers["content-length"]).toBe(status === 200 ? "4" : undefined);
  });

  it("ends an answer that lasts until the end of its connection, and one of which only the head comes at first", async () => {
    const ends: (() => void)[] = [];
    const backend = await startRawBackend((socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nX-Late: 1\r\n\r\n");
        ends.push(() => socket.end("all"));
      });
    });
    const { url } = await start(backend);
    const stream = (await openHttp2(url)).request({ ":path": "/" });
    const [head] = (await once(stream, "response")) as [Record<string, unknown>];
    expect(head["x-late"]).toBe("1");
    for (const end of ends) end();
    expect(await text(stream)).toBe("all");
  });

  it.each([0, 1, 65_535, 65_536, 3_000_000])("carries bodies of %i bytes in both directions", async (bytes) => {
    const { session } = await connect(echo);
    const body = Buffer.alloc(bytes, "abcdefg");
    const chunked = await askHttp2(session, { ":method": "POST" }, body);
    const told = await askHttp2(session, { ":method": "POST", "content-length": bytes }, body);
    for (const answer of [chunked, told]) {
      expect(answer).toMatchObject({ status: 200, code: 0 });
      expect(answer.body === body.toString("latin1")).toBe(true);
    }
  });

  it("lets both sides speak in turn on one stream", async () => {
    const { session } = await connect(echo);
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
    const { session } = await connect((incoming, response) => {
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
    const { session } = await connect((incoming, response) => {
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
    const { session } = await connect(echo, { expect: expected });
    const stream = session.request({ ":method": "POST", expect: "100-continue", "content-length": 4 });
    await once(stream, "continue");
    stream.end("body");
    expect(await text(stream)).toBe("body");
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
    const { session, stats } = await connect(
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
    const backends = [{ url: GONE_URL, name: "gone" }, ...asBackends(await startNamed("well"))];
    const { url, entries } = await startBalancer({ transport, backends });
    const session = await openHttp2(url);
    const asked = Array.from({ length: 4 }, (_, index) => askHttp2(session, { ":method": "POST" }, `body ${index}`));
    expect((await Promise.all(asked)).map(({ body }) => body)).toEqual(["well", "well", "well", "well"]);
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
    ["CONNECT", { ":method": "CONNECT", ":authority": "a:80" }, 501],
  ])("answers by itself to %s, and serves the next stream", async (_, headers, status) => {
    const { session, snapshot, stats } = await connect((incoming, response) => response.end(incoming.url));
    expect(await askHttp2(session, headers)).toMatchObject({ status, code: 0 });
    expect(await askHttp2(session, { ":path": "/next" })).toMatchObject({ status: 200, body: "/next" });
    expect(stats()["one"]).toMatchObject({ requests: 1 });
    expect(snapshot().refused).toEqual(status === 204 ? {} : { [status]: 1 });
  });

  it("takes a head of any length where there is no limit", async () => {
    const limits = { headBytes: Infinity, headLines: Infinity };
    const { session } = await connect((_, response) => response.end("served"), { limits });
    expect(session.remoteSettings.maxHeaderListSize).toBe(0x7fff_ffff);
    expect(await askHttp2(session, {})).toMatchObject({ status: 200, body: "served" });
  });

  it("says that no backend is available, and when to come back", async () => {
    const { url, drainBackend } = await start({ url: GONE_URL });
    await drainBackend("one");
    const answer = await askHttp2(await openHttp2(url), {});
    expect(answer).toMatchObject({ status: 503, body: "No backend is available.\n" });
    expect(answer.headers["retry-after"]).toMatch(/^\d+$/);
  });

  it("resets a stream whose backend breaks off its answer, and keeps the connection", async () => {
    const half = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf";
    const backend = await startRawBackend((socket) => {
      socket.on("data", (piece: Buffer) => {
        if (piece.includes("/broken")) socket.end(half);
        else socket.write(plainAnswer("whole"));
      });
    });
    const { url, stats, entries } = await start(backend);
    const session = await openHttp2(url);
    const broken = await askHttp2(session, { ":path": "/broken" });
    expect(broken).toMatchObject({ status: 200, body: "half", code: HTTP2.INTERNAL_ERROR });
    expect(await askHttp2(session, { ":path": "/" })).toMatchObject({ status: 200, body: "whole" });
    expect(stats()["one"]).toMatchObject({ requests: 2, errors: 1, inFlight: 0 });
    expect(entries[0]?.error).toContain("before its answer was complete");
  });

  it("ends a request at the backend when its client resets the stream, and no other one", async () => {
    const answers: (() => void)[] = [];
    const { session, backend, stats, entries } = await connect((incoming, response) => {
      response.write("begun");
      answers.push(() => response.end(incoming.url));
    });
    const streams = ["/a", "/b"].map((path) => session.request({ ":path": path }).on("error", () => undefined));
    const [left, kept] = streams as [ClientHttp2Stream, ClientHttp2Stream];
    await expectSoon(() => answers.length).toBe(2);
    left.close(HTTP2.CANCEL);
    await expectSoon(() => backend.open().length).toBe(1);
    for (const answer of answers) answer();
    expect(await text(kept)).toBe("begun/b");
    expect(stats()["one"]).toEqual({ requests: 2, errors: 0, aborted: 1, inFlight: 0 });
    expect(entries.map(({ error }) => error)).toEqual(["The client reset the stream of the request.", undefined]);
  });

  it("ends all requests of a connection that is lost", async () => {
    const { session, backend, stats, snapshot } = await connect(() => undefined);
    for (let index = 0; index < 5; index++) session.request({}).on("error", () => undefined);
    await expectSoon(() => backend.open().length).toBe(5);
    session.destroy();
    await backend.quiet();
    await expectSoon(() => stats()["one"]).toEqual({ requests: 5, errors: 0, aborted: 5, inFlight: 0 });
    await expectSoon(() => snapshot().connections).toBe(0);
  });

  it("asks for no more of a request that is answered before it has come whole", async () => {
    const { port, snapshot } = await start(startSaying(plainAnswer("early")));
    const client = frameClient(port, requestFrame(1, [":method", "POST"], false), data(1, "half"));
    await expectSoon(() => client.resetOf(1)).toBe(HTTP2.NO_ERROR);
    const came = client.of(FRAME.DATA, 1);
    expect(textOf(came)).toBe("early");
    expect(came.at(-1)?.flags).toBe(FLAG.END_STREAM);
    client.write(data(1, "rest", true), frame(FRAME.PING, 0, 0, Buffer.alloc(8)));
    await expectSoon(() => client.of(FRAME.PING).length).toBe(1);
    expect(client.goaway()).toBeUndefined();
    expect(snapshot()).toMatchObject({ connections: 1, backends: [{ errors: 0, inFlight: 0 }] });
  });

  it("refuses a body that is too long, and serves the next stream", async () => {
    const { session, snapshot } = await connect(echo, { limits: { bodyBytes: 10 } });
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
      const { session, stats } = await connect((_, response) => noise.sendTo(response));
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
      const { session } = await connect((incoming) => void held.push(incoming));
      const stream = session.request({ ":method": "POST" });
      noise.sendTo(stream);
      await noise.expectStandstill();
      const [incoming] = held as [IncomingMessage];
      expect(await readManyBytes(incoming, "nothing")).toBe(noise.digest());
      stream.destroy();
    });

    it("resets a stream whose client opens no window, and ends it at the backend", async () => {
      const { port, stats, backend } = await connect((_, response) => response.end("a".repeat(100_000)), {
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
      const { session } = await connect(() => undefined, { timeouts: { [name]: 60 } });
      const stream = session.request({ ":method": "POST" }).on("error", () => undefined);
      if (status === 504) stream.end();
      else stream.write("half");
      const [head] = (await once(stream, "response")) as [Record<string, unknown>];
      expect(head[":status"]).toBe(status);
      expect(session.closed).toBe(false);
    });

    it.each([
      ["says nothing behind its preface", PREFACE],
      ["does not come to the end of its preface", PREFACE.slice(0, 20)],
    ])("ends a connection that %s", async (_, bytes) => {
      const { port, snapshot } = await start({ url: GONE_URL }, { timeouts: { headMs: 60 } });
      await wireClient(port, bytes).ended();
      await expectSoon(() => snapshot().connections).toBe(0);
    });

    it("ends a connection on which nothing happens, and says so", async () => {
      const { session, snapshot } = await connect((_, response) => response.end(), { timeouts: { keepAliveMs: 60 } });
      expect(await askHttp2(session, {})).toMatchObject({ status: 200 });
      const [code] = (await once(session, "goaway")) as [number];
      expect(code).toBe(HTTP2.NO_ERROR);
      await expectSoon(() => snapshot().connections).toBe(0);
    });
  });

  describe("and closes", () => {
    it("says GOAWAY, takes nothing new, and ends when the last stream has its answer", async () => {
      const answers: (() => void)[] = [];
      const { session, close, port, stats } = await connect((incoming, response) => {
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
      const answered = ["/a", "/b", "/c"].map((path) => ({ body: `begun ${path}`, code: 0 }));
      expect(await Promise.all(asked)).toMatchObject(answered);
      await closed;
      expect(stats()["one"]).toEqual({ requests: 3, errors: 0, aborted: 0, inFlight: 0 });
    });

    it("serves streams that a client opened before it had heard of it", async () => {
      const { port, close, backend } = await start(startHolding("served"));
      const client = frameClient(port, requestFrame(1));
      await expectSoon(() => backend.held.length).toBe(1);
      const closed = close();
      await expectSoon(() => client.of(FRAME.GOAWAY).length).toBe(1);
      client.write(requestFrame(3));
      await expectSoon(() => backend.held.length).toBe(2);
      const [ping] = client.of(FRAME.PING);
      client.write(frame(FRAME.PING, 1, 0, ping?.payload));
      await expectSoon(() => client.of(FRAME.GOAWAY).length).toBe(2);
      expect(client.of(FRAME.GOAWAY).map(({ payload }) => payload.readUInt32BE(0))).toEqual([0x7fff_ffff, 3]);
      backend.letGo();
      await client.closed;
      expect([1, 3].map((id) => textOf(client.of(FRAME.DATA, id)))).toEqual(["served", "served"]);
      await closed;
    });

    it("does not wait for a client that never answers", async () => {
      const { port, close } = await connect((_, response) => response.end());
      const client = frameClient(port, requestFrame(1));
      await expectSoon(() => client.of(FRAME.HEADERS, 1).length).toBe(1);
      await Promise.all([close(), client.closed]);
    });
  });
});

describe.each(TRANSPORTS)("a balancer by %s whose clients speak HTTP/2 under TLS", (transport) => {
  it("takes what ALPN has chosen, and tells the backend of the scheme", async () => {
    const backend = await startBackend((incoming, response) => response.end(incoming.headers["x-forwarded-proto"]));
    const { url } = await balance(backend, { transport, tls: LOCALHOST });
    const session = await openHttp2(url, { ca: LOCALHOST.cert, servername: "localhost" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => askHttp2(session, {})));
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: "https", code: 0 });
  });

  it("carries long bodies, and closes without losing a stream", async () => {
    const { url, close } = await balance(startBackend(echo), { transport, tls: LOCALHOST });
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
