import { once } from "node:events";
import { createServer as createHttpsServer, request as requestHttps, Agent as HttpsAgent } from "node:https";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { createBalancer } from "../create-balancer.js";
import { keepAliveAgent, readAnswer, send } from "../test-support/client.js";
import { selfSigned, serveChecks } from "../test-support/health-servers.js";
import { isListening, startBackend, startBalancer } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";
import { echo, openWebSocket, startEcho } from "../test-support/upgrade-peers.js";

/** Starts an HTTPS server with a certificate of a name, which tells what it was asked and for which name. */
async function startSecure(hostname: string) {
  const identity = await selfSigned(hostname);
  const names: unknown[] = [];
  const server = createHttpsServer(identity, (request, response) => {
    names.push((request.socket as { servername?: unknown }).servername);
    response.end(JSON.stringify(request.headers));
  });
  const served = await serveChecks(server);
  return { ...served, server, names, url: `https://${hostname}:${served.port}`, ca: identity.cert };
}

/** Sends a request over TLS to a balancer whose certificate is for `localhost`. */
async function sendSecure(url: string, ca: Buffer, agent?: HttpsAgent) {
  const sent = requestHttps(url, { ca, servername: "localhost", ...(agent === undefined ? {} : { agent }) });
  sent.end();
  return readAnswer(sent);
}

