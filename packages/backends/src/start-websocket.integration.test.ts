import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { send } from "@lbbench/test-support/client.js";
import { webSocketServer } from "./test-support/started.js";
import { askWebSocket as ask, openWebSocket as open } from "./test-support/web-socket-client.js";

// What all kinds of sample servers do: sample-servers.integration.test.ts.
describe("a WebSocket server", () => {
  it.each(["hello", "echo", "sleep:1ms", "work:0.1ms"])("sends messages back, and counts them: %s", async (handler) => {
    const server = await webSocketServer(handler);
    expect(server.url).toBe(`ws://127.0.0.1:${server.port}`);
    const sockets = await Promise.all([1, 2, 3].map(() => open(server)));
    for (const [index, socket] of sockets.entries()) {
      expect(await ask(socket, `text ${index}`)).toBe(`text ${index}`);
      expect(await ask(socket, Buffer.from([index, 255]))).toEqual(Buffer.from([index, 255]));
    }
    expect(await server.requests()).toBe(6);
    expect(await server.connections()).toEqual({ accepted: 3, open: 3, active: 0 });
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

  it("does not count a message any more whose client goes away before its answer", async () => {
    const server = await webSocketServer("sleep:10m");
    const gone = await open(server);
    gone.send("hi");
    await expect.poll(() => server.connections()).toMatchObject({ active: 1 });
    gone.terminate();
    await expect.poll(() => server.connections()).toMatchObject({ open: 0, active: 0 });
  });

  it("tells idle WebSockets that it goes away when it stops, while messages in progress come back", async () => {
    const server = await webSocketServer("sleep:100ms");
    const [busy, idle] = [await open(server), await open(server)];
    const closed = once(idle, "close");
    const answer = ask(busy);
    await expect.poll(() => server.requests()).toBe(1);
    await server.stop({ graceMs: 600_000 });
    expect([await answer, (await closed)[0]]).toEqual(["hi", 1001]);
  });
});
