import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { RunningServer, Server } from "../../plugin.js";
import { startServer } from "../../testing/started-server.js";
import { testsOf } from "../test-support/program-installed.js";
import { requestOnce } from "../test-support/request-once.js";
import { nginxStaticServer } from "./nginx-static.js";

const { run, note } = testsOf("nginx");

describe.runIf(run)(`nginx-static${note}`, () => {
  let running: RunningServer | undefined;
  const undos: (() => void)[] = [];
  afterEach(async () => {
    for (const undo of undos.splice(0)) undo();
    await running?.stop();
  });

  async function start(options: object): Promise<RunningServer> {
    running = await startServer(nginxStaticServer as Server, options);
    return running;
  }

  it.each([
    [{}, 1024],
    [{ size: "0" }, 0],
    [{ size: "100kB" }, 102_400],
  ])("serves a file of a size at /: %o", async (options, bytes) => {
    const { url, processes } = await start(options);
    const { status, body, headers } = await requestOnce(url);
    expect([status, body.length]).toEqual([200, bytes]);
    expect(headers["content-type"]).toBe("text/html");
    expect(processes).toMatchObject([{ role: "backend", name: "nginx-static", tree: true }]);
  });

  it("serves the files of a folder", async () => {
    const root = mkdtempSync(join(tmpdir(), "lbbench test;{}'-"));
    undos.push(() => rmSync(root, { recursive: true }));
    writeFileSync(join(root, "a.json"), "{}");
    const { url } = await start({ root });
    expect(await requestOnce(new URL("/a.json", url))).toMatchObject({
      status: 200,
      body: "{}",
      headers: { "content-type": "application/json" },
    });
    expect((await requestOnce(new URL("/b", url))).status).toBe(404);
  });

  it.each(["no-such-folder", "package.json"])("does not start for a root that is no folder: %s", async (root) => {
    await expect(start({ root })).rejects.toThrow(/Expected a folder at .*root/);
  });

  it("closes a connection after as many requests as it was told", async () => {
    const { url } = await start({ keepAliveRequests: 2 });
    const socket = net.connect(Number(new URL(url).port), "127.0.0.1");
    undos.push(() => socket.destroy());
    let received = "";
    socket.on("data", (data: Buffer) => void (received += data.toString("latin1")));
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2));
    await once(socket, "end");
    expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(received.match(/Connection: close/g)).toHaveLength(1);
  });

  it("breaks when there are more connections at work than it may have", async () => {
    const { url } = await start({ clientConnections: 8 });
    const sockets = Array.from({ length: 40 }, () => net.connect(Number(new URL(url).port), "127.0.0.1"));
    undos.push(() => sockets.forEach((socket) => socket.destroy()));
    let closed = 0;
    for (const socket of sockets) {
      socket.on("error", () => {});
      socket.on("close", () => (closed += 1));
      socket.resume();
      // Half a request, so that the connection is not one that may be closed for another.
      socket.on("connect", () => socket.write("GET / HTTP/1.1\r\nHost: a\r\n"));
    }
    await expect.poll(() => closed, { timeout: 20_000 }).toBeGreaterThanOrEqual(40 - 8);
    for (const socket of sockets) if (!socket.destroyed) socket.write("\r\n");
  });
});
