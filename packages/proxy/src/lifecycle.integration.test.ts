import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { BalancerListenError } from "./listen.js";
import { createBalancer } from "./create-balancer.js";
import { ClientConnection } from "./http/client-connection.js";
import { isListening, keepAliveAgent, send } from "@lbbench/test-support/client.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { GONE_URL, startBackend, startBefore, startHolding, startRawBackend } from "./test-support/servers.js";
import { wireClient } from "./test-support/wire.js";

const built = new URL("../dist/index.js", import.meta.url).href;

/** Runs a program against the built package. */
async function runProgram(source: string, ...args: string[]) {
  return promisify(execFile)(process.execPath, ["--input-type=module", ...args, "-e", source], { timeout: 60_000 });
}

const wholeLife = `
  import { createServer } from "node:http";
  import { createBalancer } from ${JSON.stringify(built)};
  const backend = createServer((_, response) => response.end("ok")).listen(0, "127.0.0.1", async () => {
    const balancer = createBalancer({ backends: [{ url: "http://127.0.0.1:" + backend.address().port }] });
    const { url } = await balancer.listen();
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await fetch(url)).status));
    await balancer.close();
    backend.close();
    backend.closeAllConnections();
    console.log(new Set(statuses).size, statuses[0]);
  });
`;

const GONE = { url: GONE_URL };

describe("listen", () => {
  it("takes a free port of the loopback interface and says which, once", async () => {
    const { port, host, url, listen } = await startBefore(GONE);
    expect({ host, url }).toEqual({ host: "127.0.0.1", url: `http://127.0.0.1:${port}` });
    expect(port).toBeGreaterThan(0);
    await expect(listen()).rejects.toThrow(BalancerListenError);
  });

  it("says that a port is in use, and which, or that it is none", async () => {
    const { port } = await startHolding();
    const taken = createBalancer({ backends: [GONE] }).listen({ port });
    const message = expect.stringContaining(`Cannot listen on 127.0.0.1:${port}: the port is in use.`);
    await expect(taken).rejects.toMatchObject({ name: "BalancerListenError", code: "EADDRINUSE", message });
    const listening = createBalancer({ backends: [GONE] }).listen({ port: 65_536 });
    await expect(listening).rejects.toThrow(/^port: expected a whole number from 0 to 65535/);
  });
});

describe("close", () => {
  it("ends idle connections at once and leaves no port", async () => {
    const balancer = await startBefore(await startBackend((_, response) => response.end()));
    await send(balancer.url, { agent: keepAliveAgent() });
    const silent = connect(balancer.port, "127.0.0.1");
    await once(silent, "connect");
    const silentEnded = once(silent.resume(), "close");
    await balancer.close({ graceMs: 600_000 });
    await silentEnded;
    expect(await isListening(balancer.port)).toBe(false);
  });

  it("looks at its connections a few times, not at all of them for each that ends", async () => {
    const balancer = await startBefore(GONE);
    const looks = vi.spyOn(ClientConnection.prototype, "endIfIdle");
    onTestFinished(() => looks.mockRestore());
    const clients = Array.from({ length: 500 }, () => connect(balancer.port, "127.0.0.1").resume());
    await expectSoon(() => balancer.snapshot().connections).toBe(clients.length);
    await balancer.close();
    expect(looks.mock.calls.length).toBeGreaterThanOrEqual(clients.length);
    expect(looks.mock.calls.length).toBeLessThan(20 * clients.length);
  });

  it("begins no request that comes while its connection is being closed", async () => {
    const balancer = await startBefore(await startBackend((_, response) => response.end("served")));
    const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    const client = wireClient(balancer.port, get);
    await client.until(/served/);
    const bell = await startRawBackend((socket) => {
      socket.on("data", (sound) => (sound.length > 1 ? void balancer.close() : socket.write(sound)));
    });
    const ringer = wireClient(bell.port, "?");
    await ringer.until(/\?/);
    // Both are there when this process looks again: it is told to close, and then the request comes.
    ringer.write("close");
    client.write(get);
    const answers = (await client.ended()).split("served").length - 1;
    await balancer.close();
    expect(balancer.snapshot().backends[0]).toMatchObject({ requests: answers, aborted: 0 });
  });

  it("lets a request in flight finish, and asks its client to close", async () => {
    const backend = await startHolding("late");
    const balancer = await startBefore(backend);
    const answer = send(balancer.url, { agent: keepAliveAgent() });
    await expectSoon(() => backend.held.length).toBe(1);
    const closing = balancer.close({ graceMs: 600_000 });
    await expectSoon(() => isListening(balancer.port)).toBe(false);
    backend.letGo();
    expect(await answer).toMatchObject({ status: 200, body: "late", headers: { connection: "close" } });
    await closing;
  });

  it("destroys what is still in flight after the grace period, also when it is shortened later", async () => {
    const balancer = await startBefore(await startHolding());
    const answer = send(balancer.url).catch((error: unknown) => error);
    await expectSoon(() => balancer.stats()["one"]?.inFlight).toBe(1);
    const closing = balancer.close({ graceMs: 600_000 });
    await balancer.close({ graceMs: 0 });
    await closing;
    expect(await answer).toMatchObject({ code: "ECONNRESET" });
    expect(balancer.entries).toMatchObject([{ error: "The balancer was closed before the request had ended." }]);
  });

  it("destroys 6,000 requests that are in flight or wait, and loses count of none", async () => {
    const limits = { connectionsPerBackend: 100, queuePerBackend: Infinity };
    const balancer = await startBefore(await startHolding(), { limits, timeouts: { queueMs: Infinity } });
    const closed: Promise<unknown>[] = [];
    const ask = async (): Promise<void> => {
      const socket = connect(balancer.port, "127.0.0.1").on("error", () => undefined);
      closed.push(once(socket.resume(), "close"));
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      await once(socket, "connect");
    };
    // The system would let those wait for seconds that are more than it holds at a time.
    while (closed.length < 6000) await Promise.all(Array.from({ length: 100 }, ask));
    await expectSoon(() => balancer.stats()["one"]?.inFlight).toBe(6000);
    await balancer.close({ graceMs: 1 });
    await Promise.all(closed);
    expect(balancer.stats()).toEqual({ one: { requests: 6000, errors: 0, aborted: 6000, inFlight: 0 } });
  });

  it("may be called before listening, which is then too late, and any number of times", async () => {
    const balancer = createBalancer({ backends: [GONE] });
    await Promise.all([balancer.close(), balancer.close()]);
    await expect(balancer.close()).resolves.toBeUndefined();
    await expect(balancer.listen()).rejects.toThrow(BalancerListenError);
  });

  it("leaves nothing that keeps the process alive, and prints no warning where util._extend is deprecated", async () => {
    const deprecateExtend = fileURLToPath(new URL("./test-support/deprecate-extend.mjs", import.meta.url));
    expect(await runProgram(wholeLife, "--import", deprecateExtend)).toEqual({ stdout: "1 200\n", stderr: "" });
  });
});
