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
import { startBackend, startBalancer, startRawBackend } from "./test-support/servers.js";

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

describe("listen", () => {
  const backends = [{ url: "http://127.0.0.1:1" }];

  it("takes a free port of the loopback interface and says which, once", async () => {
    const { port, host, url, listen } = await startBalancer({ backends });
    expect({ host, url }).toEqual({ host: "127.0.0.1", url: `http://127.0.0.1:${port}` });
    expect(port).toBeGreaterThan(0);
    await expect(listen()).rejects.toThrow(BalancerListenError);
  });

  it("says that a port is in use, and which, or that it is none", async () => {
    const { port } = await startBackend((_, response) => response.end());
    const taken = createBalancer({ backends }).listen({ port });
    const message = expect.stringContaining(`Cannot listen on 127.0.0.1:${port}: the port is in use.`);
    await expect(taken).rejects.toMatchObject({ name: "BalancerListenError", code: "EADDRINUSE", message });
    const listening = createBalancer({ backends }).listen({ port: 65_536 });
    await expect(listening).rejects.toThrow(/^port: expected a whole number from 0 to 65535/);
  });
});

describe("close", () => {
  it("ends idle connections at once and leaves no port", async () => {
    const backend = await startBackend((_, response) => response.end());
    const balancer = await startBalancer({ backends: [{ url: backend.url }] });
    await send(balancer.url, { agent: keepAliveAgent() });
    const silent = connect(balancer.port, "127.0.0.1");
    await once(silent, "connect");
    const silentEnded = once(silent.resume(), "close");
    await balancer.close({ graceMs: 600_000 });
    await silentEnded;
    expect(await isListening(balancer.port)).toBe(false);
  });

  it("looks at its connections a few times, not at all of them for each that ends", async () => {
    const balancer = await startBalancer({ backends: [{ url: "http://127.0.0.1:1" }] });
    const looks = vi.spyOn(ClientConnection.prototype, "endIfIdle");
    onTestFinished(() => looks.mockRestore());
    const clients = Array.from({ length: 500 }, () => connect(balancer.port, "127.0.0.1").resume());
    await expectSoon(() => balancer.snapshot().connections).toBe(clients.length);
    await balancer.close();
    expect(looks.mock.calls.length).toBeGreaterThanOrEqual(clients.length);
    expect(looks.mock.calls.length).toBeLessThan(20 * clients.length);
  });

  it("begins no request that comes while its connection is being closed", async () => {
    const backend = await startBackend((_, response) => response.end("served"));
    const balancer = await startBalancer({ backends: [{ url: backend.url }] });
    const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    const client = connect(balancer.port, "127.0.0.1");
    let seen = "";
    client.setEncoding("latin1").on("data", (text: string) => (seen += text));
    client.write(get);
    await expectSoon(() => seen).toMatch(/served/);
    const bell = await startRawBackend((socket) => {
      socket.on("data", (sound) => (sound.length > 1 ? void balancer.close() : socket.write(sound)));
    });
    const ringer = connect(bell.port, "127.0.0.1");
    ringer.write("?");
    await once(ringer, "data");
    const gone = once(client, "close");
    // Both are there when this process looks again: it is told to close, and then the request comes.
    ringer.write("close");
    client.write(get);
    await gone;
    await balancer.close();
    ringer.destroy();
    const answers = seen.split("served").length - 1;
    expect(balancer.snapshot().backends[0]).toMatchObject({ requests: answers, aborted: 0 });
  });

  it("lets a request in flight finish, and asks its client to close", async () => {
    const answers: (() => void)[] = [];
    const backend = await startBackend((_, response) => answers.push(() => response.end("late")));
    const balancer = await startBalancer({ backends: [{ url: backend.url }] });
    const answer = send(balancer.url, { agent: keepAliveAgent() });
    await expectSoon(() => answers.length).toBe(1);
    const closing = balancer.close({ graceMs: 600_000 });
    await expectSoon(() => isListening(balancer.port)).toBe(false);
    answers[0]?.();
    expect(await answer).toMatchObject({ status: 200, body: "late", headers: { connection: "close" } });
    await closing;
  });

  it("destroys what is still in flight after the grace period, also when it is shortened later", async () => {
    const backend = await startBackend(() => undefined);
    const balancer = await startBalancer({ backends: [{ url: backend.url }] });
    const answer = send(balancer.url).catch((error: unknown) => error);
    await expectSoon(() => Object.values(balancer.stats())[0]?.inFlight).toBe(1);
    const closing = balancer.close({ graceMs: 600_000 });
    await balancer.close({ graceMs: 0 });
    await closing;
    expect(await answer).toMatchObject({ code: "ECONNRESET" });
    expect(balancer.entries).toMatchObject([{ error: "The balancer was closed before the request had ended." }]);
  });

  it("destroys 6,000 requests that are in flight or wait, and loses count of none", async () => {
    const { url } = await startBackend(() => undefined);
    const limits = { connectionsPerBackend: 100, queuePerBackend: Infinity };
    const balancer = await startBalancer({ backends: [{ url, name: "one" }], limits, timeouts: { queueMs: Infinity } });
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
    const balancer = createBalancer({ backends: [{ url: "http://127.0.0.1:1" }] });
    await Promise.all([balancer.close(), balancer.close()]);
    await expect(balancer.close()).resolves.toBeUndefined();
    await expect(balancer.listen()).rejects.toThrow(BalancerListenError);
  });

  it("leaves nothing that keeps the process alive, and prints no warning where util._extend is deprecated", async () => {
    const deprecateExtend = fileURLToPath(new URL("./test-support/deprecate-extend.mjs", import.meta.url));
    expect(await runProgram(wholeLife, "--import", deprecateExtend)).toEqual({ stdout: "1 200\n", stderr: "" });
  });
});
