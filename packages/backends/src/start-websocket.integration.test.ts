import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { isListening, send } from "@lbbench/test-support/client.js";
import { startTestServer } from "@lbbench/test-support/test-server.js";
import { BackendStartError, type RunningBackend } from "./backend.js";
import { startWebSocket } from "./start-websocket.js";
import { untilFinished, webSocketServer } from "./test-support/started.js";

const WAIT = { timeout: 60_000 };

/** Opens a WebSocket that is gone with the test. */
async function open({ url }: Pick<RunningBackend, "url">): Promise<WebSocket> {
  const socket = new WebSocket(url);
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  return socket;
}

/** Sends a message; resolves with what comes back, or with the code that the server closes with. */
function ask(socket: WebSocket, message: string | Buffer = "hi"): Promise<string | Buffer | number> {
  return new Promise((resolve) => {
    socket.once("message", (data, isBinary) => resolve(isBinary ? (data as Buffer) : String(data as Buffer)));
    socket.once("close", resolve);
    socket.send(message);
  });
}

describe("a WebSocket server", () => {
  it.each(["hello", "echo", "sleep:1ms", "work:0.1ms"])(
    "sends every message back, after its work, and counts it: %s",
    async (handler) => {
      const server = await webSocketServer(handler);
      expect(server.url).toBe(`ws://127.0.0.1:${server.port}`);
      const sockets = await Promise.all([1, 2, 3].map(() => open(server)));
      for (const [index, socket] of sockets.entries()) {
        expect(await ask(socket, `text ${index}`)).toBe(`text ${index}`);
        expect(await ask(socket, Buffer.from([index, 255]))).toEqual(Buffer.from([index, 255]));
      }
      expect(await server.requests()).toBe(6);
      expect(await server.connections()).toEqual({ accepted: 3, open: 3, active: 0 });
    },
  );

  it("names its process only on request, in the answer to the upgrade", async () => {
    const workerOf = async (server: RunningBackend): Promise<unknown> => {
      const socket = new WebSocket(server.url);
      onTestFinished(() => socket.terminate());
      const [{ headers }] = (await once(socket, "upgrade")) as [{ readonly headers: Record<string, unknown> }];
      return headers["x-worker"];
    };
    expect(await workerOf(await webSocketServer("hello"))).toBeUndefined();
    expect(await workerOf(await webSocketServer({ handler: "hello", identify: true }))).toBe(String(process.pid));
  });

  it("asks for an upgrade where a request is none, which it does not count", async () => {
    const server = await webSocketServer("hello");
    const answer = await send(server.url.replace("ws", "http"), { method: "POST" }, "body");
    expect(answer).toMatchObject({ status: 426, body: "This server speaks WebSocket.\n" });
    expect(await server.requests()).toBe(0);
  });

  it.each([
    ["error:50%", 1011],
    ["error:50%,status=503", 1013],
  ])("closes a WebSocket where its handler fails: %s", async (handler, code) => {
    const server = await webSocketServer(handler);
    const socket = await open(server);
    expect(await ask(socket)).toBe("hi");
    expect(await ask(socket)).toBe(code);
    expect(await ask(await open(server))).toBe("hi");
  });

  it("answers late, and with errors, as it is told while it runs, and as before when that is over", async () => {
    const server = await webSocketServer("hello");
    await server.disturb({ errorShare: 1 });
    expect(await ask(await open(server))).toBe(1013);
    await server.disturb({ errorShare: 0, slowMs: 600_000 });
    const gone = await open(server);
    gone.send("hi");
    await expect.poll(() => server.connections(), WAIT).toMatchObject({ active: 1 });
    gone.terminate();
    await expect.poll(() => server.connections(), WAIT).toMatchObject({ open: 0, active: 0 });
    await server.disturb({ slowMs: 0 });
    expect(await ask(await open(server))).toBe("hi");
    await expect(server.disturb({ errorShare: 2 })).rejects.toThrow("errorShare: expected 0 to 1, got 2.");
  });

  it("says that a port is in use, and which", async () => {
    const { port } = await startTestServer();
    const failure = await startWebSocket({ handler: "hello", port }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BackendStartError);
    expect(failure).toMatchObject({ code: "EADDRINUSE", message: expect.stringContaining(`127.0.0.1:${port}`) });
  });

  it("lets messages in progress come back, closes idle WebSockets, and then leaves no port", async () => {
    const server = await untilFinished(startWebSocket({ handler: "sleep:100ms" }));
    const [busy, idle] = [await open(server), await open(server)];
    const closed = once(idle, "close");
    const answer = ask(busy);
    await expect.poll(() => server.requests(), WAIT).toBe(1);
    await server.stop({ graceMs: 600_000 });
    expect(await answer).toBe("hi");
    expect((await closed)[0]).toBe(1001);
    expect(await isListening(server.port)).toBe(false);
  });

  it("stops with messages in progress and connections that say nothing, as soon as it is asked to", async () => {
    const server = await untilFinished(startWebSocket({ handler: "sleep:10m" }));
    const answer = ask(await open(server));
    const silent = connect(server.port, "127.0.0.1").resume();
    await once(silent, "connect");
    await expect.poll(() => server.requests(), WAIT).toBe(1);
    await Promise.all([600_000, 0].map((graceMs) => server.stop({ graceMs })));
    expect(await answer).toBe(1006);
    expect(await isListening(server.port)).toBe(false);
  });
});
