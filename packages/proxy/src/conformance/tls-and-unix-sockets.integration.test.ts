import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { Agent, createServer as createHttpsServer, request as requestHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { connect as connectTls } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createBalancer } from "../create-balancer.js";
import type { BalancerOptions } from "../options/options.js";
import { INTERNAL, LOCALHOST } from "@lbbench/test-support/certificates.js";
import { isListening, keepAliveAgent, readAnswer, send } from "@lbbench/test-support/client.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { serve, temporaryPath } from "@lbbench/test-support/servers.js";
import { asBackends, GONE_URL, startBackend, startBalancer, startBefore, startNamed } from "../test-support/servers.js";
import { TRANSPORTS, WAYS_OF_SOCKETS } from "../test-support/transports.js";
import { expectEcho, openWebSocket, startEcho } from "../test-support/web-sockets.js";
import { get, say, startWireBackend, wireClient } from "../test-support/wire.js";
import { valuesOf } from "@lbbench/test-support/wire-parse.js";

const upgrade = { connection: "upgrade", upgrade: "chat" };
const ca = LOCALHOST.cert;

describe.each(TRANSPORTS)("a balancer by %s whose clients speak TLS", (transport) => {
  it("tells the backend so, keeps their connections, and lets them choose between HTTP/1.1 and HTTP/2", async () => {
    const backend = await startBackend((incoming, response) => response.end(JSON.stringify(incoming.headers)));
    const { url, port, snapshot } = await startBefore(backend, { transport, tls: LOCALHOST });
    expect(url).toBe(`https://127.0.0.1:${port}`);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    for (let times = 0; times < 3; times++) {
      const { body } = await readAnswer(requestHttps(url, { ca, servername: "localhost", agent }).end());
      const forwarded = expect.stringMatching(/proto=https$/);
      expect(JSON.parse(body)).toMatchObject({ "x-forwarded-proto": "https", forwarded });
    }
    expect(snapshot().connections).toBe(1);
    await expect(send(url.replace("https", "http"))).rejects.toThrow(/socket hang up|ECONNRESET/);
    for (const protocol of ["h2", "http/1.1"]) {
      const client = connectTls({ port, host: "localhost", ca, ALPNProtocols: [protocol] });
      await once(client, "secureConnect");
      expect(client.alpnProtocol).toBe(protocol);
      client.on("error", () => undefined).destroy();
    }
  });

  it("carries WebSockets, and ends them, and clients that have not begun to speak, when it closes", async () => {
    const { url, close, port, stats } = await startBefore(await startEcho(), { transport, tls: LOCALHOST });
    const socket = await openWebSocket(url.replace("127.0.0.1", "localhost"), { ca });
    await expectEcho(socket, Buffer.alloc(1024 * 1024, "b"));
    const silent = wireClient(port);
    await once(silent.socket, "connect");
    const ended = once(socket, "close");
    await close({ graceMs: 0 });
    await Promise.all([ended, silent.ended()]);
    expect(await isListening(port)).toBe(false);
    expect(stats()).toEqual({ one: { requests: 1, errors: 0, aborted: 1, inFlight: 0 } });
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
    return { ...served, names, url: `https://localhost:${served.port}` };
  }

  it("refuses a certificate that nobody vouches for, and says what can be done", async () => {
    const backend = await startSecure(LOCALHOST);
    const { url } = await startBefore(backend, { transport });
    for (const headers of [{}, upgrade]) {
      const { status, body } = await send(url, { headers });
      expect(status).toBe(502);
      expect(body).toMatch(/did not answer: self[- ]signed .* \(see backendTls: /);
    }
    expect(backend.names).toEqual([]);
    await backend.quiet();
  });

  it("takes one that it was told to trust, or any when told not to look, over one connection for all Hosts", async () => {
    const backend = await startSecure(LOCALHOST);
    for (const backendTls of [{ ca }, { verify: false }]) {
      const { url } = await startBefore(backend, { transport, backendTls });
      const agent = keepAliveAgent({ maxSockets: 1 });
      for (const host of ["a.test", "b.test", "c.test"]) {
        expect((await send(url, { agent, headers: { host } })).body).toBe(host);
      }
    }
    expect([new Set(backend.names), backend.connections()]).toEqual([new Set(["localhost"]), 2]);
  });

  it("refuses one of another name, and takes it when told to expect that name", async () => {
    const backend = await startSecure(INTERNAL);
    const trusting = { ca: INTERNAL.cert };
    const strict = await send((await startBefore(backend, { transport, backendTls: trusting })).url);
    expect([strict.status, strict.body]).toEqual([502, expect.stringMatching(/does not match certificate's altnames/)]);
    const backendTls = { ...trusting, servername: "app.internal" };
    expect((await send((await startBefore(backend, { transport, backendTls })).url)).status).toBe(200);
    expect(backend.names).toEqual(["app.internal"]);
  });

  it("carries WebSockets to it", async () => {
    const { port } = await startEcho(0, createHttpsServer(LOCALHOST));
    const { url } = await startBefore({ url: `https://localhost:${port}` }, { transport, backendTls: { ca } });
    await expectEcho(await openWebSocket(url, { headers: { host: "shop.test" } }), "over TLS");
  });
});

describe("TLS options", () => {
  const backends = [{ url: "https://127.0.0.1:4001" }];
  const { cert, key } = LOCALHOST;
  const broken = "-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n";
  const mixed = { cert, key: INTERNAL.key };
  const keyless = { cert } as never;

  it.each<[string, Partial<BalancerOptions>, RegExp]>([
    ["no certificate", { tls: { cert: key, key } }, /^tls\.cert: expected a certificate as PEM/],
    ["a broken certificate", { tls: { cert: broken, key } }, /^tls\.cert: expected a certificate as PEM/],
    ["no key", { tls: { cert, key: "" } }, /^tls\.key: expected a private key/],
    ["a certificate for a key", { tls: { cert, key: cert } }, /^tls\.key: expected a private key/],
    ["the key of another one", { tls: mixed }, /^tls\.key: expected the private key of the certificate beside it/],
    ["no certificate at all", { tls: { certificates: [] } }, /^tls\.certificates: expected a list with at least one/],
    ["no list of them", { tls: { certificates: LOCALHOST as never } }, /^tls\.certificates: expected a list of/],
    [
      "a bad one among several",
      { tls: { certificates: [LOCALHOST, mixed] } },
      /^tls\.certificates\[1\]\.key: expected the private key of the certificate beside it/,
    ],
    ["one that lacks its key", { tls: { certificates: [keyless] } }, /^tls\.certificates\[0\]\.key: expected PEM/],
    ["short ticket keys", { tls: { cert, key, ticketKeys: Buffer.alloc(32) } }, /^tls\.ticketKeys: expected 48 bytes/],
    ["no authority", { backendTls: { ca: "no PEM" } }, /^backendTls\.ca: expected certificates/],
    ["a broken authority", { backendTls: { ca: broken } }, /^backendTls\.ca: expected certificates/],
    ["a number for PEM", { backendTls: { ca: 7 as never } }, /^backendTls\.ca: expected PEM/],
    ["no host name", { backendTls: { servername: "" } }, /^backendTls\.servername: expected a host name/],
    ["an address for a name", { backendTls: { servername: "::1" } }, /^backendTls\.servername: expected a host name/],
  ])("are refused when they have %s", (_, options, message) => {
    const failure = expect.objectContaining({ name: "BalancerOptionsError", message: expect.stringMatching(message) });
    expect(() => createBalancer({ backends, ...options })).toThrow(failure);
  });
});

describe.each(WAYS_OF_SOCKETS)("a balancer by %s that listens at", (transport) => {
  it("a Unix socket says where, serves there, tells of no address, and leaves no file", async () => {
    const path = temporaryPath("front.sock");
    const backend = await startEcho();
    const balancer = await startBefore(backend, { transport }, { path });
    const { entries, close } = balancer;
    expect(balancer).toMatchObject({ port: 0, host: path, url: `unix:${path}` });
    const sent = request({ socketPath: path, path: "/x", headers: { host: "shop.test" } }).end();
    expect(await readAnswer(sent)).toMatchObject({ status: 200, body: "plain" });
    await expectSoon(() => entries).toMatchObject([{ path: "/x", host: "shop.test" }]);
    expect(entries[0]).not.toHaveProperty("remoteAddress");

    const socket = new WebSocket(`ws+unix://${path}:/room`);
    await once(socket, "open");
    await expectEcho(socket);
    expect(existsSync(path)).toBe(true);
    const ended = once(socket, "close");
    await close({ graceMs: 0 });
    await ended;
    expect(existsSync(path)).toBe(false);
    await backend.quiet();
  });

  it.each([
    ["a Unix socket", "replace", [], "for=unknown"],
    ["a Unix socket", "append", ["1.1.1.1"], "for=1.1.1.1, for=unknown"],
    ["an address of IPv6", "replace", ["::1"], 'for="[::1]"'],
  ] as const)("%s says of clients what each header wants (%s)", async (place, forwarded, addresses, node) => {
    const backend = await startWireBackend();
    const path = temporaryPath("front.sock");
    const where = place === "a Unix socket" ? { path } : { host: "::1" };
    const { port } = await startBefore(backend, { transport, forwarded }, where);
    await say("path" in where ? path : { ...where, port }, get("X-Forwarded-For: 1.1.1.1", "Forwarded: for=1.1.1.1"));
    const sent = backend.requests()[0]?.lines ?? [];
    expect(valuesOf(sent, "x-forwarded-for")).toEqual(addresses);
    expect(valuesOf(sent, "forwarded")).toEqual([`${node};host="shop.test:81";proto=http`]);
    expect(valuesOf(sent, "x-forwarded-port")).toEqual(place === "a Unix socket" ? [] : [String(port)]);
  });

  it.each([
    ["replaces what the client says of the port", "replace", (port: number) => String(port)],
    ["keeps what an earlier balancer says of the port", "append", () => "7"],
  ] as const)("a port %s", async (_, forwarded, expected) => {
    const backend = await startWireBackend();
    const { url, port } = await startBefore(backend, { transport, forwarded, tls: LOCALHOST });
    const headers = { host: "shop.test:81", "x-forwarded-port": "7", connection: "close" };
    await readAnswer(requestHttps(url, { ca, servername: "localhost", headers }).end());
    expect(valuesOf(backend.requests()[0]?.lines ?? [], "x-forwarded-port")).toEqual([expected(port)]);
  });
});

it.each(TRANSPORTS)("a balancer by %s names its backend where a client of HTTP/1.0 says no Host", async (transport) => {
  let hosts: string[] = [];
  const server = createServer((incoming, response) => {
    hosts = incoming.headersDistinct["host"] ?? [];
    response.end();
  });
  onTestFinished(() => void server.close());
  await once(server.listen({ host: "::1", port: 0 }), "listening");
  const host = `[::1]:${(server.address() as AddressInfo).port}`;
  const { port } = await startBefore({ url: `http://${host}/base` }, { transport });
  expect(await say(port, "GET / HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
  expect(hosts).toEqual([host]);
});

describe("a path to listen at", () => {
  const listenAt = (path: string) => startBefore({ url: GONE_URL }, {}, { path });

  it("is refused when there is a file, which is left alone", async () => {
    const path = temporaryPath("front.sock");
    await writeFile(path, "");
    const message = expect.stringMatching(/: there is a file already\. .*delete it/);
    await expect(listenAt(path)).rejects.toMatchObject({ name: "BalancerListenError", code: "EADDRINUSE", message });
    expect(existsSync(path)).toBe(true);
  });

  it("is refused when its folder is missing", async () => {
    await expect(listenAt(temporaryPath("none/x.sock"))).rejects.toThrow(/its folder does not exist/);
  });

  it.each(["", "/x\0y", `/${"x".repeat(107)}`])("is refused when it is %j", async (path) => {
    await expect(listenAt(path)).rejects.toThrow(/^path: expected the path of a Unix socket/);
  });
});

describe.each(WAYS_OF_SOCKETS)("a balancer by %s whose backend listens at a Unix socket", (transport) => {
  it("passes requests and WebSockets on, over connections that it keeps", async () => {
    const place = temporaryPath("app.sock");
    const backend = await startEcho(place);
    const { url, stats } = await startBalancer({ transport, backends: [{ url: `unix:${place}` }] });
    for (let times = 0; times < 3; times++) expect((await send(`${url}/a?b`)).body).toBe("plain");
    expect(backend.connections()).toBe(1);
    await expectEcho(await openWebSocket(url), Buffer.alloc(1024 * 1024, "u"));
    expect(stats()).toMatchObject({ [place]: { requests: 4, errors: 0 } });
  });

  it("answers 502 when nobody listens there, serves again when somebody does, and checks its health there", async () => {
    const place = temporaryPath("app.sock");
    const one = { url: `unix:${place}`, name: "one" };
    const { url } = await startBefore(one, { transport });
    for (const headers of [{}, upgrade]) {
      const body = `Backend one did not answer: connect ENOENT ${place}\n`;
      expect(await send(url, { headers })).toMatchObject({ status: 502, body });
    }
    const backend = await startBackend((_, response) => response.end("back"), place);
    expect((await send(url)).body).toBe("back");
    const health = { active: { intervalMs: 20, healthyAfter: 1, unhealthyAfter: 1 } };
    const [other] = asBackends(await startNamed("other"));
    const { snapshot } = await startBalancer({ transport, backends: [one, other], health });
    const conditions = () => snapshot().backends.map(({ condition }) => condition);
    await expectSoon(backend.connections).toBeGreaterThan(2);
    expect(conditions()).toEqual(["up", "up"]);
    await backend.close();
    await expectSoon(conditions).toEqual(["unhealthy", "up"]);
  });
});
