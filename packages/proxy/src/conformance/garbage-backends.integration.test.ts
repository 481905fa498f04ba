import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BalancerOptions } from "../options/options.js";
import { keepAliveAgent, send, sendTimes } from "@lbbench/test-support/client.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { endWithPeer, startBalancer, startBefore, startRawBackend } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";
import { get, plainAnswer, say } from "../test-support/wire.js";

const OK = "\r\nContent-Length: 2\r\n\r\nok";
const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/** Answers that no client is to see anything of. */
const INVALID: readonly (readonly [what: string, answer: string])[] = [
  ["nothing that is HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
  ["bytes at random", "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\xff\xfe\r\n\r\n"],
  ["a request", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["no version", `HTTP 200 OK${OK}`],
  ["a status of two digits", `HTTP/1.1 20 OK${OK}`],
  ["a status that is no number", `HTTP/1.1 abc OK${OK}`],
  ["the status 0", `HTTP/1.1 000 OK${OK}`],
  ["an impossible status", `HTTP/1.1 042 OK${OK}`],
  ["a NUL in the reason", `HTTP/1.1 200 O\0K${OK}`],
  ["a control character in the reason", `HTTP/1.1 200 O\x01K${OK}`],
  ["a switch of protocol", "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"],
  ["a switch to no protocol", "HTTP/1.1 101 OK\r\n\r\n"],
  ["half a head", "HTTP/1.1 200 OK\r\nX-A: b"],
  ["nothing at all", ""],
  ...[
    ["a header without a colon", "Nothing"],
    ["a header without a name", ": b"],
    ["a byte above ASCII in a name", "X\xe9: b"],
    ["a NUL in a value", "X-A: a\0b"],
    ["a control character in a value", "X-A: a\x01b"],
    ["a DEL in a value", "X-A: a\x7fb"],
    ["a bare CR in a value", "X-A: a\rX-B: b"],
    ["two lengths", "Content-Length: 3"],
    ["chunks and a length", "Transfer-Encoding: chunked"],
  ].map(([what, line]) => [what ?? "", `HTTP/1.1 200 OK\r\n${line}${OK}`] as const),
  ...["2, 3", "-2", "0x2", "99999999999999999", "9".repeat(30)].map(
    (length) => [`a length of ${length}`, `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\nok!`] as const,
  ),
  ["a Content-Length behind a NUL", "HTTP/1.1 200 OK\r\n\0Content-Length: 2\r\n\r\nok"],
  ["an unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"],
];

/** Answers whose head is well and whose body breaks off or makes no sense. */
const BROKEN: readonly (readonly [string, string])[] = [
  ["a chunk whose size is no number", `${CHUNKED}2\r\nok\r\nzz\r\n`],
  ["a chunk that is longer than it says", `${CHUNKED}2\r\nokok\r\n0\r\n\r\n`],
  ["a negative size of a chunk", `${CHUNKED}2\r\nok\r\n-1\r\n`],
  ["a size of a chunk that overflows", `${CHUNKED}2\r\nok\r\n${"f".repeat(20)}\r\n`],
  ["an end in the middle of a chunk", `${CHUNKED}9\r\nok`],
  ["an end before the last chunk", `${CHUNKED}2\r\nok\r\n`],
  ["an end before the end of the trailers", `${CHUNKED}2\r\nok\r\n0\r\nX-A: b\r\n`],
  ["a trailer without a colon", `${CHUNKED}2\r\nok\r\n0\r\nnothing\r\n\r\n`],
  ["an end before its length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok"],
];

/** Whether a client would take it for a complete answer of the backend. It may see the beginning of one, or a 502. */
function looksWhole(text: string): boolean {
  if (text === "" || text.startsWith("HTTP/1.1 502 ")) return false;
  const [head = "", body = ""] = text.split(/\r\n\r\n([^]*)/);
  const length = /\r\nContent-Length: (\d+)/.exec(head)?.[1];
  return length === undefined
    ? /(?:^|\r\n)0\r\n(?:[^\r]+\r\n)*\r\n$/.test(body) || !/chunked/i.test(head)
    : body.length >= Number(length);
}

describe.each(TRANSPORTS)("a balancer by %s before a backend that sends nonsense", (transport) => {
  const uncaught: unknown[] = [];
  const note = (error: unknown): void => void uncaught.push(error);
  beforeEach(() => {
    uncaught.length = 0;
    process.on("uncaughtExceptionMonitor", note).on("unhandledRejection", note);
  });
  afterEach(() => {
    process.off("uncaughtExceptionMonitor", note).off("unhandledRejection", note);
    if (uncaught.length > 0) throw new AggregateError(uncaught, "Something was not caught.");
  });

  const balance = (backend: { readonly url: string }, more: Partial<BalancerOptions> = {}) =>
    startBefore(backend, { transport, retries: 0, health: { passive: false }, ...more });

  /** A backend that says something the first time that it is asked, and something sensible after that. */
  async function startOnce(first: string, then: (socket: Socket) => void = () => undefined) {
    let asked = 0;
    return startRawBackend((socket) => {
      endWithPeer(socket).on("data", () => {
        asked += 1;
        if (asked === 1) socket.write(first, "latin1", () => then(socket));
        else socket.write(plainAnswer("fine"));
      });
    });
  }

  /** What a client gets of such an answer, when the next one is served as it should be. */
  async function answerTo(bytes: string): Promise<string> {
    const { port, stats, url } = await balance(await startOnce(bytes, (socket) => socket.end()));
    const text = await say(port, get());
    expect((await send(url)).body).toBe("fine");
    const errors = /^HTTP\/1\.1 200 [^]*\r\n\r\n(?:2\r\n)?ok(?:\r\n0\r\n\r\n)?$/.test(text) && looksWhole(text) ? 0 : 1;
    await expectSoon(stats).toEqual({ one: { requests: 2, errors, aborted: 0, inFlight: 0 } });
    return text;
  }

  it.each(INVALID)("answers 502 to %s, and goes on", async (_, bytes) => {
    expect(await answerTo(bytes)).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n[^]*\r\n\r\nBackend one [^\r]*\n$/);
  });

  it.each(BROKEN)("breaks an answer off that has %s, and goes on", async (_, bytes) => {
    expect(looksWhole(await answerTo(bytes))).toBe(false);
  });

  it.each([
    ["a folded header", "HTTP/1.1 200 OK\r\nX-A: a\r\n b\r\nContent-Length: 2\r\n\r\nok"],
    ["a fold of what would be a header", "HTTP/1.1 200 OK\r\nX-A: a\r\n Set-Cookie: b\r\nContent-Length: 2\r\n\r\nok"],
    ["lines that end with a bare LF", "HTTP/1.1 200 OK\nX-A: a\nContent-Length: 2\n\nok"],
    ["two equal lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok"],
    ["a space before a colon", "HTTP/1.1 200 OK\r\nX-A : a\r\nContent-Length: 2\r\n\r\nok"],
    ["a coding of identity", "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nConnection: close\r\n\r\nok"],
    ["HTTP/2.0", "HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nok"],
    ["no reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok"],
    ["an empty line first", "\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"],
    ["HTTP/1.0 with chunks", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"],
  ])("answers 502 to %s, or passes it on without doubt", async (_, bytes) => {
    const text = await answerTo(bytes);
    const [head = "", body] = text.split("\r\n\r\n");
    const lines = head.split("\r\n");
    if (lines[0] === "HTTP/1.1 502 Bad Gateway") return;
    expect(lines.shift()).toMatch(/^HTTP\/1\.1 200 /);
    for (const line of lines) expect(line).toMatch(/^[\w-]+: [\x20-\x7e]*$/);
    expect(lines.filter((line) => /^(?:content-length|transfer-encoding):/i.test(line))).toHaveLength(1);
    expect(lines.some((line) => /^set-cookie:/i.test(line))).toBe(false);
    expect(body?.replace(/^2\r\nok(?:\r\n0)?$/, "ok")).toBe("ok");
  });

  const EVIL = plainAnswer("evil");
  const EVIL_204 = `HTTP/1.1 204 No Content\r\nContent-Length: ${EVIL.length}\r\n\r\n${EVIL}`;
  it.each([
    ["behind an answer", "GET", plainAnswer("one") + EVIL, [200, "one"]],
    ["in an answer that has no body", "GET", EVIL_204, [204, ""]],
    ["in an answer to HEAD", "HEAD", EVIL, [expect.toBeOneOf([200, 502]), ""]],
  ])("does not give what comes %s to the next request", async (_, method, first, expected) => {
    const { url } = await balance(await startOnce(first));
    const agent = keepAliveAgent({ maxSockets: 1 });
    const { status, body } = await send(url, { agent, method });
    expect([status, body]).toEqual(expected);
    expect(await sendTimes(url, 3, { agent })).toEqual(["fine", "fine", "fine"]);
  });

  it("does not give it to a request that waits for the same connection either", async () => {
    const { url } = await balance(await startOnce(plainAnswer("one") + EVIL), { limits: { connectionsPerBackend: 1 } });
    const answers = await Promise.all([send(url), send(url), send(url)]);
    expect(answers.map(({ body }) => body).toSorted()).toEqual(["fine", "fine", "one"]);
  });

  it("does not give an answer that nobody asked for to the next request", async () => {
    const backend = await startOnce(plainAnswer("fine"));
    const { url } = await balance(backend);
    expect((await send(url)).body).toBe("fine");
    // When it has been written, and the balancer's end is closed because of it, nothing of it can be under way.
    backend.open()[0]?.write(EVIL);
    await expectSoon(() => backend.open().length).toBe(0);
    expect(await sendTimes(url, 3)).toEqual(["fine", "fine", "fine"]);
  });

  /** A backend that answers the first request on each connection, and leaves as the second one comes. */
  const startLeaving = (how: "ends" | "resets") =>
    startRawBackend((socket) => {
      socket.once("data", () => {
        socket.write(plainAnswer("fine"));
        socket.once("data", () => (how === "ends" ? socket.end() : socket.resetAndDestroy()));
      });
    });

  it.each(["ends", "resets"] as const)("sends a request again when its backend %s a kept connection", async (how) => {
    const leaving = await Promise.all([startLeaving(how), startLeaving(how)]);
    for (const count of [1, 2]) {
      const backends = leaving.slice(0, count).map(({ url: backend }, index) => ({ url: backend, name: `${index}` }));
      const { url, snapshot } = await startBalancer({ transport, backends });
      for (const method of ["GET", "GET", "GET", "PUT", "GET", "PUT", "PUT", "GET"]) {
        const answer = await send(url, { method }, method === "PUT" ? "a body" : undefined);
        expect(answer).toMatchObject({ status: 200, body: "fine" });
      }
      const each = { requests: 8 / count, errors: 0, aborted: 0, inFlight: 0, retries: 0, condition: "up" };
      await expectSoon(() => snapshot().backends).toMatchObject(backends.map(() => each));
    }
  });

  it("sends no request again that cannot be repeated, when a kept connection is reset as it comes", async () => {
    const { url } = await balance(await startLeaving("resets"));
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await send(url, { method: "POST" }, "once")).status);
    expect(statuses).toEqual([200, 502, 200, 502]);
  });
});
