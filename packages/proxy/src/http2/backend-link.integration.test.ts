import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { buffer, text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import {
  answer as answerOf,
  data,
  FRAME,
  goaway,
  headers as headersOf,
  longTrailers,
  resetStream,
  SETTING,
  settings,
  windowUpdate,
} from "@lbbench/test-support/http2-frames.js";
import { echo, startHttp2Backend } from "../test-support/http2-backends.js";
import { endsRequest, startFrameBackend } from "../test-support/http2-frames.js";
import { openHttp2 } from "../test-support/http2-client.js";
import { MANY_BYTES, manyBytes, readManyBytes } from "../test-support/many-bytes.js";
import {
  endWithPeer,
  GONE_URL,
  startBackend,
  startBalancer,
  startRawBackend,
  startSaying,
} from "../test-support/servers.js";
import { get, plainAnswer, say, statusesIn, wireClient } from "../test-support/wire.js";
import { balance } from "./test-support/balance.js";

/** A body of a method that may not be repeated. */
const POST = { method: "POST" };

/** Asks by HTTP/1.1, and reads the whole answer. */
async function ask(port: number, options: RequestOptions = {}, body?: string | Buffer) {
  const asked = httpRequest({ host: "127.0.0.1", port, ...options });
  onTestFinished(() => void asked.destroy());
  asked.end(body);
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  const said = await text(answer);
  return { status: answer.statusCode, headers: answer.headers, trailers: answer.trailers, body: said };
}

/** Has clients send a number of requests one after the other, each of which gets its own body back. */
async function askOften(port: number, clients: number, rounds: number): Promise<void> {
  const client = async (name: number): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      const { body } = await ask(port, POST, `${name}.${round}`);
      expect(body).toBe(`POST / ${name}.${round}`);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
}

/** Begins a request with a body. */
function beginPost(port: number): ClientRequest {
  const asked = httpRequest({ host: "127.0.0.1", port, method: "POST" }).on("error", () => undefined);
  onTestFinished(() => void asked.destroy());
  return asked;
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
    const { backend, port, stats } = await balance(startHttp2Backend(echo));
    const answer = await ask(port, { method: "POST", path: "/a?b=c", headers: { "X-Own": "1" } }, "body");
    expect(answer).toMatchObject({ status: 200, body: "POST /a?b=c body", headers: { "content-type": "text/plain" } });
    expect(backend.asked[0]).toMatchObject({
      ":method": "POST",
      ":scheme": "http",
      ":authority": `127.0.0.1:${port}`,
      ":path": "/a?b=c",
      "x-own": "1",
      "x-forwarded-for": "127.0.0.1",
    });
    expect(Object.keys(backend.asked[0] ?? {})).not.toContain("connection");
    await expectSoon(() => stats()["one"]).toEqual({ requests: 1, errors: 0, aborted: 0, inFlight: 0 });
  });

  it("is given 1000 requests of 20 clients on one connection", async () => {
    const { backend, port } = await balance(startHttp2Backend(echo));
    await askOften(port, 20, 50);
    expect(backend.asked).toHaveLength(1000);
    expect(backend.connections()).toBe(1);
  });

  it("has no body in its answers to HEAD, and in 204 and 304", async () => {
    const backend = await startHttp2Backend((stream, headers) => {
      const status = Number(headers[":path"]?.slice(1));
      stream.respond({ ":status": status, "content-length": status === 200 ? 5 : undefined }, { endStream: true });
    });
    const { port } = await balance(backend);
    const head = await say(port, get().replace("GET / ", "HEAD /200 "));
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n(?=[^]*content-length: 5\r\n)[^]*\r\n\r\n$/);
    for (const status of [204, 304]) {
      const answer = await say(port, get().replace(" / ", ` /${status} `));
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
    const { body, trailers } = await ask((await balance(backend)).port);
    expect(body).toBe("whole");
    expect(trailers).toEqual({ "x-sum": "7" });
  });

  it("may answer before it answers", async () => {
    const backend = await startHttp2Backend((stream) => {
      stream.additionalHeaders({ ":status": 103, link: "</a.css>" });
      stream.respond({ ":status": 200, "content-length": 2 });
      stream.end("ok");
    });
    const said = await say((await balance(backend)).port, get());
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
    const { port, stats } = await balance(backend);
    await askOften(port, 50, 1);
    expect(most).toBe(1);
    expect(stats()["one"]).toMatchObject({ requests: 50, errors: 0 });
  });
});

