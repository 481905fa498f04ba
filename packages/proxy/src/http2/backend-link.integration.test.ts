import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { buffer, text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import {
  answer as answerOf,
  data,
  FRAME,
  goaway,
  FLAG,
  frame,
  headers as headersOf,
  literals,
  resetStream,
  SETTING,
  settings,
  windowUpdate,
} from "@lbbench/test-support/http2-frames.js";
import { echo, startHttp2Backend } from "../test-support/http2-backends.js";
import { endsRequest, startFrameBackend } from "../test-support/http2-frames.js";
import { openHttp2 } from "../test-support/http2-client.js";
import { manyBytes } from "../test-support/many-bytes.js";
import { endWithPeer, GONE_URL, startBackend, startBalancer, startRawBackend } from "../test-support/servers.js";
import { get, plainAnswer, say, statusesIn, wireClient } from "../test-support/wire.js";

/** Asks by HTTP/1.1, and reads the whole answer. */
async function ask(port: number, options: RequestOptions = {}, body?: string | Buffer) {
  const asked = httpRequest({ host: "127.0.0.1", port, ...options });
  onTestFinished(() => void asked.destroy());
  asked.end(body);
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  const said = await text(answer);
  return { status: answer.statusCode, headers: answer.headers, trailers: answer.trailers, body: said, answer };
}

/** Sends the body back. */
function mirror(stream: ServerHttp2Stream): void {
  stream.respond({ ":status": 200 });
  stream.pipe(stream);
}

/** Answers with these frames as soon as a request has come whole. */
const startAnswering = (frames: (id: number) => Buffer[]) =>
  startFrameBackend((came, { send }) => {
    if (endsRequest(came)) send(...frames(came.stream));
  });

/** Holds its answers until they are called. */
async function startHolding() {
  const held: (() => void)[] = [];
  const backend = await startHttp2Backend((stream) => {
    held.push(() => {
      stream.respond({ ":status": 200 });
      stream.end("ok");
    });
  });
  return { backend, held };
}

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
      stream.on("wantTrailers", () => stream.sendTrailers({ "x-sum": "7", authorization: "none" }));
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
      (stream, headers, server) => {
        const { session } = stream;
        const open = (session as unknown as { open?: number }).open ?? 0;
        Object.assign(session as object, { open: open + 1 });
        most = Math.max(most, open + 1);
        stream.once("close", () => Object.assign(session as object, { open: 0 }));
        echo(stream, headers, server);
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

/** A body of a method that may not be repeated. */
const POST = { method: "POST" };
const [REFUSED_STREAM, INTERNAL_ERROR] = [7, 2];
const NO_HTTP = /sent an answer that is no HTTP/;
const TWO_LENGTHS = ["content-length", "2", "content-length", "3"];
const TOO_LARGE = Array.from({ length: 151 }, (_, at) => [`x-${at + 100}`, "a".repeat(100)]).flat();
const NO_BODY = /DATA came where no body can be/;

describe("a request to a backend that speaks HTTP/2", () => {
  it("is sent again where GOAWAY leaves it out, and the one before it is answered", async () => {
    const backend = await startFrameBackend((came, { number, send, frames }) => {
      if (!endsRequest(came)) return;
      const ended = frames.filter(endsRequest).length;
      if (number > 0) send(answerOf(came.stream, `second connection`));
      else if (ended === 2) send(goaway(1), answerOf(1, "first connection"));
    });
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
    const answers = await Promise.all([ask(balancer.port, POST, "a"), ask(balancer.port, POST, "b")]);
    expect(answers.map(({ body }) => body).sort()).toEqual(["first connection", "second connection"]);
    expect(balancer.stats()["one"]).toEqual({ requests: 2, errors: 0, aborted: 0, inFlight: 0 });
    await expectSoon(() => backend.all[0]?.socket.closed).toBe(true);
  });

  it("is lost by none of 300 that are under way while connections are shut down again and again", async () => {
    let count = 0;
    const backend = await startHttp2Backend((stream, headers, server) => {
      count += 1;
      if (count % 10 === 0) stream.session?.close();
      echo(stream, headers, server);
    });
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
    const client = async (name: number): Promise<void> => {
      for (let round = 0; round < 30; round++) {
        const { body } = await ask(balancer.port, POST, `${name}.${round}`);
        expect(body).toBe(`POST / ${name}.${round}`);
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, index) => client(index)));
    expect(balancer.stats()["one"]).toEqual({ requests: 300, errors: 0, aborted: 0, inFlight: 0 });
    expect(backend.connections()).toBeGreaterThan(5);
  });

  it("is sent again, also a POST, on another connection where its stream is refused", async () => {
    const bodies: string[] = [];
    const backend = await startFrameBackend((came, { number, send }) => {
      if (came.type === FRAME.DATA) bodies.push(came.payload.toString());
      if (endsRequest(came))
        send(number === 0 ? resetStream(came.stream, REFUSED_STREAM) : answerOf(came.stream, "taken"));
    });
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
    expect(await ask(balancer.port, POST, "body")).toMatchObject({ status: 200, body: "taken" });
    expect(bodies.filter((body) => body !== "")).toEqual(["body", "body"]);
    expect(balancer.stats()["one"]).toMatchObject({ requests: 1, errors: 0 });
  });

  it("goes to another backend where its stream is refused again", async () => {
    const refusing = await startAnswering((id) => [resetStream(id, REFUSED_STREAM)]);
    const other = await startHttp2Backend(echo);
    const balancer = await startBalancer({
      backends: [
        { url: refusing.url, name: "refusing" },
        { url: other.url, name: "other" },
      ],
    });
    expect(await ask(balancer.port, POST, "body")).toMatchObject({ status: 200, body: "POST / body" });
    expect(refusing.connections()).toBe(2);
    expect(balancer.stats()).toMatchObject({ refusing: { requests: 1, errors: 1 }, other: { requests: 1, errors: 0 } });
    expect(balancer.entries[0]).toMatchObject({ backend: "other", retries: 1 });
  });

  it.each([
    ["a POST is not sent again", POST, 502, /did not answer: it reset the stream: INTERNAL_ERROR/],
    ["a GET goes elsewhere", {}, 200, /^GET \/ $/],
  ])("may be reset by the backend before its answer: %s", async (_, options, status, body) => {
    const resetting = await startAnswering((id) => [resetStream(id, INTERNAL_ERROR)]);
    const other = await startHttp2Backend(echo);
    const balancer = await startBalancer({ backends: [{ url: resetting.url }, { url: other.url }] });
    const answer = await ask(balancer.port, options);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatch(body);
  });

  it("is answered once where the backend has begun its answer as it resets it, and another one speaks HTTP/1.1", async () => {
    const resetting = await startAnswering((id) => [headersOf(id, [":status", "200"]), resetStream(id)]);
    // An answer that is passed on as it stands.
    const other = await startRawBackend((socket) => {
      socket.once("data", () => socket.write(plainAnswer("other", "Date: Thu, 01 Jan 1970 00:00:00 GMT")));
    });
    const balancer = await startBalancer({ backends: [{ url: resetting.url }, { url: other.url }] });
    const said = await wireClient(balancer.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").until(/other/);
    expect(statusesIn(said)).toEqual([200]);
    expect(balancer.entries[0]).toMatchObject({ retries: 1 });
  });

  const begun = (id: number): Buffer[] => [
    headersOf(id, [":status", "200", "content-length", "10"]),
    data(id, "12345"),
  ];
  it.each<[string, (id: number) => Buffer[], RegExp]>([
    [
      "the stream is reset",
      (id) => [...begun(id), resetStream(id, INTERNAL_ERROR)],
      /reset the stream before its answer/,
    ],
    ["the connection is given up", (id) => [...begun(id), goaway(id, 2)], /closed the connection before its answer/],
    ["the answer is too short", (id) => [...begun(id), data(id, "", true)], NO_HTTP],
    ["the answer is too long", (id) => [...begun(id), data(id, Buffer.alloc(6))], NO_HTTP],
    ["it breaks HTTP/2", (id) => [...begun(id), data(0, "")], /broke HTTP\/2/],
  ])("breaks off for the client where %s in the middle of the answer", async (_, frames, why) => {
    const backend = await startFrameBackend((came, { send, socket }) => {
      if (!endsRequest(came)) return;
      send(...frames(came.stream));
      socket.end();
    });
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
    const said = await say(balancer.port, get());
    expect(said).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n12345$/);
    await expectSoon(() => balancer.entries[0]?.error).toMatch(why);
    expect(balancer.stats()["one"]).toMatchObject({ requests: 1, errors: 1 });
  });

  it("breaks off for the client where the trailers of the answer are too long", async () => {
    const backend = await startAnswering((id) => [
      headersOf(id, [":status", "200"]),
      data(id, "12345"),
      frame(FRAME.HEADERS, FLAG.END_STREAM, id, literals(["x-a", "a".repeat(10_000)])),
      frame(FRAME.CONTINUATION, FLAG.END_HEADERS, id, literals(["x-b", "b".repeat(10_000)])),
    ]);
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
    expect(await say(balancer.port, get())).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n5\r\n12345\r\n$/);
    expect(balancer.entries[0]?.error).toMatch(
      /sent an answer whose body cannot be read: its trailers are too long\.$/,
    );
    expect(balancer.stats()["one"]).toMatchObject({ requests: 1, errors: 1, inFlight: 0 });
  });

  it.each<[string, string, (id: number) => Buffer[], RegExp]>([
    ["an answer to HEAD has a body", "HEAD", (id) => [answerOf(id, "body")], NO_BODY],
    ["a 204 has a body", "GET", (id) => [headersOf(id, [":status", "204"]), data(id, "body", true)], NO_BODY],
    ["a header has a line break", "GET", (id) => [answerOf(id, "ok", "x-a", "1\r\nx-b: 2")], NO_HTTP],
    ["a header belongs to connections", "GET", (id) => [answerOf(id, "ok", "transfer-encoding", "chunked")], NO_HTTP],
    ["it switches protocols", "GET", (id) => [headersOf(id, [":status", "101"])], NO_HTTP],
    ["there are two lengths", "GET", (id) => [answerOf(id, "ok", ...TWO_LENGTHS)], NO_HTTP],
    ["its head is too large", "GET", (id) => [answerOf(id, "ok", ...TOO_LARGE)], /head is longer than/],
  ])("is answered with 502 where %s", async (_, method, frames, why) => {
    const backend = await startAnswering(frames);
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
    const said = await say(balancer.port, get().replace("GET", method));
    expect(said).toMatch(/^HTTP\/1\.1 (?:502|204|200) /);
    expect(said).not.toMatch(/x-b: 2|\r\n\r\nbody/);
    await expectSoon(() => balancer.entries[0]?.error).toMatch(why);
    expect(balancer.stats()["one"]).toMatchObject({ requests: 1, errors: 1 });
  });

  it("goes elsewhere, whatever its method, where the backend does not listen or does not speak HTTP/2", async () => {
    const http1 = await startBackend((_, response) => response.end("HTTP/1.1"));
    const other = await startHttp2Backend(echo);
    const urls = [GONE_URL.replace("http:", "h2c:"), http1.url.replace("http:", "h2c:")];
    for (const url of urls) {
      const alone = await startBalancer({ backends: [{ url }] });
      expect(await ask(alone.port, POST, "a")).toMatchObject({ status: 502 });
      const balancer = await startBalancer({ backends: [{ url, name: "bad" }, { url: other.url }] });
      expect(await ask(balancer.port, POST, "a")).toMatchObject({ status: 200, body: "POST / a" });
      expect(balancer.stats()["bad"]).toMatchObject({ requests: 1, errors: 1 });
    }
  });

  it("is answered with 504 where the backend accepts the connection and says nothing", async () => {
    const silent = await startRawBackend(endWithPeer);
    const balancer = await startBalancer({
      backends: [{ url: silent.url.replace("http:", "h2c:") }],
      timeouts: { connectMs: 50 },
    });
    const answers = await Promise.all([ask(balancer.port, POST, "a"), ask(balancer.port)]);
    for (const { status, body } of answers) {
      expect(status).toBe(504);
      expect(body).toMatch(/could not be connected to within 50 ms/);
    }
    await silent.quiet();
  });

  it("goes to another connection when one has become silent for good", async () => {
    const backend = await startFrameBackend((came, { number, send }) => {
      if (number > 0 && endsRequest(came)) send(answerOf(came.stream, "alive"));
    });
    const timeouts = { connectMs: 20, responseMs: 60 };
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }], timeouts, retries: 0 });
    expect(await ask(balancer.port)).toMatchObject({ status: 504 });
    await expectSoon(() => backend.all[0]?.socket.closed).toBe(true);
    expect(backend.all[0]?.frames.filter(({ type }) => type === FRAME.PING)).toHaveLength(1);
    expect(await ask(balancer.port)).toMatchObject({ status: 200, body: "alive" });
  });

  it("says of what waits on a connection without a sign of life that it gave none", async () => {
    const backend = await startFrameBackend(() => {});
    const timeouts = { connectMs: 50, responseMs: 200 };
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }], timeouts, retries: 0 });
    const first = ask(balancer.port);
    await expectSoon(() => backend.all[0]?.frames.filter(endsRequest).length).toBe(1);
    // Its body never comes to its end, so that only the end of the connection ends it.
    const client = wireClient(balancer.port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na");
    expect(await first).toMatchObject({ status: 504 });
    await client.until(/HTTP\/1\.1 502 /);
    await expectSoon(() => balancer.entries.at(-1)?.error).toBe("Backend one gave no sign of life for 50 ms.");
  });

  it.each([
    ["a new connection that is lost before it has answered anything is sent again to none", false, [502, 502], 2],
    ["a connection that has served is sent again on another", true, [200, 200, 200], 5],
  ])("on %s", async (_, isServed, statuses, sent) => {
    let asked = 0;
    const backend = await startFrameBackend((came, { number, send, socket }) => {
      if (!endsRequest(came)) return;
      asked += 1;
      if (number > 0 || (isServed && asked === 1)) send(answerOf(came.stream, "ok"));
      else if (asked === (isServed ? 3 : 2)) socket.destroy();
    });
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }], retries: 0 });
    const before = isServed ? [(await ask(balancer.port)).status] : [];
    const answers = await Promise.all([ask(balancer.port), ask(balancer.port)]);
    expect([...before, ...answers.map(({ status }) => status)]).toEqual(statuses);
    expect(asked).toBe(sent);
  });

  it("is cancelled when its client goes away", async () => {
    const backend = await startAnswering((id) => [headersOf(id, [":status", "200"]), data(id, "a")]);
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
    const client = wireClient(balancer.port, get());
    await client.until(/\r\n\r\n/);
    client.socket.destroy();
    await expectSoon(() => backend.all[0]?.frames.at(-1)).toMatchObject({ type: FRAME.RST_STREAM, stream: 1 });
    expect(backend.all[0]?.frames.at(-1)?.payload.readUInt32BE()).toBe(8);
    expect(balancer.stats()["one"]).toEqual({ requests: 1, errors: 0, aborted: 1, inFlight: 0 });
    expect(backend.all[0]?.socket.closed).toBe(false);
  });

  it("waits for a slot of its backend where all are taken", async () => {
    const { backend, held } = await startHolding();
    const limits = { connectionsPerBackend: 2 };
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }], limits });
    const answers = Array.from({ length: 3 }, () => ask(balancer.port));
    await expectSoon(() => [held.length, balancer.snapshot().backends[0]?.queued]).toEqual([2, 1]);
    held.shift()?.();
    await expectSoon(() => [held.length, balancer.snapshot().backends[0]?.queued]).toEqual([2, 0]);
    for (const answer of held) answer();
    expect((await Promise.all(answers)).map(({ body }) => body)).toEqual(["ok", "ok", "ok"]);
  });
});

