import { describe, expect, it } from "vitest";
import type { BalancerOptions } from "../options/options.js";
import { send } from "../test-support/client.js";
import { startBalancer, startRawBackend } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";
import { startWireBackend } from "../test-support/wire-backend.js";
import { wireClient } from "../test-support/wire-client.js";

describe.each(TRANSPORTS)("a balancer by %s", (transport) => {
  async function balance(timeouts: BalancerOptions["timeouts"] = {}) {
    const backend = await startWireBackend();
    const balancer = await startBalancer({ transport, backends: [{ url: backend.url, name: "one" }], timeouts });
    return { backend, ...balancer };
  }

  it.each([
    ["the request line", "GET / HT"],
    ["the headers", "GET / HTTP/1.1\r\nHost: a\r\nX-A: b\r\n"],
    ["a second request", "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\n"],
  ])("cuts a client off that never comes to the end of %s", async (_, bytes) => {
    const { port, backend, snapshot } = await balance({ headMs: 100 });
    const client = wireClient(port, bytes);
    expect(await client.closed()).toMatch(/HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n[^]*$/);
    expect(backend.received().join("")).not.toContain("second");
    expect(snapshot()).toMatchObject({ connections: 0, refused: { "408": 1 } });
  });

  it("cuts a client off that sends its head byte by byte", async () => {
    const { port } = await balance({ headMs: 150 });
    const client = wireClient(port, "GET / HTTP/1.1\r\nHost: a\r\nX-A: ");
    const timer = setInterval(() => client.write("a"), 10);
    const text = await client.closed();
    clearInterval(timer);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
  });

  it.each([
    ["with a length", "Content-Length: 10\r\n\r\nhalf"],
    ["of which nothing comes", "Content-Length: 10\r\n\r\n"],
    ["in chunks", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"],
    ["in the middle of a chunk", "Transfer-Encoding: chunked\r\n\r\n9\r\nhalf"],
  ])("cuts a client off that never comes to the end of its body %s", async (_, rest) => {
    const { port, url, backend, stats, snapshot } = await balance({ idleMs: 100 });
    const text = await wireClient(port, `POST / HTTP/1.1\r\nHost: a\r\n${rest}`).closed();
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[^]*did not come in time\.\n$/);
    await expect.poll(() => backend.open()).toBe(0);
    expect(backend.requests()).toEqual([]);
    expect(stats().one).toMatchObject({ errors: 0, inFlight: 0 });
    expect(snapshot().refused).toEqual({ "408": 1 });
    expect((await send(url)).status).toBe(200);
  });

  it("has patience with a body that goes on", async () => {
    const { port, backend } = await balance({ idleMs: 2000 });
    const client = wireClient(port, "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 20\r\n\r\n");
    let sent = 0;
    const timer = setInterval(() => {
      client.write("a");
      sent += 1;
      if (sent === 20) clearInterval(timer);
    }, 125);
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 200 /);
    expect(backend.requests().map(({ body }) => body)).toEqual(["a".repeat(20)]);
  });

  it("cuts a client off that does not read its answer, and ends it at the backend", async () => {
    const bytes = 64 * 1024 * 1024;
    let open = 0;
    const backend = await startRawBackend((socket) => {
      open += 1;
      socket.once("close", () => (open -= 1));
      socket.once("data", () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`);
        socket.write(Buffer.alloc(bytes));
      });
    });
    const { port, stats } = await startBalancer({
      transport,
      backends: [{ url: backend.url, name: "one" }],
      timeouts: { idleMs: 150 },
    });
    const client = wireClient(port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    client.socket.pause();
    await expect.poll(() => open).toBe(1);
    await expect.poll(() => open, { timeout: 20_000 }).toBe(0);
    await expect.poll(stats).toEqual({ one: { requests: 1, errors: 0, aborted: 1, inFlight: 0 } });
  });

  it("closes a connection of a client on which nothing happens", async () => {
    const { port } = await balance({ keepAliveMs: 100 });
    expect(await wireClient(port, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n").closed()).toMatch(/\/x$/);
  });
});
