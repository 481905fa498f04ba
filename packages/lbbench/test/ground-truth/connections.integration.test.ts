import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import { createSecureServer as createHttp2Server } from "node:http2";
import { createServer as createNetServer, type Socket } from "node:net";
import { createSecureContext, createServer as createTlsServer, type TLSSocket } from "node:tls";
import { writeFileSync } from "node:fs";
import { CART, LOCALHOST, SHOP, SHOP_RSA } from "@lbbench/test-support/certificates.js";
import { serve, temporaryPath } from "@lbbench/test-support/servers.js";
import { describe, expect, it } from "vitest";
import { send } from "./measure.js";
import { WIRE } from "./subjects.js";

const OK: RequestListener = (_, answer) => void answer.end("ok");

/** A server that counts the requests of each connection. */
async function startCounting(listener = OK) {
  const server = createServer(listener);
  const counts = new Map<Socket, number>();
  server.on("request", ({ socket }) => counts.set(socket, (counts.get(socket) ?? 0) + 1));
  return { ...(await serve(server)), requests: () => [...counts.values()] };
}

describe("connections that send a number of requests", () => {
  it.each([
    ["one request", 1, 1],
    ["several requests", 4, 3],
  ])("leave at a rate, with %s (%i), by %i generators", async (_, perConnection, generators) => {
    const { url, requests, connections } = await startCounting();
    const level = { rate: 200 * perConnection, perConnection, requests: 60 * perConnection };
    const options = perConnection === 1 ? { keepAlive: false } : { requestsPerConnection: perConnection };
    const { measurement } = await send(WIRE, url, level, { ...options, generators });
    expect(measurement.requests).toMatchObject({ sent: 60 * perConnection, ok: 60 * perConnection });
    expect(requests()).toEqual(Array.from({ length: 60 }, () => perConnection));
    expect([measurement.connections.established, connections()]).toEqual([60, 60]);
    expect(measurement.schedule).toMatchObject({ rate: level.rate, planned: level.requests, unsent: 0 });
    const timed = { p99: expect.any(Number) as number };
    expect(measurement.opening).toMatchObject({ count: 60, tcp: timed, firstByte: timed });
    expect(measurement.opening).not.toHaveProperty("tls");
  });

  it("are over when the server closes them early, and no others are opened in their place", async () => {
    const { url, requests } = await startCounting((request, answer) => {
      const { socket } = request as { socket: Socket & { seen?: number } };
      socket.seen = (socket.seen ?? 0) + 1;
      answer.setHeader("Connection", socket.seen === 2 ? "close" : "keep-alive").end("ok");
    });
    const level = { rate: 800, perConnection: 4, requests: 80 };
    const { measurement } = await send(WIRE, url, level, { requestsPerConnection: 4 });
    expect(requests()).toEqual(Array.from({ length: 20 }, () => 2));
    expect(measurement.requests).toMatchObject({ sent: 40, ok: 40 });
    expect(measurement.schedule).toMatchObject({ planned: 80, unsent: 40 });
  });

  it("that could not leave count with all of their requests", async () => {
    const { url, connections } = await startCounting((_, answer) => void setTimeout(() => answer.end(), 100));
    const arrival = { spacing: "uniform", seed: 1, maxInFlight: 1 } as const;
    const level = { rate: 2000, perConnection: 2, requests: 100 };
    const { measurement } = await send(WIRE, url, level, { requestsPerConnection: 2, arrival });
    expect(measurement.requests.sent).toBe(2 * connections());
    expect(measurement.schedule?.unsent).toBeGreaterThan(0);
    expect(measurement.schedule).toMatchObject({ planned: 100, unsent: 100 - 2 * connections() });
  });

  it("are told without those that were open when measuring began", async () => {
    const { url, connections } = await startCounting((_, answer) => void setTimeout(() => answer.end(), 50));
    // Measuring begins when each has had two answers, and waits for its third on a connection that is open.
    const options = { requestsPerConnection: 3, atStart: "fill" } as const;
    const { measurement } = await send(WIRE, url, { connections: 5, durationMs: 300 }, options);
    const { established } = measurement.connections;
    const { count = 0 } = measurement.opening ?? {};
    expect(count).toBeGreaterThan(0);
    expect(established - count).toBeGreaterThan(0);
    expect(established - count).toBeLessThanOrEqual(5);
    // Some are accepted only after their client has given them up.
    await expect.poll(connections).toBeGreaterThanOrEqual(established);
  });

  it("have no phases of TLS, and no opening at all where all are kept from before", async () => {
    const { url } = await startCounting();
    const { measurement } = await send(WIRE, url, { connections: 2, durationMs: 100 }, { atStart: "fill" });
    expect(measurement.connections.established).toBe(2);
    expect(measurement).not.toHaveProperty("opening");
  });
});

