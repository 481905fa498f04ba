import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { BackendTlsOptions } from "../options/options.js";
import { resolveOptions, type ResolvedBackend } from "../options/resolve-options.js";
import { selfSigned, serveChecks, temporaryFolder } from "../test-support/health-servers.js";
import { checkBackend, type CheckOptions, type CheckOutcome } from "./check-backend.js";

const OK: CheckOutcome = { ok: true };

interface Given extends Partial<Omit<CheckOptions, "tls">> {
  readonly backendTls?: BackendTlsOptions;
  readonly signal?: AbortSignal;
}

/** Checks the backend of a URL, by default at `/` and with a time limit that no test should reach. */
async function check(url: string, { mode = "http", path = "/", timeoutMs = 20_000, backendTls, signal }: Given = {}) {
  const options = resolveOptions({ backends: [{ url }], mode, ...(backendTls === undefined ? {} : { backendTls }) });
  const [backend] = options.backends as [ResolvedBackend];
  const tls = options.backendTls;
  return checkBackend(backend, { mode, path, timeoutMs, tls }, signal ?? new AbortController().signal);
}

const serveHttp = (listener: RequestListener) => serveChecks(createHttpServer(listener));
const serveRaw = (onConnection: (socket: Socket) => void) => serveChecks(createTcpServer(onConnection));

/** Answers whatever comes with these bytes. */
function answering(bytes: string, then?: (socket: Socket) => void) {
  return serveRaw((socket) => void socket.once("data", () => socket.write(bytes, "latin1", () => then?.(socket))));
}