const [REFUSED_STREAM, INTERNAL_ERROR] = [7, 2];
const NO_HTTP = /sent an answer that is no HTTP/;
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
    const { port, stats } = await balance(backend);
    const answers = await Promise.all([ask(port, POST, "a"), ask(port, POST, "b")]);
    expect(answers.map(({ body }) => body).sort()).toEqual(["first connection", "second connection"]);
    expect(stats()["one"]).toEqual({ requests: 2, errors: 0, aborted: 0, inFlight: 0 });
    await expectSoon(() => backend.all[0]?.socket.closed).toBe(true);
  });

  it("is lost by none of 300 that are under way while connections are shut down again and again", async () => {
    let count = 0;
    const backend = await startHttp2Backend((stream, headers, server) => {
      count += 1;
      if (count % 10 === 0) stream.session?.close();
      echo(stream, headers, server);
    });
    const { port, stats } = await balance(backend);
    await askOften(port, 10, 30);
    expect(stats()["one"]).toEqual({ requests: 300, errors: 0, aborted: 0, inFlight: 0 });
    expect(backend.connections()).toBeGreaterThan(5);
  });

  it("is sent again, also a POST, on another connection where its stream is refused", async () => {
    const bodies: string[] = [];
    const backend = await startFrameBackend((came, { number, send }) => {
      if (came.type === FRAME.DATA) bodies.push(came.payload.toString());
      if (endsRequest(came))
        send(number === 0 ? resetStream(came.stream, REFUSED_STREAM) : answerOf(came.stream, "taken"));
    });
    const { port, stats } = await balance(backend);
    expect(await ask(port, POST, "body")).toMatchObject({ status: 200, body: "taken" });
    expect(bodies.filter((body) => body !== "")).toEqual(["body", "body"]);
    expect(stats()["one"]).toMatchObject({ requests: 1, errors: 0 });
  });

  it("goes to another backend where its stream is refused again", async () => {
    const refusing = await startAnswering((id) => [resetStream(id, REFUSED_STREAM)]);
    const other = await startHttp2Backend(echo);
    const backends = [
      { url: refusing.url, name: "refusing" },
      { url: other.url, name: "other" },
    ];
    const { port, stats, entries } = await startBalancer({ backends });
    expect(await ask(port, POST, "body")).toMatchObject({ status: 200, body: "POST / body" });
    expect(refusing.connections()).toBe(2);
    expect(stats()).toMatchObject({ refusing: { requests: 1, errors: 1 }, other: { requests: 1, errors: 0 } });
    expect(entries[0]).toMatchObject({ backend: "other", retries: 1 });
  });

  it.each([
    ["a POST is not sent again", POST, 502, /did not answer: it reset the stream: INTERNAL_ERROR/],
    ["a GET goes elsewhere", {}, 200, /^GET \/ $/],
  ])("may be reset by the backend before its answer: %s", async (_, options, status, body) => {
    const resetting = await startAnswering((id) => [resetStream(id, INTERNAL_ERROR)]);
    const other = await startHttp2Backend(echo);
    const { port } = await startBalancer({ backends: [{ url: resetting.url }, { url: other.url }] });
    expect(await ask(port, options)).toMatchObject({ status, body: expect.stringMatching(body) });
  });

  it("is answered once where the backend has begun its answer as it resets it, and another one speaks HTTP/1.1", async () => {
    const resetting = await startAnswering((id) => [headersOf(id, [":status", "200"]), resetStream(id)]);
    // An answer that is passed on as it stands.
    const other = await startSaying(plainAnswer("other", "Date: Thu, 01 Jan 1970 00:00:00 GMT"));
    const balancer = await startBalancer({ backends: [{ url: resetting.url }, { url: other.url }] });
    const said = await wireClient(balancer.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").until(/other/);
    expect(statusesIn(said)).toEqual([200]);
    expect(balancer.entries[0]).toMatchObject({ retries: 1 });
  });

  it.each<[what: string, then: (id: number) => Buffer, why: RegExp]>([
    ["the stream is reset", (id) => resetStream(id, INTERNAL_ERROR), /reset the stream before its answer/],
    ["the connection is given up", (id) => goaway(id, 2), /closed the connection before its answer/],
    ["the answer is too short", (id) => data(id, "", true), NO_HTTP],
    ["the answer is too long", (id) => data(id, Buffer.alloc(6)), NO_HTTP],
    ["it breaks HTTP/2", () => data(0, ""), /broke HTTP\/2/],
  ])("breaks off for the client where %s in the middle of the answer", async (_, then, why) => {
    const backend = await startFrameBackend((came, { send, socket }) => {
      if (!endsRequest(came)) return;
      const { stream: id } = came;
      send(headersOf(id, [":status", "200", "content-length", "10"]), data(id, "12345"), then(id));
      socket.end();
    });
    const { port, entries, stats } = await balance(backend);
    expect(await say(port, get())).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n12345$/);
    await expectSoon(() => entries[0]?.error).toMatch(why);
    expect(stats()["one"]).toMatchObject({ requests: 1, errors: 1 });
  });

  it("breaks off for the client where the trailers of the answer are too long", async () => {
    const frames = (id: number) => [headersOf(id, [":status", "200"]), data(id, "12345"), longTrailers(id, 20_000)];
    const { port, entries, stats } = await balance(startAnswering(frames));
    expect(await say(port, get())).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n5\r\n12345\r\n$/);
    expect(entries[0]?.error).toMatch(/sent an answer whose body cannot be read: its trailers are too long\.$/);
    expect(stats()["one"]).toMatchObject({ requests: 1, errors: 1, inFlight: 0 });
  });

  it.each<[string, string, (id: number) => Buffer[], RegExp]>([
    ["an answer to HEAD has a body", "HEAD", (id) => [answerOf(id, "body")], NO_BODY],
    ["a 204 has a body", "GET", (id) => [headersOf(id, [":status", "204"]), data(id, "body", true)], NO_BODY],
    ["a header has a line break", "GET", (id) => [answerOf(id, "ok", "x-a", "1\r\nx-b: 2")], NO_HTTP],
    ["it switches protocols", "GET", (id) => [headersOf(id, [":status", "101"])], NO_HTTP],
    ["its head is too large", "GET", (id) => [answerOf(id, "ok", ...TOO_LARGE)], /head is longer than/],
  ])("is answered with 502 where %s", async (_, method, frames, why) => {
    const { port, entries, stats } = await balance(startAnswering(frames));
    const said = await say(port, get().replace("GET", method));
    expect(said).toMatch(/^HTTP\/1\.1 (?:502|204|200) /);
    expect(said).not.toMatch(/x-b: 2|\r\n\r\nbody/);
    await expectSoon(() => entries[0]?.error).toMatch(why);
    expect(stats()["one"]).toMatchObject({ requests: 1, errors: 1 });
  });

  it("goes elsewhere, whatever its method, where the backend does not listen or does not speak HTTP/2", async () => {
    const http1 = await startBackend((_, response) => response.end("HTTP/1.1"));
    const other = await startHttp2Backend(echo);
    for (const url of [GONE_URL, http1.url].map((one) => one.replace("http:", "h2c:"))) {
      const alone = await balance({ url });
      expect(await ask(alone.port, POST, "a")).toMatchObject({ status: 502 });
      const balancer = await startBalancer({ backends: [{ url, name: "bad" }, { url: other.url }] });
      expect(await ask(balancer.port, POST, "a")).toMatchObject({ status: 200, body: "POST / a" });
      expect(balancer.stats()["bad"]).toMatchObject({ requests: 1, errors: 1 });
    }
  });

  it("is answered with 504 where the backend accepts the connection and says nothing", async () => {
    const silent = await startRawBackend(endWithPeer);
    const { port } = await balance({ url: silent.url.replace("http:", "h2c:") }, { timeouts: { connectMs: 50 } });
    for (const answer of await Promise.all([ask(port, POST, "a"), ask(port)])) {
      expect(answer).toMatchObject({
        status: 504,
        body: expect.stringMatching(/could not be connected to within 50 ms/),
      });
    }
    await silent.quiet();
  });

  it("goes to another connection when one has become silent for good", async () => {
    const backend = await startFrameBackend((came, { number, send }) => {
      if (number > 0 && endsRequest(came)) send(answerOf(came.stream, "alive"));
    });
    const { port } = await balance(backend, { timeouts: { connectMs: 20, responseMs: 60 }, retries: 0 });
    expect(await ask(port)).toMatchObject({ status: 504 });
    await expectSoon(() => backend.all[0]?.socket.closed).toBe(true);
    expect(backend.all[0]?.frames.filter(({ type }) => type === FRAME.PING)).toHaveLength(1);
    expect(await ask(port)).toMatchObject({ status: 200, body: "alive" });
  });

  it("says of what waits on a connection without a sign of life that it gave none", async () => {
    const backend = await startFrameBackend(() => {});
    const { port, entries } = await balance(backend, { timeouts: { connectMs: 50, responseMs: 200 }, retries: 0 });
    const first = ask(port);
    await expectSoon(() => backend.all[0]?.frames.filter(endsRequest).length).toBe(1);
    // Its body never comes to its end, so that only the end of the connection ends it.
    const client = wireClient(port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na");
    expect(await first).toMatchObject({ status: 504 });
    await client.until(/HTTP\/1\.1 502 /);
    await expectSoon(() => entries.at(-1)?.error).toBe("Backend one gave no sign of life for 50 ms.");
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
    const { port } = await balance(backend, { retries: 0 });
    const before = isServed ? [(await ask(port)).status] : [];
    const answers = await Promise.all([ask(port), ask(port)]);
    expect([...before, ...answers.map(({ status }) => status)]).toEqual(statuses);
    expect(asked).toBe(sent);
  });

  it("is cancelled when its client goes away", async () => {
    const begun = startAnswering((id) => [headersOf(id, [":status", "200"]), data(id, "a")]);
    const { backend, port, stats } = await balance(begun);
    const client = wireClient(port, get());
    await client.until(/\r\n\r\n/);
    client.socket.destroy();
    await expectSoon(() => backend.all[0]?.frames.at(-1)).toMatchObject({ type: FRAME.RST_STREAM, stream: 1 });
    expect(backend.all[0]?.frames.at(-1)?.payload.readUInt32BE()).toBe(8);
    expect(stats()["one"]).toEqual({ requests: 1, errors: 0, aborted: 1, inFlight: 0 });
    expect(backend.all[0]?.socket.closed).toBe(false);
  });

  it("waits for a slot of its backend where all are taken", async () => {
    const { backend, held } = await startHolding();
    const { port, snapshot } = await balance(backend, { limits: { connectionsPerBackend: 2 } });
    const answers = Array.from({ length: 3 }, () => ask(port));
    await expectSoon(() => [held.length, snapshot().backends[0]?.queued]).toEqual([2, 1]);
    held.shift()?.();
    await expectSoon(() => [held.length, snapshot().backends[0]?.queued]).toEqual([2, 0]);
    for (const answer of held) answer();
    expect((await Promise.all(answers)).map(({ body }) => body)).toEqual(["ok", "ok", "ok"]);
  });
});