/** A server over TLS that counts handshakes: those made in full, and those that went on with a session. */
async function startSecure(options: ServerOptions = {}, version: "1.1" | "2" = "1.1") {
  const given = { ...LOCALHOST, ...options };
  const server = version === "2" ? createHttp2Server(given, OK as never) : createSecureServer(given, OK);
  const handshakes = { full: 0, resumed: 0 };
  const names = new Set<string | false | null>();
  server.on("secureConnection", (socket: TLSSocket) => {
    handshakes[socket.isSessionReused() ? "resumed" : "full"] += 1;
    names.add((socket as TLSSocket & { readonly servername: string | false | null }).servername);
  });
  const { port } = await serve(server);
  return { port, url: `https://localhost:${port}/`, handshakes, names };
}

const CERTIFICATE = LOCALHOST.cert.toString();

describe("handshakes", () => {
  it.each([
    ["1.2", "1.1", 1],
    ["1.3", "1.1", 2],
    ["1.2", "2", 1],
    ["1.3", "2", 1],
  ] as const)(
    "are counted as the server does, full and resumed: TLS %s, HTTP/%s, by %i generators",
    async (...given) => {
      const [version, httpVersion, generators] = given;
      for (const resume of [false, true]) {
        const { url, handshakes } = await startSecure({}, httpVersion);
        const tls = { version, ...(resume && { resume }) };
        const options = { keepAlive: false, certificate: CERTIFICATE, httpVersion, generators, tls };
        const { measurement } = await send(WIRE, url, { connections: 2, requests: 40 }, options);
        expect(measurement.requests.ok).toBe(40);
        const { full, resumed, agreed, latency } = measurement.opening?.tls ?? {};
        expect({ full, resumed }).toEqual(handshakes);
        expect([(resumed ?? 0) > 30, latency?.p50]).toEqual([resume, expect.any(Number)]);
        // The time of a request on a new connection has that of connecting in it.
        expect(measurement.latency?.min).toBeGreaterThanOrEqual(latency?.min ?? Infinity);
        expect(Object.entries(agreed ?? {})).toEqual([
          [expect.stringMatching(`^TLSv${version}, TLS_\\w+, (EC|RSA) `), 40],
        ]);
      }
    },
  );

  it("ask for the name of --sni, at the place of --connect-to, with the host of the URL", async () => {
    const hosts = new Set<string | undefined>();
    const { port, names } = await startSecure({ SNICallback: (_, done) => done(null, createSecureContext(CART)) });
    const options = {
      connectTo: `127.0.0.1:${port}`,
      certificate: CART.cert.toString(),
      tls: { serverName: "cart.shop.test" },
    };
    const { measurement } = await send(WIRE, "https://other.test:1/", { connections: 2, requests: 10 }, options);
    expect([measurement.requests.ok, [...names]]).toEqual([10, ["cart.shop.test"]]);
    const plain = createServer((request, answer) => {
      hosts.add(request.headers.host);
      answer.end();
    });
    const { port: plainPort } = await serve(plain);
    await send(WIRE, "http://other.test:1/", { connections: 2, requests: 4 }, { connectTo: `127.0.0.1:${plainPort}` });
    expect([...hosts]).toEqual(["other.test:1"]);
  });

  it.each([
    ["the name", SHOP, ["shop.test", "127.0.0.1"], ["other.test", "127.0.0.1"]],
    ["an address", LOCALHOST, ["127.0.0.1", "localhost"], ["127.0.0.9", "127.0.0.1"]],
  ] as const)("verify %s that was asked for, whatever place they are made to", async (_, pair, right, wrong) => {
    const { port } = await startSecure(pair);
    const sendTo = async ([host, place]: readonly [string, string]) => {
      const options = { connectTo: `${place}:${port}`, certificate: pair.cert.toString() };
      return (await send(WIRE, `https://${host}:1/`, { connections: 1, requests: 4 }, options)).measurement;
    };
    expect((await sendTo(right)).requests.ok).toBe(4);
    expect((await sendTo(wrong)).errorCodes).toEqual({ ERR_TLS_CERT_ALTNAME_INVALID: 4 });
  });

  it("tell the key of the server that the load was sent to, though one process has loaded another before", async () => {
    for (const [pair, key] of [
      [LOCALHOST, /, EC /],
      [SHOP_RSA, /, RSA 2048$/],
    ] as const) {
      const { url } = await startSecure(pair);
      const { measurement } = await send(WIRE, url, { connections: 1, requests: 2 }, { insecure: true });
      expect(Object.keys(measurement.opening?.tls?.agreed ?? {})).toEqual([expect.stringMatching(key)]);
    }
  });

  it("show the certificate of the client", async () => {
    const { url } = await startSecure({ requestCert: true, rejectUnauthorized: true, ca: CART.cert });
    const [cert, key] = [temporaryPath("cert.pem"), temporaryPath("key.pem")];
    writeFileSync(cert, CART.cert);
    writeFileSync(key, CART.key);
    const level = { connections: 1, requests: 4 };
    const shown = await send(WIRE, url, level, { certificate: CERTIFICATE, tls: { cert, key } });
    expect(shown.measurement.requests.ok).toBe(4);
    const hidden = await send(WIRE, url, level, { certificate: CERTIFICATE });
    expect(hidden.measurement.requests.ok).toBe(0);
  });

  it.each([
    ["an answer that ends with it", "HTTP/1.1 200 OK\r\n\r\nhello", { ok: 10, dropped: 0, resets: 0 }],
    ["no answer", "", { ok: 0, dropped: 10, resets: 0 }],
  ])("that end in order at a Unix socket are no resets, with %s", async (_, text, outcomes) => {
    for (const secure of [false, true]) {
      const path = temporaryPath(`${secure}.sock`);
      const answer = (socket: Socket): void => void socket.once("data", () => socket.end(text));
      await serve(secure ? createTlsServer(SHOP, answer) : createNetServer(answer), path);
      const options = { connectTo: `unix:${path}`, certificate: SHOP.cert.toString() };
      const url = `http${secure ? "s" : ""}://shop.test/`;
      const { measurement } = await send(WIRE, url, { connections: 2, requests: 10 }, options);
      expect(measurement.requests).toMatchObject(outcomes);
    }
  });

  it.each(["1.1", "2"] as const)("go to a Unix socket, also without TLS: HTTP/%s", async (httpVersion) => {
    const path = temporaryPath("app.sock");
    await serve(createServer(OK), path);
    const level = { connections: 2, requests: 10 };
    const { measurement } = await send(WIRE, "http://app.test/", level, { connectTo: `unix:${path}` });
    expect(measurement.requests.ok).toBe(10);
    const securePath = temporaryPath("secure.sock");
    await serve(httpVersion === "2" ? createHttp2Server(SHOP, OK as never) : createSecureServer(SHOP, OK), securePath);
    const options = { connectTo: `unix:${securePath}`, certificate: SHOP.cert.toString(), httpVersion };
    const secure = await send(WIRE, "https://shop.test/", level, options);
    expect(secure.measurement.requests.ok).toBe(10);
  });
});