describe("a body between HTTP/1.1 and a backend that speaks HTTP/2", () => {
  it("goes both ways piece by piece", async () => {
    const backend = await startHttp2Backend(mirror);
    const balancer = await startBalancer({ backends: [{ url: backend.url }] });
    const asked = httpRequest({ host: "127.0.0.1", port: balancer.port, method: "POST" });
    asked.flushHeaders();
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    for (let round = 0; round < 20; round++) {
      asked.write(`piece ${round}`);
      const [piece] = (await once(answer, "data")) as [Buffer];
      expect(piece.toString()).toBe(`piece ${round}`);
    }
    asked.end();
    await once(answer.resume(), "end");
  });

  it("is whole, however long, in both directions", async () => {
    const backend = await startHttp2Backend(mirror);
    const balancer = await startBalancer({ backends: [{ url: backend.url }] });
    const sent = randomBytes(20_000_000);
    const asked = httpRequest({ host: "127.0.0.1", port: balancer.port, method: "POST" });
    asked.end(sent);
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    expect((await buffer(answer)).equals(sent)).toBe(true);
  });

  it("is cancelled where the backend has answered, and opens no window for the rest of it", async () => {
    let came = 0;
    const backend = await startFrameBackend(({ type, stream, payload }, { send }) => {
      if (type === FRAME.DATA) came += payload.length;
      if (type === FRAME.DATA && came === 65_535) send(answerOf(stream, "enough"));
    });
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
    expect(await ask(balancer.port, POST, Buffer.alloc(65_540))).toMatchObject({ status: 200, body: "enough" });
    const resets = (): number => backend.all[0]?.frames.filter(({ type }) => type === FRAME.RST_STREAM).length ?? 0;
    await expectSoon(resets).toBe(1);
    expect(balancer.stats()["one"]).toEqual({ requests: 1, errors: 0, aborted: 0, inFlight: 0 });
  });

  it("is not read further from the backend than the client takes it", async () => {
    let written = 0;
    const backend = await startHttp2Backend((stream, headers, server) => {
      if (headers[":path"] === "/other") return echo(stream, headers, server);
      stream.respond({ ":status": 200 });
      const write = (): void => {
        while (written < 100_000_000 && stream.write(Buffer.alloc(16_384), () => (written += 16_384)));
      };
      stream.on("drain", write);
      write();
    });
    const balancer = await startBalancer({ backends: [{ url: backend.url }] });
    const client = wireClient(balancer.port, get());
    client.socket.pause();
    await expectSoon(() => [written, written]).toSatisfy(isSteady());
    // What the kernel holds for two sockets, and the window of a stream.
    expect(written).toBeLessThan(20_000_000);
    // Another stream of the same connection goes on.
    for (let round = 0; round < 50; round++) {
      expect((await ask(balancer.port, { path: "/other" })).status).toBe(200);
    }
    expect(backend.connections()).toBe(1);
    client.socket.resume();
    await expectSoon(() => written).toBeGreaterThan(30_000_000);
  });

  it("is not read further from the client than the backend takes it", async () => {
    let came = 0;
    const backend = await startFrameBackend(({ type, payload }) => {
      if (type === FRAME.DATA) came += payload.length;
    });
    const balancer = await startBalancer({ backends: [{ url: backend.url }] });
    const asked = httpRequest({ host: "127.0.0.1", port: balancer.port, method: "POST" });
    onTestFinished(() => void asked.destroy());
    asked.on("error", () => undefined);
    let taken = 0;
    const write = (): void => {
      while (taken < 100_000_000 && asked.write(Buffer.alloc(16_384), () => (taken += 16_384)));
    };
    asked.on("drain", write);
    write();
    await expectSoon(() => came).toBe(65_535);
    await expectSoon(() => taken).toSatisfy(isSteady());
    expect(came).toBe(65_535);
    expect(taken).toBeLessThan(20_000_000);
  });
});

