import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { BackendStartError } from "./backend-start-error.js";
import { HandlerSpecError } from "./handler-spec-error.js";
import { startSingle } from "./start-single.js";
import { isListening, keepAliveAgent, send } from "./test-support/client.js";
import { single } from "./test-support/started.js";

describe("startSingle", () => {
  it("serves in this process, at a port of its own", async () => {
    const { url, port, pids } = await single("hello");
    expect([url, pids]).toEqual([`http://127.0.0.1:${port}`, [process.pid]]);
    expect((await send(url)).body).toBe("hello\n");
  });

  it("takes a spec as well as its text, and checks both", async () => {
    const { url } = await single({ handler: { name: "hello", sizeBytes: 3 } });
    expect((await send(url)).body).toHaveLength(3);
    await expect(startSingle({ handler: { name: "hello", sizeBytes: -3 } })).rejects.toThrow(HandlerSpecError);
    await expect(startSingle({ handler: "helo" })).rejects.toThrow(HandlerSpecError);
  });

  it("counts the requests that it received", async () => {
    const { url, requests } = await single("error:50%");
    for (let i = 0; i < 5; i++) await send(url);
    expect(await requests()).toBe(5);
  });

  it("names its process only on request", async () => {
    const silent = await single("hello");
    const telling = await single({ handler: "hello", identify: true });
    expect((await send(silent.url)).headers).not.toHaveProperty("x-worker");
    expect((await send(telling.url)).headers).toHaveProperty("x-worker", String(process.pid));
  });

  it("says that a port is in use, and which", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const failure = await startSingle({ handler: "hello", port }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BackendStartError);
    expect(failure).toMatchObject({
      code: "EADDRINUSE",
      message: expect.stringContaining(`Cannot listen on 127.0.0.1:${port}: the port is in use.`),
    });
  });

  it.each([-1, 65_536, 1.5])("refuses the port %s", async (port) => {
    await expect(startSingle({ handler: "hello", port })).rejects.toThrow(/^port: expected a whole number/);
  });

  it("stops with connections open, and leaves no port", async () => {
    const backend = await single("sleep:10m");
    const pending = send(backend.url).catch((error: unknown) => error);
    const silent = connect(backend.port, "127.0.0.1").resume();
    await once(silent, "connect");
    await expect.poll(() => backend.requests()).toBe(1);
    await Promise.all([backend.stop({ graceMs: 0 }), backend.stop()]);
    expect(await pending).toMatchObject({ code: "ECONNRESET" });
    expect(await isListening(backend.port)).toBe(false);
  });

  it("lets a request in flight finish", async () => {
    const backend = await single("sleep:50ms");
    const answer = send(backend.url, { agent: keepAliveAgent() });
    await expect.poll(() => backend.requests()).toBe(1);
    await backend.stop({ graceMs: 600_000 });
    expect((await answer).status).toBe(200);
  });
});