describe("a body between HTTP/1.1 and a backend that speaks HTTP/2", () => {
  it("goes both ways piece by piece", async () => {
    const asked = beginPost((await balance(startHttp2Backend(mirror))).port);
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
    const sent = randomBytes(20_000_000);
    const asked = beginPost((await balance(startHttp2Backend(mirror))).port).end(sent);
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    expect((await buffer(answer)).equals(sent)).toBe(true);
  });

  it("is cancelled where the backend has answered, and opens no window for the rest of it", async () => {
    let came = 0;
    const backend = await startFrameBackend(({ type, stream, payload }, { send }) => {
      if (type === FRAME.DATA) came += payload.length;
      if (type === FRAME.DATA && came === 65_535) send(answerOf(stream, "enough"));
    });
    const { port, stats } = await balance(backend);
    expect(await ask(port, POST, Buffer.alloc(65_540))).toMatchObject({ status: 200, body: "enough" });
    const resets = (): number => backend.all[0]?.frames.filter(({ type }) => type === FRAME.RST_STREAM).length ?? 0;
    await expectSoon(resets).toBe(1);
    expect(stats()["one"]).toEqual({ requests: 1, errors: 0, aborted: 0, inFlight: 0 });
  });

  it("is not read further from the backend than the client takes it, and passed on whole when it does", async () => {
    const noise = manyBytes();
    const backend = await startHttp2Backend((stream, headers, server) => {
      if (headers[":path"] === "/other") return echo(stream, headers, server);
      stream.respond({ ":status": 200, "content-length": MANY_BYTES });
      noise.sendTo(stream);
    });
    const { port } = await balance(backend);
    const { socket } = wireClient(port, get());
    socket.removeAllListeners("data").pause();
    await noise.expectStandstill();
    // Another stream of the same connection goes on.
    for (let round = 0; round < 50; round++) expect((await ask(port, { path: "/other" })).status).toBe(200);
    expect(backend.connections()).toBe(1);
    expect(await readManyBytes(socket, "a head")).toBe(noise.digest());
  });

  it("is not read further from the client than the backend takes it", async () => {
    let came = 0;
    const backend = await startFrameBackend(({ type, payload }) => {
      if (type === FRAME.DATA) came += payload.length;
    });
    const noise = manyBytes();
    noise.sendTo(beginPost((await balance(backend)).port));
    await expectSoon(() => came).toBe(65_535);
    await noise.expectStandstill();
    expect(came).toBe(65_535);
  });
});