describe.each(TRANSPORTS)("a balancer by %s whose clients speak TLS", (transport) => {
  async function start() {
    const tls = await selfSigned("localhost");
    const backend = await startBackend((request, response) => response.end(JSON.stringify(request.headers)));
    const balancer = await startBalancer({ transport, backends: [{ url: backend.url }], tls });
    return { ...balancer, backend, ca: tls.cert };
  }

  it("tells the backend so, and keeps the client's connection", async () => {
    const { url, port, ca, snapshot } = await start();
    expect(url).toBe(`https://127.0.0.1:${port}`);
    const agent = new HttpsAgent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    for (let times = 0; times < 5; times++) {
      const { status, body } = await sendSecure(url, ca, agent);
      expect(status).toBe(200);
      expect(JSON.parse(body)).toMatchObject({
        "x-forwarded-proto": "https",
        forwarded: /proto=https$/.exec(JSON.parse(body).forwarded)?.input,
      });
    }
    expect(snapshot().connections).toBe(1);
  });

  it("says that a port that speaks TLS is not for plain HTTP by closing the connection", async () => {
    const { url } = await start();
    await expect(send(url.replace("https", "http"))).rejects.toThrow(/socket hang up|ECONNRESET/);
  });

  it("speaks HTTP/1.1 with clients that would like HTTP/2", async () => {
    const { port, ca } = await start();
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

  it("carries WebSockets, and ends them when it closes", async () => {
    const tls = await selfSigned("localhost");
    const backend = await startEcho();
    const { url, close, port, stats } = await startBalancer({
      transport,
      backends: [{ url: backend.url, name: "one" }],
      tls,
    });
    const socket = await openWebSocket(url.replace("127.0.0.1", "localhost"), [], { ca: tls.cert });
    const big = Buffer.alloc(1024 * 1024, "b");
    expect((await echo(socket, big)).data.equals(big)).toBe(true);
    expect(backend.requests[0]?.headers).toMatchObject({ "x-forwarded-proto": "https" });
    const second = await openWebSocket(url.replace("127.0.0.1", "localhost"), [], { ca: tls.cert });
    second.close();
    await expect.poll(() => stats()["one"]?.inFlight).toBe(1);
    const ended = once(socket, "close");
    await close({ graceMs: 0 });
    await ended;
    expect(await isListening(port)).toBe(false);
    expect(stats()).toEqual({ one: { requests: 2, errors: 0, aborted: 1, inFlight: 0 } });
  });

  it("closes although a client has not begun to speak", async () => {
    const { port, close } = await start();
    const silent = connect(port, "127.0.0.1");
    await once(silent, "connect");
    const closed = once(silent.resume(), "close");
    await close({ graceMs: 10 });
    await expect(closed).resolves.toBeDefined();
  });
});

describe.each(TRANSPORTS)("a balancer by %s whose backend speaks TLS", (transport) => {
  it("refuses a certificate that nobody vouches for, and says what can be done", async () => {
    const { url, names, ...backend } = await startSecure("localhost");
    const balancer = await startBalancer({ transport, backends: [{ url, name: "one" }] });
    for (const headers of [{}, { connection: "upgrade", upgrade: "chat" }]) {
      const answer = await send(balancer.url, { headers });
      expect(answer.status).toBe(502);
      expect(answer.body).toMatch(/^Backend one did not answer: self[- ]signed certificate/);
    }
    expect(names).toEqual([]);
    await backend.quiet();
  });

  it("takes one that it was told to trust, or any when told not to look", async () => {
    const { url, ca } = await startSecure("localhost");
    for (const backendTls of [{ ca }, { verify: false }]) {
      const balancer = await startBalancer({ transport, backends: [{ url }], backendTls });
      expect((await send(balancer.url)).status).toBe(200);
    }
  });

  it("refuses one of another name, and takes it when told to expect that name", async () => {
    const { port, ca, names } = await startSecure("app.internal");
    const backends = [{ url: `https://localhost:${port}` }];
    const strict = await startBalancer({ transport, backends, backendTls: { ca } });
    const answer = await send(strict.url);
    expect(answer.status).toBe(502);
    expect(answer.body).toMatch(/does not match certificate's altnames/);
    const told = await startBalancer({ transport, backends, backendTls: { ca, servername: "app.internal" } });
    expect((await send(told.url)).status).toBe(200);
    expect(names).toEqual(["app.internal"]);
  });

  it("asks for the backend's own name whatever the client's Host is, over one connection", async () => {
    const { url, ca, names, accepted } = await startSecure("localhost");
    const balancer = await startBalancer({ transport, backends: [{ url }], backendTls: { ca } });
    const agent = keepAliveAgent({ maxSockets: 1 });
    for (let index = 0; index < 8; index++) {
      const answer = await send(balancer.url, { agent, headers: { host: `shop-${index}.test` } });
      expect(JSON.parse(answer.body)).toMatchObject({ host: `shop-${index}.test` });
    }
    expect(new Set(names)).toEqual(new Set(["localhost"]));
    expect(accepted()).toBe(1);
  });

  it("carries WebSockets to it, and checks its health", async () => {
    const identity = await selfSigned("localhost");
    const backend = await startEcho({}, { server: createHttpsServer(identity, (_, response) => response.end()) });
    const { url, snapshot } = await startBalancer({
      transport,
      backends: [{ url: `https://localhost:${backend.port}` }],
      backendTls: { ca: identity.cert },
      health: { active: { intervalMs: 20, healthyAfter: 1, unhealthyAfter: 1 } },
    });
    const socket = await openWebSocket(url, [], { headers: { host: "shop.test" } });
    expect(String((await echo(socket, "over TLS")).data)).toBe("over TLS");
    await expect.poll(backend.accepted).toBeGreaterThan(3);
    expect(snapshot().backends[0]?.condition).toBe("up");
  });
});

describe("TLS options", () => {
  const backends = [{ url: "https://127.0.0.1:4001" }];

  it("are refused when they are no PEM, by name", async () => {
    const { cert, key } = await selfSigned("localhost");
    const broken = "-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n";
    for (const bad of ["", "no PEM", key, broken]) {
      expect(() => createBalancer({ backends, tls: { cert: bad, key } })).toThrow(
        /^tls\.cert: expected a certificate as PEM/,
      );
      expect(() => createBalancer({ backends, backendTls: { ca: bad } })).toThrow(
        /^backendTls\.ca: expected certificates/,
      );
    }
    for (const bad of ["", "no PEM", cert, broken]) {
      expect(() => createBalancer({ backends, tls: { cert, key: bad } })).toThrow(/^tls\.key: expected a private key/);
    }
    expect(() => createBalancer({ backends, backendTls: { ca: 7 as never } })).toThrow("backendTls.ca: expected PEM");
  });

  it("are refused when the key is that of another certificate", async () => {
    const [one, other] = await Promise.all([selfSigned("localhost"), selfSigned("localhost")]);
    const create = () => createBalancer({ backends, tls: { cert: one.cert, key: other.key } });
    expect(create).toThrow(/^tls\.key: expected the private key of tls\.cert, got something else: /);
    expect(create).toThrow(expect.objectContaining({ name: "BalancerOptionsError" }));
  });

  it.each(["", "127.0.0.1", "::1", 7])("are refused with the servername %j", (servername) => {
    expect(() => createBalancer({ backends, backendTls: { servername: servername as string } })).toThrow(
      /^backendTls\.servername: expected a host name/,
    );
  });
});
