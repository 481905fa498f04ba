import { describe, expect, it } from "vitest";
import type { BalancerOptions } from "../options/options.js";
import { keepAliveAgent, send } from "../test-support/client.js";
import { startBackend, startBalancer, startRawBackend } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";
import { plainAnswer, startWireBackend } from "../test-support/wire-backend.js";
import { wireClient } from "../test-support/wire-client.js";
import { valuesOf } from "../test-support/wire-parse.js";

const GET = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
const GET_1_0 = "GET / HTTP/1.0\r\nHost: a\r\n\r\n";
const LAST = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
const POST = "POST / HTTP/1.1\r\nHost: a\r\n";
const MEBIBYTE = 1024 * 1024;

describe.each(TRANSPORTS)("a balancer by %s", (transport) => {
  const balance = (url: string, more: Partial<BalancerOptions> = {}) =>
    startBalancer({ transport, backends: [{ url, name: "one" }], ...more });

  /** A balancer before a backend that answers everything with these bytes. */
  async function answering(bytes: string, more: Partial<BalancerOptions> = {}) {
    const backend = await startWireBackend(({ target }) => (target === "/last" ? plainAnswer("last") : bytes));
    return { backend, ...(await balance(backend.url, more)) };
  }

  describe("and a request that expects to be told to go on", () => {
    it("tells it so, and passes the body on without the expectation", async () => {
      const { port, backend } = await answering(plainAnswer("ok"));
      const client = wireClient(port, `${POST}Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n`);
      await client.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
      client.write("hi");
      await client.until(/100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n[^]*ok$/);
      expect(backend.requests().map(({ body, lines }) => [body, valuesOf(lines, "expect")])).toEqual([["hi", []]]);
    });

    it("says nothing of the kind when no backend is available", async () => {
      const { port, drainBackend } = await answering("");
      await drainBackend("one");
      const client = wireClient(port, `${POST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`);
      await client.until(/^HTTP\/1\.1 503 [^]*\r\nRetry-After: \d+\r\n/);
      expect(client.received()).not.toContain("100 Continue");
    });

    it("refuses at once a body that is declared to be too long", async () => {
      const { port, backend } = await answering("", { limits: { bodyBytes: 10 } });
      const client = wireClient(port, `${POST}Expect: 100-continue\r\nContent-Length: 11\r\n\r\n`);
      await client.until(/^HTTP\/1\.1 413 /);
      expect(backend.connections()).toBe(0);
    });

    it("refuses any other expectation", async () => {
      const { port, snapshot } = await answering("");
      const text = await wireClient(port, `${POST}Expect: 200-ok\r\nContent-Length: 2\r\n\r\nhi`).closed();
      expect(text).toMatch(/^HTTP\/1\.1 417 /);
      expect(snapshot().refused).toEqual({ "417": 1 });
    });

    it("ignores the expectation of a client of HTTP/1.0", async () => {
      const { port } = await answering(plainAnswer("ok"));
      const bytes = "POST / HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi";
      expect(await wireClient(port, bytes).closed()).toMatch(/^HTTP\/1\.1 200 /);
    });
  });

  describe("and trailers", () => {
    const chunked = "HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n";

    it.each(["TE: trailers\r\n", ""])("passes those of an answer on (%j)", async (te) => {
      const { port } = await answering(`${chunked}X-Sum: 1\r\nx-sum: J\xf6\r\nHost: evil\r\nSet-Cookie: a\r\n\r\n`);
      const text = await wireClient(port, `GET / HTTP/1.1\r\nHost: a\r\n${te}Connection: close, TE\r\n\r\n`).closed();
      expect(text).toMatch(/\r\nTrailer: X-Sum\r\n/);
      expect(text).toMatch(/\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\nx-sum: J\xf6\r\n\r\n$/);
    });

    it("keeps them from a client that knows no chunks", async () => {
      const { port } = await answering(`${chunked}X-Sum: 1\r\n\r\n`);
      expect(await wireClient(port, GET_1_0).closed()).toMatch(/\r\n\r\nok$/);
    });

    it("throws those of a request away, and never takes them for headers", async () => {
      const { port, backend } = await answering(plainAnswer("ok"));
      const trailers = "X-Sum: 1\r\nX-Forwarded-For: 6.6.6.6\r\nCookie: a=b\r\n";
      const head = `${POST}Trailer: X-Sum\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
      expect(await wireClient(port, `${head}2\r\nhi\r\n0\r\n${trailers}\r\n`).closed()).toMatch(/^HTTP\/1\.1 200 /);
      const [request] = backend.requests();
      expect(request?.body).toBe("hi");
      for (const name of ["x-sum", "cookie", "trailer"]) expect(valuesOf(request?.lines ?? [], name)).toEqual([]);
      expect(valuesOf(request?.lines ?? [], "x-forwarded-for")).toEqual(["127.0.0.1"]);
    });
  });

  describe("and an answer without a body", () => {
    it.each([
      ["HEAD", "with a length", "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\n", ["5"]],
      [
        "HEAD",
        "that would be in chunks",
        "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n",
        [],
      ],
      ["HEAD", "that says nothing of it", "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\n", []],
      ["HEAD", "of a 404", "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n", ["5"]],
      ["GET", "that is a 204", "HTTP/1.1 204 No Content\r\n\r\n", []],
      ["GET", "that is a 204 with a length", "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", []],
      ["GET", "that is a 304", 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n', []],
      ["GET", "that is a 304 with a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", ["5"]],
      [
        "POST",
        "that is a 204 with a length that it has not",
        "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
        [],
      ],
      ["GET", "that is empty", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ["0"]],
    ])("to %s %s keeps the client's connection", async (method, _, bytes, lengths) => {
      const { port, stats } = await answering(bytes);
      const client = wireClient(port, `${method} / HTTP/1.1\r\nHost: a\r\n\r\n`);
      await client.until(/\r\n\r\n$/);
      const [head = ""] = client.received().split("\r\n\r\n");
      expect(head.split("\r\n")[0]).toBe(bytes.split("\r\n")[0]);
      expect(valuesOf(head.split("\r\n"), "content-length")).toEqual(lengths);
      expect(valuesOf(head.split("\r\n"), "transfer-encoding")).toEqual([]);
      client.write(LAST);
      expect(await client.closed()).toMatch(/\r\n\r\nHTTP\/1\.1 200 OK\r\n[^]*last$/);
      await expect.poll(stats).toEqual({ one: { requests: 2, errors: 0, aborted: 0, inFlight: 0 } });
    });

    it("leaves out the body that a backend sends to HEAD all the same", async () => {
      const { port } = await answering(plainAnswer("evil"));
      const client = wireClient(port, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
      await client.until(/\r\n\r\n/);
      client.write(LAST);
      expect((await client.closed()).split("\r\n\r\n").slice(1).join("")).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*last$/);
    });
  });

  describe("and an answer before the answer", () => {
    const hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nLink: </b.css>\r\n\r\n";
    const bytes = `HTTP/1.1 102 Processing\r\n\r\n${hints}${plainAnswer("ok")}`;

    it("passes it on", async () => {
      const { port } = await answering(bytes);
      expect(await wireClient(port, GET).closed()).toMatch(
        /^HTTP\/1\.1 102 Processing\r\n(?:Date: .*\r\n)?\r\nHTTP\/1\.1 103 Early Hints\r\nLink: <\/a.css>\r\nLink: <\/b.css>\r\n(?:Date: .*\r\n)?\r\nHTTP\/1\.1 200 OK\r\n[^]*ok$/,
      );
    });

    it("keeps it from a client of HTTP/1.0", async () => {
      const { port } = await answering(bytes);
      expect(await wireClient(port, GET_1_0).closed()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*ok$/);
    });
  });

  describe("and bodies", () => {
    it("passes chunks on in both directions, also none", async () => {
      const echo = await startBackend((incoming, response) => incoming.pipe(response));
      const { port } = await balance(echo.url);
      const head = `${POST}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
      expect(await wireClient(port, `${head}1\r\na\r\n2\r\nbc\r\n0\r\n\r\n`).closed()).toMatch(
        /\r\n\r\n(?:3\r\nabc|1\r\na\r\n2\r\nbc)\r\n0\r\n\r\n$/,
      );
      expect(await wireClient(port, `${head}0\r\n\r\n`).closed()).toMatch(
        /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n(?:0\r\n\r\n)?$/,
      );
    });

    it("passes an answer on that ends with its connection, to a client that keeps its own", async () => {
      const backend = await startRawBackend((socket) => {
        socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\n\r\nwhole"));
      });
      const { port } = await balance(backend.url);
      const client = wireClient(port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      await client.until(/\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n$/);
      client.write(LAST);
      expect(await client.closed()).toMatch(/0\r\n\r\nHTTP\/1\.1 200 [^]*whole/);
    });

    it("passes the first part of an answer on before there is a second", async () => {
      let finish: (() => void) | undefined;
      const backend = await startBackend((_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
        finish = () => response.end("data: 2\n\n");
      });
      const { port } = await balance(backend.url);
      const client = wireClient(port, GET);
      await client.until(/data: 1\n\n/);
      finish?.();
      expect(await client.closed()).toMatch(/data: 2\n\n\r\n0\r\n\r\n$/);
    });

    it("passes the head of an answer on before there is a body", async () => {
      const backend = await startBackend((_, response) =>
        response.writeHead(200, { "content-length": 2 }).flushHeaders(),
      );
      const { port } = await balance(backend.url);
      const client = wireClient(port, GET);
      await client.until(/\r\n\r\n$/);
      expect(client.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    });

    it.each([
      ["with a length", "Content-Length: 6\r\n\r\n", "one", "two"],
      ["in chunks", "Transfer-Encoding: chunked\r\n\r\n", "3\r\none\r\n", "3\r\ntwo\r\n0\r\n\r\n"],
    ])("passes the first part of a request %s on before there is a second", async (_, framing, first, second) => {
      const { port, backend } = await answering(plainAnswer("ok"));
      const client = wireClient(port, `${POST}${framing}${first}`);
      await expect.poll(() => backend.received().join("")).toMatch(/one(?:\r\n)?$/);
      client.write(second);
      await client.until(/ok$/);
      expect(backend.requests().map(({ body }) => body)).toEqual(["onetwo"]);
    });

    it.each([
      ["with a length", `Content-Length: ${10 * MEBIBYTE}\r\n\r\n`, ""],
      ["in chunks", `Transfer-Encoding: chunked\r\n\r\n`, `${(10 * MEBIBYTE).toString(16)}\r\n`],
    ])("gives a client its answer while it still sends 10 MiB %s", async (_, framing, first) => {
      const backend = await startRawBackend((socket) => {
        socket.once("data", () => socket.write("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno"));
        socket.resume();
      });
      const { port, stats } = await balance(backend.url);
      const client = wireClient(port, `${POST}${framing}${first}`);
      client.write(Buffer.alloc(MEBIBYTE));
      await client.until(/^HTTP\/1\.1 413 Too Large\r\n[^]*no$/);
      for (let i = 0; i < 9; i++) client.write(Buffer.alloc(MEBIBYTE));
      if (first !== "") client.write("\r\n0\r\n\r\n");
      // The rest of the body is not taken for a request, nor does it keep the next one from being read.
      client.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      expect(await client.closed()).toMatch(/no(?:HTTP\/1\.1 413 [^]*no)?$/);
      await expect.poll(() => stats().one).toMatchObject({ errors: 0, inFlight: 0 });
    });

    it("refuses a body in chunks that grows too long", async () => {
      const { port, backend, snapshot } = await answering(plainAnswer("ok"), { limits: { bodyBytes: 1000 } });
      const client = wireClient(port, `${POST}Transfer-Encoding: chunked\r\n\r\n3e8\r\n${"a".repeat(1000)}\r\n`);
      await expect.poll(() => backend.received().join("").length).toBeGreaterThan(1000);
      client.write(`1\r\na\r\n0\r\n\r\n${LAST}`);
      expect(await client.closed()).toMatch(/^HTTP\/1\.1 413 [^]*longer than 1000 bytes\.\n$/);
      expect(backend.requests()).toEqual([]);
      expect(snapshot().refused).toEqual({ "413": 1 });
      await expect.poll(() => backend.open()).toBe(0);
    });
  });

  describe("and pipelined requests", () => {
    it("answers them in their order, whichever is ready first", async () => {
      const waiting = new Map<string, () => void>();
      const backend = await startBackend((incoming, response) => {
        waiting.set(incoming.url ?? "", () => response.end(incoming.url));
        if (waiting.size === 3) for (const path of ["/3", "/2", "/1"]) waiting.get(path)?.();
      });
      const { port } = await balance(backend.url);
      const requests = ["/1", "/2"].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join("");
      const text = await wireClient(
        port,
        `${requests}GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      ).closed();
      expect(text.match(/\/\d/g)?.join("").replaceAll("/1./1", "")).toMatch(/\/1.*\/2.*\/3$/);
      expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
    });

    it("answers those before one that cannot be read", async () => {
      const backend = await startBackend((_, response) => void setImmediate(() => response.end("whole")));
      const { port } = await balance(backend.url);
      const requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2);
      const text = await wireClient(port, `${requests}NONSENSE\r\n\r\n`).closed();
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
    });

    it("ends all of them when the client goes away", async () => {
      const backend = await startWireBackend(() => "");
      const { port, stats } = await balance(backend.url);
      const client = wireClient(port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(20));
      await expect.poll(() => backend.open()).toBe(20);
      client.socket.destroy();
      await expect.poll(() => backend.open()).toBe(0);
      await expect.poll(stats).toEqual({ one: { requests: 20, errors: 0, aborted: 20, inFlight: 0 } });
    });
  });

  describe("and a client that goes away", () => {
    it.each([
      ["while it waits", GET, ""],
      ["in the middle of an upload", `${POST}Content-Length: 100\r\n\r\nhalf`, ""],
      ["in the middle of an upload in chunks", `${POST}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`, ""],
      ["in the middle of an answer", GET, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"],
    ])("ends the connection to the backend (%s)", async (_, bytes, answer) => {
      let open = 0;
      const backend = await startRawBackend((socket) => {
        open += 1;
        socket.once("data", () => socket.write(answer)).once("close", () => (open -= 1));
      });
      const { port, stats } = await balance(backend.url);
      const client = wireClient(port, bytes);
      await expect.poll(() => open).toBe(1);
      if (answer !== "") await client.until(/half$/);
      client.socket.destroy();
      await expect.poll(() => open).toBe(0);
      await expect.poll(stats).toEqual({ one: { requests: 1, errors: 0, aborted: 1, inFlight: 0 } });
    });
  });

  describe("and a side that does not read", () => {
    const MOST = 16 * MEBIBYTE;

    it("stops taking an answer that its client does not", async () => {
      let taken = 0;
      const backend = await startRawBackend((socket) => {
        const chunk = Buffer.alloc(64 * 1024);
        const more = (): void => {
          while (taken < 256 * MEBIBYTE && !socket.destroyed) {
            taken += chunk.length;
            if (!socket.write(chunk)) return;
          }
        };
        socket.on("drain", more).once("data", () => {
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${256 * MEBIBYTE}\r\n\r\n`);
          more();
        });
      });
      const { port } = await balance(backend.url);
      const client = wireClient(port, GET);
      client.socket.pause();
      await standsStill(() => taken);
      expect(taken).toBeLessThan(MOST);
    });

    it("stops taking a request that its backend does not", async () => {
      const backend = await startRawBackend((socket) => void socket.pause());
      const { port } = await balance(backend.url);
      const client = wireClient(port, `PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: ${256 * MEBIBYTE}\r\n\r\n`);
      const chunk = Buffer.alloc(64 * 1024);
      let taken = 0;
      const more = (): void => {
        while (taken < 256 * MEBIBYTE) {
          taken += chunk.length;
          if (!client.socket.write(chunk)) return;
        }
      };
      client.socket.on("drain", more);
      more();
      await standsStill(() => taken);
      expect(taken).toBeLessThan(MOST);
    });
  });
});