describe("a backend that speaks HTTP/2 and is taken away", () => {
  it("has its connection closed when nothing is under way", async () => {
    const backend = await startHttp2Backend(echo);
    const other = await startHttp2Backend(echo);
    const backends = [{ url: backend.url, name: "one" }, { url: other.url }];
    const { port, removeBackend } = await startBalancer({ backends });
    await Promise.all([ask(port), ask(port)]);
    expect(backend.sessions.size).toBe(1);
    await removeBackend("one");
    await backend.quiet();
  });

  it("ends what it has in flight first, and is cut off when its time is over", async () => {
    const { backend, held } = await startHolding();
    const { port, removeBackend } = await balance(backend);
    const answers = [ask(port), ask(port)];
    await expectSoon(() => held.length).toBe(2);
    const removed = removeBackend("one", { graceMs: 200 });
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
    const { url, stats, removeBackend } = await balance(backend);
    const noise = manyBytes();
    const stream = (await openHttp2(url)).request({ ":method": "POST" });
    noise.sendTo(stream.on("error", () => undefined));
    await noise.expectStandstill();
    stream.close();
    await expectSoon(() => stats()["one"]).toEqual({ requests: 1, errors: 0, aborted: 1, inFlight: 0 });
    await removeBackend("one");
  });

  it("leaves no connection behind when the balancer closes", async () => {
    const { backend, port, close } = await balance(startHttp2Backend(echo));
    await ask(port);
    expect(backend.open()).toHaveLength(1);
    await close({ graceMs: 0 });
    await expectSoon(() => backend.open()).toEqual([]);
  });
});
