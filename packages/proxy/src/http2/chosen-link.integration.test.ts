import type { RequestListener } from "node:http";
import { createSecureServer, type Http2Session } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { describe, expect, it } from "vitest";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { keepAliveAgent, send } from "@lbbench/test-support/client.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { FRAME, resetStream, textOf } from "@lbbench/test-support/http2-frames.js";
import { serve } from "@lbbench/test-support/servers.js";
import { frameClient, requestFrame } from "../test-support/http2-frames.js";
import { endWithPeer, startRawBackend } from "../test-support/servers.js";
import { expectEcho, openWebSocket, startEcho } from "../test-support/web-sockets.js";
import { balance } from "./test-support/balance.js";

const backendTls = { ca: LOCALHOST.cert };

/** Starts a server over TLS that speaks HTTP/2, or both versions, and answers with the version that it was asked in. */
async function startSecure(versions: "both" | "1.1" | "2.0" = "both", place = 0) {
  const answer: RequestListener = (request, response) => void response.end(request.httpVersion);
  const server =
    versions === "1.1"
      ? createHttpsServer(LOCALHOST, answer)
      : createSecureServer({ ...LOCALHOST, allowHTTP1: versions === "both" }, answer as never);
  server.on("session", (session: Http2Session) => session.on("error", () => undefined));
  const served = await serve(server, place);
  return { ...served, url: `https://localhost:${served.port}` };
}

describe("a backend under TLS", () => {
  it("is spoken to in HTTP/2 on one connection, if it chooses that", async () => {
    const { url, stats, backend } = await balance(startSecure(), { backendTls });
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(url, { method: "POST" }, "a")));
    expect(new Set(answers.map(({ body }) => body))).toEqual(new Set(["2.0"]));
    expect(backend.connections()).toBe(1);
    expect(stats()).toEqual({ one: { requests: 20, errors: 0, aborted: 0, inFlight: 0 } });
  });

  it("is spoken to in HTTP/1.1 on the connection on which it chose that", async () => {
    const { url, backend } = await balance(startSecure("1.1"), { backendTls });
    const agent = keepAliveAgent({ maxSockets: 1 });
    for (let times = 0; times < 5; times++) expect((await send(url, { agent })).body).toBe("1.1");
    expect(backend.connections()).toBe(1);
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(url)));
    expect(answers.map(({ body }) => body)).toEqual(Array.from({ length: 5 }, () => "1.1"));
  });

  it("may choose another version when it comes back", async () => {
    const { url, stats, backend } = await balance(startSecure(), { backendTls });
    expect((await send(url)).body).toBe("2.0");
    await backend.close();
    for (const version of ["1.1", "2.0", "1.1"] as const) {
      const next = await startSecure(version, backend.port);
      expect((await send(url)).body).toBe(version);
      await next.close();
    }
    expect(stats()).toEqual({ one: { requests: 4, errors: 0, aborted: 0, inFlight: 0 } });
  });

  it("is sent what asks for an upgrade in HTTP/1.1", async () => {
    const server = createSecureServer({ ...LOCALHOST, allowHTTP1: true }, (request, response) => {
      response.end(request.httpVersion);
    });
    const { port } = await startEcho(0, server as unknown as Parameters<typeof startEcho>[1]);
    const { url } = await balance({ url: `https://localhost:${port}` }, { backendTls });
    expect((await send(url)).body).toBe("2.0");
    await expectEcho(await openWebSocket(url, {}), "over TLS");
  });

  it("is asked on another connection, when the request goes away that had one made", async () => {
    const { port, stats } = await balance(startSecure(), { backendTls });
    const client = frameClient(port, requestFrame(1), resetStream(1), requestFrame(3, [":method", "POST"]));
    await expectSoon(() => textOf(client.of(FRAME.DATA, 3))).toBe("2.0");
    expect(stats()["one"]).toEqual({ requests: 2, errors: 0, aborted: 1, inFlight: 0 });
  });

  it("is asked on another connection, when its choice takes too long, however many requests go on to come", async () => {
    const backend = createSecureServer({ ...LOCALHOST, allowHTTP1: true }, (_, response) => void response.end("ok"));
    let connections = 0;
    const { port } = await startRawBackend((socket) => {
      connections += 1;
      // The first one hangs.
      if (connections > 1) backend.emit("connection", socket);
    });
    const options = { backendTls, timeouts: { connectMs: 300 }, retries: 0, health: { passive: false as const } };
    const { url } = await balance({ url: `https://localhost:${port}` }, options);
    const statuses: number[] = [];
    // One or more of them wait at all times.
    await expectSoon(async () => {
      void send(url).then(
        ({ status }) => statuses.push(status),
        () => undefined,
      );
      return statuses;
    }).toContain(200);
    expect(statuses).toContain(504);
  });

  it("is left alone when its choice takes too long, and when it is removed", async () => {
    const silent = await startRawBackend(endWithPeer);
    const balancer = await balance({ url: silent.url.replace("http:", "https:") }, { timeouts: { connectMs: 50 } });
    expect((await send(balancer.url, { method: "POST" }, "a")).status).toBe(504);
    await silent.quiet();
    const waiting = send(balancer.url);
    await expectSoon(() => silent.connections()).toBe(2);
    await balancer.removeBackend("one", { graceMs: 0 });
    expect((await waiting).status).toBe(502);
    await silent.quiet();
  });
});
