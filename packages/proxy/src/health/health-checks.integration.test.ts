import type { IncomingMessage, ServerResponse } from "node:http";
import { createSecureServer } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { buffer } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { BackendTlsOptions } from "../options/options.js";
import { resolveOptions, type ResolvedBackend } from "../options/resolve-options.js";
import { INTERNAL } from "@lbbench/test-support/certificates.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { serve, temporaryPath } from "@lbbench/test-support/servers.js";
import { startHttp2Backend } from "../test-support/http2-backends.js";
import { endWithPeer, GONE_URL, startBackend, startRawBackend, startSaying } from "../test-support/servers.js";
import { checkBackend, type CheckOptions, keepChecking } from "./health-checks.js";

interface Given extends Partial<Omit<CheckOptions, "tls">> {
  readonly backendTls?: BackendTlsOptions;
  readonly signal?: AbortSignal;
}

/** Checks the backend of a URL, by default at `/` and with a time limit that no test reaches; `ok`, or why not. */
async function check(
  url: string,
  { mode = "http", path = "/", grpc = false, timeoutMs = 600_000, backendTls, signal }: Given = {},
) {
  const options = resolveOptions({ backends: [{ url }], mode, ...(backendTls === undefined ? {} : { backendTls }) });
  const [backend] = options.backends as [ResolvedBackend];
  const checked = { mode, path, grpc, timeoutMs, tls: options.backendTls };
  const checking = checkBackend(backend, checked, signal ?? new AbortController().signal);
  return checking.then(
    () => "ok",
    (error: Error) => error.message,
  );
}

describe("a check in mode http", () => {
  it.each([200, 304, 399, 400, 503])("passes with a status below 400: %s", async (status) => {
    const { url, quiet } = await startBackend((_, response) => {
      response.writeProcessing();
      response.writeHead(status).end();
    });
    expect(await check(url)).toBe(status < 400 ? "ok" : `status ${status}`);
    await quiet();
  });

  it("asks for the path behind that of the URL, on a connection of its own, and says who it is", async () => {
    const asked: IncomingMessage[] = [];
    const { url, port, connections } = await startBackend((request, response) => {
      asked.push(request);
      response.end("x".repeat(100_000));
    });
    for (const _ of ["first", "second"]) expect(await check(`${url}/api/`, { path: "/health?deep=1" })).toBe("ok");
    expect(connections()).toBe(2);
    const headers = { host: `127.0.0.1:${port}`, connection: "close", "user-agent": "lbbench-health" };
    const each = { method: "GET", url: "/api/health?deep=1", headers };
    expect(asked).toMatchObject([each, each]);
  });

  it("fails when no complete answer comes in time, and ends the connection", async () => {
    const { url, quiet } = await startBackend((_, response) => response.write("a part"));
    expect(await check(url, { timeoutMs: 50 })).toBe("no complete answer within 50 ms");
    await quiet();
  });

  const CLOSED = /closed before a complete answer|socket hang up|aborted/;
  it.each([
    ["closes without an answer", "", CLOSED],
    ["breaks off its answer", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", CLOSED],
    ["sends garbage", "garbage\r\n\r\n", /Parse Error/],
    ["changes the protocol unasked", "HTTP/1.1 101 No\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", CLOSED],
  ])("fails when the backend %s", async (_, bytes, reason) => {
    const { url, quiet } = await startSaying(bytes, "ends");
    expect(await check(url)).toMatch(reason);
    await quiet();
  });

  it("ends at once when its signal is aborted", async () => {
    const stop = new AbortController();
    const { url, quiet } = await startBackend(() => stop.abort());
    expect(await check(url, { signal: stop.signal })).toBe("the check was ended");
    await quiet();
  });

  it("believes a certificate that it is told to trust, for the name in it, or any when told so", async () => {
    const names: unknown[] = [];
    const server = createHttpsServer(INTERNAL, (_, response) => response.end("ok"));
    server.on("secureConnection", (socket) => names.push(socket.servername));
    const { port, quiet } = await serve(server);
    const url = `https://127.0.0.1:${port}`;
    expect(await check(url)).toMatch(/self-signed/);
    expect(await check(url, { backendTls: { ca: INTERNAL.cert } })).toContain("altnames");
    expect(await check(url, { backendTls: { ca: INTERNAL.cert, servername: "app.internal" } })).toBe("ok");
    expect(await check(url, { backendTls: { verify: false } })).toBe("ok");
    expect(names).toContain("app.internal");
    await quiet();
  });
});

describe("a check in mode tcp", () => {
  it("passes with a connection that is accepted, and ends it", async () => {
    for (const place of [0, temporaryPath("app.sock")]) {
      const { url, quiet, connections } = await startRawBackend(endWithPeer, place);
      expect(await check(url, { mode: "tcp" })).toBe("ok");
      // Which the server may notice after the client.
      await expectSoon(connections).toBe(1);
      await quiet();
    }
    expect(await check(GONE_URL, { mode: "tcp" })).toContain("ECONNREFUSED");
  });
});

it.each([
  ["at once, and then once in each interval", { takesMs: 30, random: 0 }, [0, 100, 200, 300]],
  // The timer of no time at all takes 1 ms.
  ["never twice at a time", { takesMs: 130, random: 0 }, [0, 131, 262]],
  ["up to a tenth of the interval earlier", { takesMs: 0, random: 1 }, [0, 90, 180, 270]],
])("health is checked %s", async (_, { takesMs, random }, times) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const chance = vi.spyOn(Math, "random").mockReturnValue(random);
  onTestFinished(() => chance.mockRestore());
  const startedMs = performance.now();
  const begun: number[] = [];
  const check = (signal: AbortSignal) => {
    begun.push(performance.now() - startedMs);
    return new Promise<void>((resolve) => {
      setTimeout(resolve, takesMs);
      signal.addEventListener("abort", () => resolve());
    });
  };
  const nothing = (): undefined => undefined;
  onTestFinished(keepChecking(100, check, nothing, nothing));
  await vi.advanceTimersByTimeAsync(335);
  expect(begun).toEqual(times);
});

