import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer as createHttpServer, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { BalancerListenError } from "../balancer-listen-error.js";
import { createBalancer } from "../create-balancer.js";
import type { RequestLogEntry } from "../options/options.js";
import { keepAliveAgent, readAnswer, send } from "../test-support/client.js";
import { serveChecks, temporaryFolder } from "../test-support/health-servers.js";
import { startBackend, startBalancer } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";
import {
  askForChat,
  AGREED,
  echo,
  openRaw,
  openWebSocket,
  startChat,
  startEcho,
} from "../test-support/upgrade-peers.js";

describe("a balancer that listens at a Unix socket", () => {
  async function start() {
    const path = join(await temporaryFolder(), "front.sock");
    const backend = await startEcho();
    const entries: RequestLogEntry[] = [];
    const balancer = createBalancer({ backends: [{ url: backend.url }], onRequest: (entry) => entries.push(entry) });
    onTestFinished(() => balancer.close({ graceMs: 0 }));
    return { ...balancer, path, entries, backend };
  }

  it("says where, serves there, and leaves no file", async () => {
    const { listen, close, path, entries } = await start();
    expect(await listen({ path })).toEqual({ port: 0, host: path, url: `unix:${path}` });
    const sent = request({ socketPath: path, path: "/x", headers: { host: "shop.test" } });
    sent.end();
    expect(await readAnswer(sent)).toMatchObject({ status: 200, body: "plain" });
    await expect.poll(() => entries).toMatchObject([{ path: "/x", host: "shop.test" }]);
    expect(entries[0]).not.toHaveProperty("remoteAddress");
    expect(existsSync(path)).toBe(true);
    await close();
    expect(existsSync(path)).toBe(false);
  });

  it("carries WebSockets, and ends them when it closes", async () => {
    const { listen, close, path, backend } = await start();
    await listen({ path });
    const socket = new WebSocket(`ws+unix://${path}:/room`);
    await once(socket, "open");
    expect(String((await echo(socket, "hello")).data)).toBe("hello");
    expect(backend.requests[0]?.headers).not.toHaveProperty("x-forwarded-for");
    expect(backend.requests[0]?.headers["forwarded"]).toMatch(/^for=unknown;/);
    const ended = once(socket, "close");
    await close({ graceMs: 0 });
    await ended;
    await backend.quiet();
  });

  it("says that a path is used, or left behind, in words that fit a path", async () => {
    const { listen, path } = await start();
    await writeFile(path, "");
    const failure = await listen({ path }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BalancerListenError);
    expect(failure).toMatchObject({ code: "EADDRINUSE" });
    expect((failure as Error).message).toMatch(
      new RegExp(`^Cannot listen on ${path}: there is a file already\\. .*delete it, or choose another path\\.$`),
    );
    expect(existsSync(path)).toBe(true);
  });

  it("leaves the socket of another one alone", async () => {
    const first = await start();
    await first.listen({ path: first.path });
    const second = await start();
    await expect(second.listen({ path: first.path })).rejects.toThrow(/there is a file already/);
    await second.close();
    const client = connect(first.path);
    await once(client, "connect");
    client.destroy();
  });

  it("says that a folder is missing", async () => {
    const { listen, path } = await start();
    const missing = join(path, "..", "none", "x.sock");
    await expect(listen({ path: missing })).rejects.toThrow(
      `Cannot listen on ${missing}: its folder does not exist, or may not be written to. Create it, or choose another path.`,
    );
  });

  it.each(["", "/x\0y", `/${"x".repeat(107)}`, 7])("refuses the path %j", async (path) => {
    const { listen } = await start();
    await expect(listen({ path: path as string })).rejects.toThrow(/^path: expected the path of a Unix socket/);
  });
});

describe.each(TRANSPORTS)("a balancer by %s whose backend listens at a Unix socket", (transport) => {
  it("passes requests on over connections that it keeps", async () => {
    const place = join(await temporaryFolder(), "app.sock");
    const server = createHttpServer((incoming, response) => response.end(`${incoming.url} ${incoming.headers.host}`));
    const backend = await serveChecks(server, place);
    const { url, stats } = await startBalancer({ transport, backends: [{ url: `unix:${place}` }] });
    const agent = keepAliveAgent();
    for (let times = 0; times < 3; times++) {
      expect((await send(`${url}/a?b`, { agent, headers: { host: "shop.test" } })).body).toBe("/a?b shop.test");
    }
    expect(backend.accepted()).toBe(1);
    expect(stats()).toMatchObject({ [place]: { requests: 3, errors: 0 } });
  });

  it("carries WebSockets, and resets as far as there are any", async () => {
    const place = join(await temporaryFolder(), "app.sock");
    await startEcho({}, { place });
    const { url } = await startBalancer({ transport, backends: [{ url: `unix:${place}` }] });
    const socket = await openWebSocket(url);
    const big = Buffer.alloc(1024 * 1024, "u");
    expect((await echo(socket, big)).data.equals(big)).toBe(true);

    const other = join(await temporaryFolder(), "chat.sock");
    await startChat((peer) => {
      peer.write(AGREED);
      peer.once("data", () => peer.destroy());
    }, other);
    const { port, stats } = await startBalancer({ transport, backends: [{ url: `unix:${other}`, name: "chat" }] });
    const { socket: client, seen } = openRaw({ port });
    client.write(askForChat());
    await expect.poll(() => seen.text).toMatch(/^HTTP\/1\.1 101/);
    client.end("!");
    await expect.poll(() => seen.ended || seen.closed).toBe(true);
    await expect.poll(() => stats()["chat"]?.inFlight).toBe(0);
  });

  it("answers 502 when nobody listens there, and serves again when somebody does", async () => {
    const place = join(await temporaryFolder(), "app.sock");
    const { url } = await startBalancer({ transport, backends: [{ url: `unix:${place}`, name: "one" }] });
    for (const headers of [{}, { connection: "upgrade", upgrade: "chat" }]) {
      const answer = await send(url, { headers });
      expect(answer).toMatchObject({ status: 502, body: `Backend one did not answer: connect ENOENT ${place}\n` });
    }
    await serveChecks(
      createHttpServer((_, response) => response.end("back")),
      place,
    );
    expect((await send(url)).body).toBe("back");
  });

  it("checks its health there", async () => {
    const place = join(await temporaryFolder(), "app.sock");
    const backend = await serveChecks(
      createHttpServer((_, response) => response.end()),
      place,
    );
    const other = await startBackend((_, response) => response.end());
    const { snapshot } = await startBalancer({
      transport,
      backends: [{ url: `unix:${place}` }, { url: other.url }],
      health: { active: { intervalMs: 20, healthyAfter: 1, unhealthyAfter: 1 } },
    });
    const conditions = () => snapshot().backends.map(({ condition }) => condition);
    await expect.poll(backend.accepted).toBeGreaterThan(1);
    expect(conditions()).toEqual(["up", "up"]);
    await backend.close();
    await expect.poll(conditions).toEqual(["unhealthy", "up"]);
  });
});