/** Resolves when a number that is above 0 has not changed over ten turns of 20 ms. */
async function standsStill(value: () => number): Promise<void> {
  let last = -1;
  let same = 0;
  await expect
    .poll(
      () => {
        same = value() > 0 && value() === last ? same + 1 : 0;
        last = value();
        return same;
      },
      { interval: 20, timeout: 20_000 },
    )
    .toBeGreaterThan(10);
}

describe.each(TRANSPORTS)("a balancer by %s that sends a request once more", (transport) => {
  /** A balancer before a backend that fails in the given way, and one that echoes what it gets. */
  async function balanceBadAndGood(
    bad: Parameters<typeof startRawBackend>[0] | "gone",
    more: Partial<BalancerOptions> = {},
  ) {
    const first = await startRawBackend(bad === "gone" ? () => undefined : bad);
    if (bad === "gone") await first.close();
    const good = await startBackend((incoming, response) => incoming.pipe(response));
    const backends = [
      { url: first.url, name: "bad" },
      { url: good.url, name: "good" },
    ];
    return startBalancer({ transport, backends, health: { passive: false }, backendHeader: "x-backend", ...more });
  }

  const ways: readonly (readonly [string, Parameters<typeof startRawBackend>[0] | "gone"])[] = [
    ["refuses connections", "gone"],
    ["closes them without an answer", (socket) => socket.once("data", () => socket.end())],
    ["resets them without an answer", (socket) => socket.once("data", () => socket.resetAndDestroy())],
  ];

  it.each(ways)("gives a GET and a PUT to another backend when the first one %s", async (_, bad) => {
    const { url, snapshot } = await balanceBadAndGood(bad);
    expect((await send(url)).headers).toHaveProperty("x-backend", "good");
    // The turn after a retry begins with the first one again.
    while (snapshot().backends[0]?.requests === 1) {
      expect(await send(url, { method: "PUT" }, "body")).toMatchObject({ status: 200, body: "body" });
    }
    await expect.poll(() => snapshot().backends.map(({ inFlight }) => inFlight)).toEqual([0, 0]);
    const [first, second] = snapshot().backends;
    expect(first).toMatchObject({ requests: 2, errors: 2, retries: 0 });
    expect(second).toMatchObject({ errors: 0, retries: 2 });
  });

  it.each(ways)("gives no POST to another backend when the first one %s", async (_, bad) => {
    const { url, snapshot } = await balanceBadAndGood(bad);
    expect((await send(url, { method: "POST" }, "body")).status).toBe(502);
    expect(snapshot().backends.map(({ requests }) => requests)).toEqual([1, 0]);
  });

  it("does not do so when part of an answer has come", async () => {
    const { port, snapshot } = await balanceBadAndGood((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"));
    });
    await wireClient(port, GET).closed();
    expect(snapshot().backends.map(({ requests }) => requests)).toEqual([1, 0]);
  });

  it("does not do so when the body was too long to be kept", async () => {
    const { url, snapshot } = await balanceBadAndGood((socket) => socket.once("data", () => socket.end()), {
      limits: { bufferBytes: 1000 },
    });
    const agent = keepAliveAgent();
    expect((await send(url, { method: "PUT", agent }, Buffer.alloc(100_000))).status).toBe(502);
    expect(snapshot().backends.map(({ requests }) => requests)).toEqual([1, 0]);
  });

  it.each([0, 1, 2])("does so %i times at most", async (retries) => {
    const gone = await Promise.all(Array.from({ length: 5 }, () => startBackend(() => undefined)));
    await Promise.all(gone.map((server) => server.close()));
    const { url, snapshot } = await startBalancer({
      transport,
      retries,
      backends: gone.map((server) => ({ url: server.url })),
    });
    expect((await send(url)).status).toBe(502);
    await expect
      .poll(() =>
        snapshot()
          .backends.map(({ inFlight }) => inFlight)
          .join(""),
      )
      .toBe("00000");
    const sum = (of: "requests" | "errors" | "retries") =>
      snapshot().backends.reduce((total, one) => total + one[of], 0);
    expect([sum("requests"), sum("errors"), sum("retries")]).toEqual([retries + 1, retries + 1, retries]);
  });

  it("answers 504 when no backend answers in time", async () => {
    const backend = await startRawBackend(() => undefined);
    const { url, stats } = await startBalancer({
      transport,
      backends: [{ url: backend.url, name: "one" }],
      timeouts: { responseMs: 50 },
    });
    expect(await send(url)).toMatchObject({ status: 504, body: "Backend one did not answer within 50 ms.\n" });
    await expect.poll(stats).toEqual({ one: { requests: 1, errors: 1, aborted: 0, inFlight: 0 } });
  });

  it("answers 504 when no connection is made in time", async () => {
    // Once a TLS connection is asked for, one that never answers is one that is never made.
    const silent = await startRawBackend(() => undefined);
    const { url } = await startBalancer({
      transport,
      backends: [{ url: silent.url.replace("http:", "https:"), name: "one" }],
      timeouts: { connectMs: 50 },
    });
    expect(await send(url)).toMatchObject({
      status: 504,
      body: "Backend one could not be connected to within 50 ms.\n",
    });
  });

  it("answers 503 with Retry-After when no backend is available", async () => {
    const backend = await startBackend((_, response) => response.end());
    const { url, drainBackend, snapshot } = await startBalancer({
      transport,
      backends: [{ url: backend.url, name: "one" }],
    });
    await drainBackend("one");
    const { status, headers } = await send(url);
    expect([status, Number(headers["retry-after"]) > 0]).toEqual([503, true]);
    expect(snapshot().refused).toEqual({ "503": 1 });
  });
});