describe("a check of a backend that speaks HTTP/2", () => {
  it.each([200, 399, 400, 503])("passes with a status below 400: %s", async (status) => {
    const backend = await startHttp2Backend((stream) => {
      stream.respond({ ":status": status });
      stream.end("x".repeat(100_000));
    });
    const path = "/health?deep=1";
    expect(await check(`${backend.url}/api`, { path })).toBe(status < 400 ? "ok" : `status ${status}`);
    const asked = { ":method": "GET", ":path": `/api${path}`, "user-agent": "lbbench-health" };
    expect(backend.asked[0]).toMatchObject(asked);
    await backend.quiet();
  });

  it("fails when no answer comes in time, when none is complete, and where HTTP/1.1 is spoken", async () => {
    const silent = await startHttp2Backend(() => undefined);
    expect(await check(silent.url, { timeoutMs: 50 })).toBe("no complete answer within 50 ms");
    await silent.quiet();
    const resetting = await startHttp2Backend((stream) => stream.close(2));
    expect(await check(resetting.url)).toMatch(/INTERNAL_ERROR/);
    await resetting.quiet();
    const http1 = await startBackend((_, response) => response.end());
    expect(await check(http1.url.replace("http:", "h2c:"))).not.toBe("ok");
    await http1.quiet();
  });

  it.each([
    ["HTTP/2", true],
    ["HTTP/1.1", false],
  ])("asks in what the backend chooses under TLS: %s", async (version, speaksHttp2) => {
    const asked: string[] = [];
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      asked.push(`HTTP/${request.httpVersion.replace(".0", "")}`);
      response.end();
    };
    const server = speaksHttp2 ? createSecureServer(INTERNAL, answer as never) : createHttpsServer(INTERNAL, answer);
    const { port, quiet } = await serve(server);
    const backendTls = { ca: INTERNAL.cert, servername: "app.internal" };
    expect(await check(`https://127.0.0.1:${port}`, { backendTls })).toBe("ok");
    expect(asked).toEqual([version]);
    await quiet();
  });
});

describe("a check by gRPC", () => {
  const trailers = (status: string) => ({ "grpc-status": status, "grpc-message": "why" });

  it.each([
    ["SERVING", 1, "0", "ok"],
    ["NOT_SERVING", 2, "0", "the gRPC service is NOT_SERVING"],
    ["a failure behind the message", 1, "13", "gRPC status 13 why"],
  ])("tells %s", async (_, serving, status, expected) => {
    const bodies: Buffer[] = [];
    const backend = await startHttp2Backend((stream) => {
      void buffer(stream).then((body) => bodies.push(body));
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers(trailers(status)));
      stream.end(Buffer.from([0, 0, 0, 0, 2, 0x08, serving]));
    });
    expect(await check(backend.url, { grpc: "shop" })).toBe(expected);
    expect(backend.asked[0]).toMatchObject({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      te: "trailers",
    });
    await expectSoon(() => bodies).toEqual([Buffer.from([0, 0, 0, 0, 6, 0x0a, 4, ...Buffer.from("shop")])]);
    expect(await check(backend.url, { grpc: "" })).toBe(expected);
    await expectSoon(() => bodies[1]).toEqual(Buffer.alloc(5));
  });

  it("fails where the server knows no such service, and says so by the status alone", async () => {
    const backend = await startHttp2Backend((stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc", ...trailers("12") }, { endStream: true });
    });
    expect(await check(backend.url, { grpc: "" })).toBe("gRPC status 12 why");
  });
});
