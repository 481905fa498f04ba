import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { Agent, createServer as createHttpsServer, request as requestHttps } from "node:https";
import { connect as connectTls } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { BalancerListenError } from "../../balancer-listen-error.js";
import { createBalancer } from "../../create-balancer.js";
import type { BalancerOptions } from "../../options/options.js";
import { INTERNAL, LOCALHOST } from "../../test-support/certificates.js";
import { keepAliveAgent, readAnswer, send } from "../../test-support/client.js";
import { expectSoon } from "../../test-support/expect-soon.js";
import { isListening, serve, startBackend, startBalancer, temporaryPath } from "../../test-support/servers.js";
import { TRANSPORTS } from "../../test-support/transports.js";
import { expectEcho, openWebSocket, startEcho } from "../../test-support/web-sockets.js";
import { get, say, startWireBackend, wireClient } from "../../test-support/wire.js";
import { valuesOf } from "../../test-support/wire-parse.js";

const upgrade = { connection: "upgrade", upgrade: "chat" };
const ca = LOCALHOST.cert;

/** A balancer that is told where to listen. */
function createHere(options: BalancerOptions) {
  const balancer = createBalancer(options);
  onTestFinished(() => balancer.close({ graceMs: 0 }));
  return balancer;
}

describe.each(TRANSPORTS)("a balancer by %s whose clients speak TLS", (transport) => {
  it("tells the backend so, keeps their connections, and speaks HTTP/1.1 though they would like HTTP/2", async () => {
    const backend = await startBackend((incoming, response) => response.end(JSON.stringify(incoming.headers)));
    const { url, port, snapshot } = await startBalancer({
      transport,
      backends: [{ url: backend.url }],
      tls: LOCALHOST,
    });
    expect(url).toBe(`https://127.0.0.1:${port}`);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    for (let times = 0; times < 3; times++) {
      const { status, body } = await readAnswer(requestHttps(url, { ca, servername: "localhost", agent }).end());
      const forwarded = expect.stringMatching(/proto=https$/);
      expect([status, JSON.parse(body)]).toEqual([
        200,
        expect.objectContaining({ "x-forwarded-proto": "https", forwarded }),
      ]);
    }
    expect(snapshot().connections).toBe(1);
    await expect(send(url.replace("https", "http"))).rejects.toThrow(/socket hang up|ECONNRESET/);
    const client = connectTls({
      port,
      host: "127.0.0.1",
      ca,
      servername: "localhost",
      ALPNProtocols: ["h2", "http/1.1"],
    });
    await once(client, "secureConnect");
    expect(client.alpnProtocol).toBe("http/1.1");
    client.destroy();
  });

  it("carries WebSockets, and ends them, and clients that have not begun to speak, when it closes", async () => {
    const backend = await startEcho();
    const backends = [{ url: backend.url, name: "one" }];
    const { url, close, port, stats } = await startBalancer({ transport, backends, tls: LOCALHOST });
    const socket = await openWebSocket(url.replace("127.0.0.1", "localhost"), { ca });
    await expectEcho(socket, Buffer.alloc(1024 * 1024, "b"));
    expect(backend.requests[0]?.headers).toMatchObject({ "x-forwarded-proto": "https" });
    (await openWebSocket(url.replace("127.0.0.1", "localhost"), { ca })).close();
    await expectSoon(() => stats()["one"]?.inFlight).toBe(1);
    const silent = wireClient(port);
    await once(silent.socket, "connect");
    const ended = once(socket, "close");
    await close({ graceMs: 0 });
    await Promise.all([ended, silent.ended()]);
    expect(await isListening(port)).toBe(false);
    expect(stats()).toEqual({ one: { requests: 2, errors: 0, aborted: 1, inFlight: 0 } });
  });
});