describe("checkBackend in mode http", () => {
  it.each([200, 204, 301, 304, 399])("passes with status %s", async (status) => {
    const { port, quiet } = await serveHttp((_, response) => response.writeHead(status).end());
    expect(await check(`http://127.0.0.1:${port}`)).toEqual(OK);
    await quiet();
  });

  it.each([400, 404, 500, 503])("fails with status %s", async (status) => {
    const { port, quiet } = await serveHttp((_, response) => response.writeHead(status).end("no"));
    expect(await check(`http://127.0.0.1:${port}`)).toEqual({ ok: false, reason: `status ${status}` });
    await quiet();
  });

  it("asks for the path behind that of the URL, on a connection of its own, and says who it is", async () => {
    const asked: IncomingMessage[] = [];
    const { port, accepted } = await serveHttp((request, response) => {
      asked.push(request);
      response.end("x".repeat(100_000));
    });
    for (const _ of ["first", "second"]) {
      expect(await check(`http://127.0.0.1:${port}/api/`, { path: "/health?deep=1" })).toEqual(OK);
    }
    expect(accepted()).toBe(2);
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual(
      Array.from({ length: 2 }, () => "GET /api/health?deep=1"),
    );
    expect(asked[0]?.headers).toEqual({
      host: `127.0.0.1:${port}`,
      connection: "close",
      "user-agent": "lbbench-health",
    });
  });

  it("takes a status of 1xx for no answer", async () => {
    const { port } = await serveHttp((_, response) => {
      response.writeProcessing();
      response.writeHead(500).end();
    });
    expect(await check(`http://127.0.0.1:${port}`)).toEqual({ ok: false, reason: "status 500" });
  });

  it("fails when nothing listens", async () => {
    const { port, close } = await serveHttp(() => undefined);
    await close();
    expect(await check(`http://127.0.0.1:${port}`)).toEqual({
      ok: false,
      reason: expect.stringContaining("ECONNREFUSED"),
    });
    expect(await check(`http://localhost:${port}`)).toEqual({
      ok: false,
      reason: expect.stringContaining("ECONNREFUSED"),
    });
  });

  it("fails when no answer comes in time, and ends the connection", async () => {
    const { port, quiet } = await serveHttp(() => undefined);
    expect(await check(`http://127.0.0.1:${port}`, { timeoutMs: 300 })).toEqual({
      ok: false,
      reason: "no complete answer within 300 ms",
    });
    await quiet();
  });

  it("fails when an answer begins and does not end in time", async () => {
    const { port, quiet } = await serveHttp((_, response) => void response.write("a part"));
    expect(await check(`http://127.0.0.1:${port}`, { timeoutMs: 300 })).toEqual({
      ok: false,
      reason: "no complete answer within 300 ms",
    });
    await quiet();
  });

  it.each([
    ["closes without an answer", "", "socket hang up"],
    ["breaks off its answer", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "closed before a complete answer"],
    ["sends garbage", "garbage\r\n\r\n", "Parse Error"],
    [
      "changes the protocol unasked",
      "HTTP/1.1 101 No\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
      "closed before a complete answer",
    ],
  ])("fails when the backend %s", async (_, bytes, reason) => {
    const { port, quiet } = await answering(bytes, (socket) => socket.end());
    expect(await check(`http://127.0.0.1:${port}`)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
    await quiet();
  });

  it("asks at a Unix socket", async () => {
    const path = join(await temporaryFolder(), "app.sock");
    const hosts: (string | undefined)[] = [];
    const server = createHttpServer((request, response) => {
      hosts.push(request.headers.host);
      response.writeHead(request.url === "/health" ? 200 : 500).end();
    });
    await serveChecks(server, path);
    expect(await check(`unix:${path}`, { path: "/health" })).toEqual(OK);
    expect(await check(`unix:${path}`)).toEqual({ ok: false, reason: "status 500" });
    expect(await check(`unix:${path}.not`)).toEqual({ ok: false, reason: expect.stringContaining("ENOENT") });
    expect(hosts).toEqual(["localhost", "localhost"]);
  });

  it("ends at once when its signal is aborted", async () => {
    const stop = new AbortController();
    const { port, quiet, accepted } = await serveHttp(() => stop.abort());
    const ended: CheckOutcome = { ok: false, reason: "the check was ended" };
    expect(await check(`http://127.0.0.1:${port}`, { signal: stop.signal })).toEqual(ended);
    await quiet();
    expect(await check(`http://127.0.0.1:${port}`, { signal: stop.signal })).toEqual(ended);
    expect(accepted()).toBe(1);
  });
});

describe("checkBackend over TLS", () => {
  it("believes a certificate that it is told to trust, for the name in it, or any when told so", async () => {
    const { key, cert } = await selfSigned("backend.test");
    const names: unknown[] = [];
    const server = createHttpsServer({ key, cert }, (_, response) => response.end("ok"));
    server.on("secureConnection", (socket) => names.push(socket.servername));
    const { port, quiet } = await serveChecks(server);
    const url = `https://127.0.0.1:${port}`;

    expect(await check(url)).toEqual({ ok: false, reason: expect.stringMatching(/self-signed/) });
    expect(await check(url, { backendTls: { ca: cert } })).toEqual({
      ok: false,
      reason: expect.stringContaining("altnames"),
    });
    expect(await check(url, { backendTls: { ca: cert, servername: "backend.test" } })).toEqual(OK);
    expect(await check(url, { backendTls: { verify: false } })).toEqual(OK);
    expect(names).toContain("backend.test");
    await quiet();
  });

  it("fails when the backend speaks no TLS", async () => {
    const { port } = await serveHttp((_, response) => response.end("ok"));
    expect(await check(`https://127.0.0.1:${port}`)).toMatchObject({ ok: false });
  });
});

describe("checkBackend in mode tcp", () => {
  it("passes with a connection that is accepted, and ends it", async () => {
    const { port, quiet, accepted } = await serveRaw(() => undefined);
    expect(await check(`tcp://127.0.0.1:${port}`, { mode: "tcp" })).toEqual(OK);
    // Which the server may notice after the client.
    await vi.waitFor(() => expect(accepted()).toBe(1), { timeout: 20_000 });
    await quiet();
  });

  it("passes at a Unix socket", async () => {
    const path = join(await temporaryFolder(), "app.sock");
    await serveChecks(createTcpServer(), path);
    expect(await check(`unix:${path}`, { mode: "tcp" })).toEqual(OK);
  });

  it("fails when nothing listens", async () => {
    const { port, close } = await serveRaw(() => undefined);
    await close();
    expect(await check(`tcp://127.0.0.1:${port}`, { mode: "tcp" })).toEqual({
      ok: false,
      reason: expect.stringContaining("ECONNREFUSED"),
    });
  });
});
