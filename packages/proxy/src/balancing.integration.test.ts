import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import type { RequestLogEntry } from "./options/options.js";
import type { Policy } from "./policies/policy.js";
import { exchange, keepAliveAgent, readAnswer, send } from "./test-support/client.js";
import { startBackend, startBalancer } from "./test-support/servers.js";
import { TRANSPORTS } from "./test-support/transports.js";

async function startNamed(...names: string[]) {
  const servers = await Promise.all(names.map((name) => startBackend((_, response) => response.end(name))));
  return { servers, backends: servers.map(({ url }, index) => ({ url, name: names[index] ?? "" })) };
}

describe.each(TRANSPORTS)("a balancer by %s", (transport) => {
  it("gives requests to its backends strictly in turn", async () => {
    const { backends } = await startNamed("a", "b", "c");
    const { url } = await startBalancer({ transport, backends });
    const bodies: string[] = [];
    for (let i = 0; i < 7; i++) bodies.push((await send(url)).body);
    expect(bodies.join("")).toBe("abcabca");
  });

  it("counts the requests of each backend, also under concurrency", async () => {
    const { backends } = await startNamed("a", "b", "c", "d");
    const { url, stats } = await startBalancer({ transport, backends });
    const agent = keepAliveAgent({ maxSockets: 25 });
    await Promise.all(Array.from({ length: 400 }, () => send(url, { agent })));
    await expect.poll(() => Object.values(stats()).every(({ inFlight }) => inFlight === 0)).toBe(true);
    const each = { requests: 100, errors: 0, aborted: 0, inFlight: 0 };
    expect(stats()).toEqual({ a: each, b: each, c: each, d: each });
  });

  it("names the backend in a header only on request", async () => {
    const { backends } = await startNamed("a");
    const silent = await startBalancer({ transport, backends });
    const telling = await startBalancer({ transport, backends, backendHeader: "X-Served-By" });
    expect((await send(silent.url)).headers).not.toHaveProperty("x-served-by");
    expect((await send(telling.url)).headers).toHaveProperty("x-served-by", "a");
  });

  it("keeps its connections to a backend", async () => {
    const { servers, backends } = await startNamed("a");
    const { url } = await startBalancer({ transport, backends });
    for (let i = 0; i < 10; i++) await send(url, { agent: false });
    expect(servers[0]?.connections()).toBe(1);
  });

  it("keeps them also for clients that close theirs, and does as those clients ask", async () => {
    const { servers, backends } = await startNamed("a");
    const { port } = await startBalancer({ transport, backends });
    for (let i = 0; i < 3; i++) {
      const { text } = await exchange(port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\nConnection: close\r\n\r\na$/);
    }
    expect(servers[0]?.connections()).toBe(1);
  });

  it("keeps as many connections as there are requests at a time", async () => {
    let waiting: (() => void)[] = [];
    const backend = await startBackend((_, response) => {
      waiting.push(() => response.end());
      if (waiting.length === 300) {
        for (const answer of waiting) answer();
        waiting = [];
      }
    });
    const { url } = await startBalancer({ transport, backends: [{ url: backend.url }] });
    const agent = keepAliveAgent();
    for (let round = 0; round < 2; round++) {
      await Promise.all(Array.from({ length: 300 }, () => send(url, { agent })));
    }
    expect(backend.connections()).toBe(300);
  });

  it("passes a megabyte through in both directions, byte for byte", async () => {
    const echo = await startBackend((incoming, response) => incoming.pipe(response));
    const { url } = await startBalancer({ transport, backends: [{ url: echo.url }] });
    const body = randomBytes(1024 * 1024);
    const sent = request(url, { method: "POST" });
    sent.end(body);
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    const hash = createHash("sha256");
    for await (const chunk of answer) hash.update(chunk as Buffer);
    expect(hash.digest("hex")).toBe(createHash("sha256").update(body).digest("hex"));
  });

  it("passes the body of a DELETE that is sent in chunks, and nothing of it as a request", async () => {
    const seen: string[] = [];
    const echo = await startBackend((incoming, response) => {
      seen.push(`${incoming.method} ${incoming.url}`);
      incoming.pipe(response);
    });
    const { url } = await startBalancer({ transport, backends: [{ url: echo.url }] });
    const sent = request(`${url}/a`, { method: "DELETE", headers: { "transfer-encoding": "chunked" } });
    sent.end("GET /smuggled HTTP/1.1\r\n\r\n");
    expect((await readAnswer(sent)).body).toBe("GET /smuggled HTTP/1.1\r\n\r\n");
    await send(`${url}/b`, { method: "DELETE" });
    expect(seen).toEqual(["DELETE /a", "DELETE /b"]);
  });

  it("passes the method, the path and the Host on, and tells who asked", async () => {
    const mirror = await startBackend((incoming, response) => {
      response.end(JSON.stringify({ method: incoming.method, path: incoming.url, headers: incoming.headers }));
    });
    const { url } = await startBalancer({ transport, backends: [{ url: `${mirror.url}/base` }] });
    const { body } = await send(`${url}/a%20b?c=d%2Fe`, { method: "PUT", headers: { host: "shop.test:81" } });
    expect(JSON.parse(body)).toMatchObject({
      method: "PUT",
      path: "/base/a%20b?c=d%2Fe",
      headers: {
        host: "shop.test:81",
        "x-forwarded-for": "127.0.0.1",
        "x-forwarded-proto": "http",
        "x-forwarded-host": "shop.test:81",
        "x-forwarded-port": "81",
      },
    });
  });

  it("passes the head of an answer on as it is", async () => {
    const backend = await startBackend((_, response) => {
      response.writeHead(418, "Short and stout", ["Set-Cookie", "a=1", "Set-Cookie", "b=2", "X-Mixed", "case"]);
      response.end();
    });
    const { port } = await startBalancer({ transport, backends: [{ url: backend.url }] });
    const { text } = await exchange(port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    expect(text).toMatch(/^HTTP\/1\.1 418 Short and stout\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Mixed: case\r\n/);
  });

  it("answers HEAD without a body and keeps the length", async () => {
    const backend = await startBackend((_, response) => response.writeHead(200, { "content-length": 3 }).end("abc"));
    const { url } = await startBalancer({ transport, backends: [{ url: backend.url }] });
    const answer = await send(url, { method: "HEAD" });
    expect([answer.status, answer.headers["content-length"], answer.body]).toEqual([200, "3", ""]);
  });

  it("answers a client of HTTP/1.0 without chunks", async () => {
    const chunky = await startBackend((_, response) => {
      response.write("ab");
      response.end("cd");
    });
    const { port } = await startBalancer({ transport, backends: [{ url: chunky.url }] });
    const { text } = await exchange(port, "GET / HTTP/1.0\r\n\r\n");
    expect(text).toMatch(/\r\n\r\nabcd$/);
    expect(text).not.toMatch(/transfer-encoding/i);
  });

  it("answers a request for an upgrade as an ordinary one", async () => {
    const mirror = await startBackend((incoming, response) => response.end(incoming.headers.upgrade ?? "none"));
    const { url } = await startBalancer({ transport, backends: [{ url: mirror.url }] });
    const { body } = await send(url, { headers: { connection: "upgrade", upgrade: "h2c" } });
    expect(body).toBe("none");
  });

  it("passes a body on that waits to be asked for", async () => {
    const echo = await startBackend((incoming, response) => incoming.pipe(response));
    const { url } = await startBalancer({ transport, backends: [{ url: echo.url }] });
    const sent = request(url, { method: "POST", headers: { expect: "100-continue", "content-length": 2 } });
    sent.once("continue", () => sent.end("ok"));
    expect((await readAnswer(sent)).body).toBe("ok");
  });

  it("tells of each request once, with the backend that served it", async () => {
    const { backends } = await startNamed("a", "b");
    const entries: RequestLogEntry[] = [];
    const { url } = await startBalancer({ transport, backends, onRequest: (entry) => entries.push(entry) });
    await send(`${url}/x?y`, { method: "POST" }, "z");
    await send(url);
    await expect.poll(() => entries.length).toBe(2);
    const common = {
      status: 200,
      httpVersion: "1.1",
      startedAt: expect.any(Number),
      durationMs: expect.any(Number),
      bodyBytes: 1,
      remoteAddress: "127.0.0.1",
      host: url.slice("http://".length),
    };
    expect(entries).toEqual([
      { ...common, method: "POST", path: "/x?y", backend: "a" },
      { ...common, method: "GET", path: "/", backend: "b" },
    ]);
    for (const { durationMs } of entries) expect(durationMs).toBeGreaterThan(0);
  });

  it("answers 503 when the policy finds no backend", async () => {
    const { servers, backends } = await startNamed("a");
    const none: Policy = { name: "none", create: () => ({ pick: () => undefined }) };
    const entries: RequestLogEntry[] = [];
    const { url } = await startBalancer({
      transport,
      backends,
      policy: none,
      onRequest: (entry) => entries.push(entry),
    });
    const answer = await send(url);
    expect([answer.status, answer.headers["content-type"]]).toEqual([503, "text/plain; charset=utf-8"]);
    expect(answer.body).toBe("No backend is available.\n");
    await expect.poll(() => entries[0]).toMatchObject({ status: 503, error: "No backend is available." });
    expect(servers[0]?.connections()).toBe(0);
  });

  it("gives each balancer a picker of its own", async () => {
    const { backends } = await startNamed("a", "b");
    const first = await startBalancer({ transport, backends });
    const second = await startBalancer({ transport, backends });
    expect([(await send(first.url)).body, (await send(second.url)).body]).toEqual(["a", "a"]);
  });
});