describe.each(TRANSPORTS)("a balancer by %s whose backend speaks TLS", (transport) => {
  /** Starts an HTTPS server, and notes for which name it is asked. */
  async function startSecure(identity: typeof LOCALHOST) {
    const names: unknown[] = [];
    const server = createHttpsServer(identity, (incoming, response) => {
      names.push((incoming.socket as { servername?: unknown }).servername);
      response.end(incoming.headers.host);
    });
    const served = await serve(server);
    return { ...served, names, backends: [{ url: `https://localhost:${served.port}`, name: "one" }] };
  }

  it("refuses a certificate that nobody vouches for, and says what can be done", async () => {
    const { backends, names, quiet } = await startSecure(LOCALHOST);
    const { url } = await startBalancer({ transport, backends });
    for (const headers of [{}, upgrade]) {
      const { status, body } = await send(url, { headers });
      expect([status, body]).toEqual([
        502,
        expect.stringMatching(/did not answer: self[- ]signed .* \(see backendTls: /),
      ]);
    }
    expect(names).toEqual([]);
    await quiet();
  });

  it("takes one that it was told to trust, or any when told not to look, over one connection for all Hosts", async () => {
    const { backends, names, connections } = await startSecure(LOCALHOST);
    for (const backendTls of [{ ca }, { verify: false }]) {
      const { url } = await startBalancer({ transport, backends, backendTls });
      const agent = keepAliveAgent({ maxSockets: 1 });
      for (const host of ["a.test", "b.test", "c.test"]) {
        expect((await send(url, { agent, headers: { host } })).body).toBe(host);
      }
    }
    expect([new Set(names), connections()]).toEqual([new Set(["localhost"]), 2]);
  });

  it("refuses one of another name, and takes it when told to expect that name", async () => {
    const { backends, names } = await startSecure(INTERNAL);
    const trusting = { transport, backends, backendTls: { ca: INTERNAL.cert } };
    const strict = await send((await startBalancer(trusting)).url);
    expect([strict.status, strict.body]).toEqual([502, expect.stringMatching(/does not match certificate's altnames/)]);
    const backendTls = { ca: INTERNAL.cert, servername: "app.internal" };
    const { url } = await startBalancer({ ...trusting, backendTls });
    expect((await send(url)).status).toBe(200);
    expect(names).toEqual(["app.internal"]);
  });

  it("carries WebSockets to it, and checks its health", async () => {
    const backend = await startEcho(
      0,
      createHttpsServer(LOCALHOST, (_, response) => response.end()),
    );
    const { url, snapshot } = await startBalancer({
      transport,
      backends: [{ url: `https://localhost:${backend.port}` }],
      backendTls: { ca },
      health: { active: { intervalMs: 20, healthyAfter: 1, unhealthyAfter: 1 } },
    });
    await expectEcho(await openWebSocket(url, { headers: { host: "shop.test" } }), "over TLS");
    await expectSoon(backend.connections).toBeGreaterThan(3);
    expect(snapshot().backends[0]?.condition).toBe("up");
  });
});

describe("TLS options", () => {
  const backends = [{ url: "https://127.0.0.1:4001" }];
  const { cert, key } = LOCALHOST;
  const broken = "-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n";

  it.each<[string, Partial<BalancerOptions>, RegExp]>([
    ...["", "no PEM", key, broken].flatMap((bad): [string, Partial<BalancerOptions>, RegExp][] => [
      ["no certificate", { tls: { cert: bad, key } }, /^tls\.cert: expected a certificate as PEM/],
      ["no authority", { backendTls: { ca: bad } }, /^backendTls\.ca: expected certificates/],
    ]),
    ...["", "no PEM", cert, broken].map((bad): [string, Partial<BalancerOptions>, RegExp] => [
      "no key",
      { tls: { cert, key: bad } },
      /^tls\.key: expected a private key/,
    ]),
    ["a number for PEM", { backendTls: { ca: 7 as never } }, /^backendTls\.ca: expected PEM/],
    [
      "the key of another one",
      { tls: { cert, key: INTERNAL.key } },
      /^tls\.key: expected the private key of tls\.cert, got something else: /,
    ],
    ...["", "127.0.0.1", "::1", 7 as never].map((servername): [string, Partial<BalancerOptions>, RegExp] => [
      "no host name",
      { backendTls: { servername } },
      /^backendTls\.servername: expected a host name/,
    ]),
  ])("are refused when they have %s", (_, options, message) => {
    expect(() => createBalancer({ backends, ...options })).toThrow(message);
    expect(() => createBalancer({ backends, ...options })).toThrow(
      expect.objectContaining({ name: "BalancerOptionsError" }),
    );
  });
});

describe.each(TRANSPORTS)("a balancer by %s that listens at", (transport) => {
  it("a Unix socket says where, serves there, tells of no address, and leaves no file", async () => {
    const path = await temporaryPath("front.sock");
    const backend = await startEcho();
    const entries: unknown[] = [];
    const backends = [{ url: backend.url }];
    const { listen, close } = createHere({ transport, backends, onRequest: (entry) => entries.push(entry) });
    expect(await listen({ path })).toEqual({ port: 0, host: path, url: `unix:${path}` });
    const sent = request({ socketPath: path, path: "/x", headers: { host: "shop.test" } }).end();
    expect(await readAnswer(sent)).toMatchObject({ status: 200, body: "plain" });
    await expectSoon(() => entries).toMatchObject([{ path: "/x", host: "shop.test" }]);
    expect(entries[0]).not.toHaveProperty("remoteAddress");

    const socket = new WebSocket(`ws+unix://${path}:/room`);
    await once(socket, "open");
    await expectEcho(socket);
    expect(backend.requests[0]?.headers).not.toHaveProperty("x-forwarded-for");
    expect(backend.requests[0]?.headers["forwarded"]).toMatch(/^for=unknown;/);
    expect(existsSync(path)).toBe(true);
    const ended = once(socket, "close");
    await close({ graceMs: 0 });
    await ended;
    expect(existsSync(path)).toBe(false);
    await backend.quiet();
  });

  it.each([
    ["replace", [], ["for=unknown;host=a;proto=http"]],
    ["append", ["1.1.1.1"], ["for=1.1.1.1, for=unknown;host=a;proto=http"]],
  ] as const)("a Unix socket says of a client that it is unknown (%s)", async (forwarded, addresses, nodes) => {
    const backend = await startWireBackend();
    const path = await temporaryPath("front.sock");
    await createHere({ transport, forwarded, backends: [{ url: backend.url }] }).listen({ path });
    const lines = "X-Forwarded-For: 1.1.1.1\r\nForwarded: for=1.1.1.1\r\nConnection: close\r\n";
    expect(await say(path, `GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    const sent = backend.requests()[0]?.lines ?? [];
    expect([valuesOf(sent, "x-forwarded-for"), valuesOf(sent, "forwarded")]).toEqual([addresses, nodes]);
  });

  it("an address of IPv6 gives those of clients as each header wants it", async () => {
    const backend = await startWireBackend();
    const { port } = await createHere({ transport, backends: [{ url: backend.url }] }).listen({ host: "::1" });
    await say({ host: "::1", port }, get());
    const sent = backend.requests()[0]?.lines ?? [];
    expect(valuesOf(sent, "x-forwarded-for")).toEqual(["::1"]);
    expect(valuesOf(sent, "forwarded")).toEqual(['for="[::1]";host="shop.test:81";proto=http']);
  });
});

describe("a path to listen at", () => {
  const listenAt = (path: string) => createHere({ backends: [{ url: "http://127.0.0.1:1" }] }).listen({ path });

  it("is refused when there is a file, which is left alone", async () => {
    const path = await temporaryPath("front.sock");
    await writeFile(path, "");
    const failure = await listenAt(path).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BalancerListenError);
    expect(failure).toMatchObject({
      code: "EADDRINUSE",
      message: expect.stringMatching(/: there is a file already\. .*delete it/),
    });
    expect(existsSync(path)).toBe(true);
    const used = await temporaryPath("used.sock");
    await startBackend((_, response) => response.end("mine"), used);
    await expect(listenAt(used)).rejects.toThrow(/there is a file already/);
    expect(await say(used, get())).toMatch(/mine/);
  });

  it("is refused when its folder is missing", async () => {
    await expect(listenAt(await temporaryPath("none/x.sock"))).rejects.toThrow(
      /its folder does not exist, or may not be written to/,
    );
  });

  it.each(["", "/x\0y", `/${"x".repeat(107)}`, 7])("is refused when it is %j", async (path) => {
    await expect(listenAt(path as string)).rejects.toThrow(/^path: expected the path of a Unix socket/);
  });
});

describe.each(TRANSPORTS)("a balancer by %s whose backend listens at a Unix socket", (transport) => {
  it("passes requests and WebSockets on, over connections that it keeps", async () => {
    const place = await temporaryPath("app.sock");
    const backend = await startEcho(place);
    const { url, stats } = await startBalancer({ transport, backends: [{ url: `unix:${place}` }] });
    for (let times = 0; times < 3; times++) expect((await send(`${url}/a?b`)).body).toBe("plain");
    expect(backend.connections()).toBe(1);
    await expectEcho(await openWebSocket(url), Buffer.alloc(1024 * 1024, "u"));
    expect(stats()).toMatchObject({ [place]: { requests: 4, errors: 0 } });
  });

  it("answers 502 when nobody listens there, serves again when somebody does, and checks its health there", async () => {
    const place = await temporaryPath("app.sock");
    const [backends, other] = [
      [{ url: `unix:${place}`, name: "one" }],
      await startBackend((_, response) => response.end()),
    ];
    const { url } = await startBalancer({ transport, backends });
    for (const headers of [{}, upgrade]) {
      const body = `Backend one did not answer: connect ENOENT ${place}\n`;
      expect(await send(url, { headers })).toMatchObject({ status: 502, body });
    }
    const backend = await startBackend((_, response) => response.end("back"), place);
    expect((await send(url)).body).toBe("back");
    const active = { intervalMs: 20, healthyAfter: 1, unhealthyAfter: 1 };
    const checking = await startBalancer({
      transport,
      backends: [...backends, { url: other.url }],
      health: { active },
    });
    const conditions = () => checking.snapshot().backends.map(({ condition }) => condition);
    await expectSoon(backend.connections).toBeGreaterThan(2);
    expect(conditions()).toEqual(["up", "up"]);
    await backend.close();
    await expectSoon(conditions).toEqual(["unhealthy", "up"]);
  });
});