/** Whether a value has been the same 50 times. */
function isSteady(): (value: unknown) => boolean {
  let last = "";
  let times = 0;
  return (value) => {
    const shown = JSON.stringify(value);
    times = shown === last ? times + 1 : 0;
    last = shown;
    return times >= 50;
  };
}

describe("a backend that speaks HTTP/2 and is taken away", () => {
  it("has its connection closed when nothing is under way", async () => {
    const backend = await startHttp2Backend(echo);
    const other = await startHttp2Backend(echo);
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }, { url: other.url }] });
    await Promise.all([ask(balancer.port), ask(balancer.port)]);
    expect(backend.sessions.size).toBe(1);
    await balancer.removeBackend("one");
    await backend.quiet();
  });

  it("ends what it has in flight first, and is cut off when its time is over", async () => {
    const { backend, held } = await startHolding();
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
    const answers = [ask(balancer.port), ask(balancer.port)];
    await expectSoon(() => held.length).toBe(2);
    const removed = balancer.removeBackend("one", { graceMs: 200 });
    held[0]?.();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    await removed;
    expect(statuses.toSorted((one, other) => Number(one) - Number(other))).toEqual([200, 502]);
    await backend.quiet();
  });

  it("is not waited for when it reads no more", async () => {
    const MOST = 0x7fff_ffff;
    const backend = await startFrameBackend(({ type }, { send, socket }) => {
      if (type !== FRAME.HEADERS) return;
      send(settings([SETTING.INITIAL_WINDOW_SIZE, MOST]), windowUpdate(0, MOST - 65_535));
      socket.pause();
    });
    const balancer = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
    const noise = manyBytes();
    const stream = (await openHttp2(balancer.url)).request({ ":method": "POST" });
    noise.sendTo(stream.on("error", () => undefined));
    await noise.expectStandstill();
    stream.close();
    await expectSoon(() => balancer.stats()["one"]).toEqual({ requests: 1, errors: 0, aborted: 1, inFlight: 0 });
    await balancer.removeBackend("one");
  });

  it("leaves no connection behind when the balancer closes", async () => {
    const backend = await startHttp2Backend(echo);
    const balancer = await startBalancer({ backends: [{ url: backend.url }] });
    await ask(balancer.port);
    expect(backend.open()).toHaveLength(1);
    await balancer.close({ graceMs: 0 });
    await expectSoon(() => backend.open()).toEqual([]);
  });
});
