import { once } from "node:events";
import type { RequestOptions } from "node:http";
import net from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectClosed } from "../../test/support/expect-closed.js";
import type { TimelineSecond } from "../model/measurement.js";
import type { Ending, LiveMain } from "./event-stream.js";
import type { LivePanel, LiveSeconds } from "./live-messages.js";
import { startLiveServer, type LiveServer } from "./live-server.js";
import { listen, open } from "./test-support/listen.js";
import { aSecond } from "./test-support/sweep-events.js";

const TOKEN = "a-token";
const PATIENCE = { timeout: 60_000, interval: 5 };

interface Served {
  readonly server: LiveServer;
  readonly port: number;
  /** What the server is asked for; a test changes it and pushes. */
  readonly content: {
    page: string | null;
    panel: Partial<LivePanel>;
    seconds: readonly LiveSeconds[];
    main: LiveMain | null;
    ending: Ending | null;
  };
}

async function serve(flushMs = 1000, atPort = 0): Promise<Served> {
  const content: Served["content"] = { page: "<p>page</p>", panel: {}, seconds: [], main: null, ending: null };
  const server = await startLiveServer(
    { port: atPort, token: TOKEN, flushMs },
    {
      page: () => content.page,
      onListen: () => {},
      panel: () => content.panel as LivePanel,
      seconds: (from) => content.seconds.filter(({ index }) => index >= from),
      main: () => content.main,
      ending: () => content.ending,
    },
  );
  onTestFinished(async () => {
    content.ending ??= { event: "ended" };
    await server.close();
  });
  return { server, content, port: Number(new URL(server.url).port) };
}

async function ask(port: number, path = `/${TOKEN}/`, options: RequestOptions = {}) {
  const response = await open(port, path, options);
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

async function listenWithoutReading(port: number, server: LiveServer): Promise<net.Socket> {
  const socket = net.connect({ host: "127.0.0.1", port }).on("error", () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /${TOKEN}/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  await expect.poll(server.listeners, PATIENCE).toBe(1);
  return socket;
}

describe("the live server", () => {
  it("gives its page to those who have the token, for no other site to see", async () => {
    const { port } = await serve();
    const { status, headers, body } = await ask(port);
    expect({ status, body }).toEqual({ status: 200, body: "<p>page</p>" });
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
    });
    expect(headers["access-control-allow-origin"]).toBeUndefined();
    expect(await ask(port, undefined, { method: "HEAD" })).toMatchObject({ status: 200, body: "" });
    expect(await ask(port, `/${TOKEN}/events`, { method: "HEAD" })).toMatchObject({ status: 200, body: "" });
  });

  it.each([
    ["under the name of another site", `/${TOKEN}/`, { headers: { host: "attacker.example" } }, 403],
    ["from a page of another site", `/${TOKEN}/events`, { headers: { origin: "http://attacker.example" } }, 403],
    ["to change something", `/${TOKEN}/`, { method: "POST" }, 405],
  ] as const)("says nothing to who asks %s", async (_, path, options, status) => {
    const { port, server } = await serve();
    const answer = await ask(port, path, options);
    expect(answer).toMatchObject({ status, body: "" });
    expect(JSON.stringify(answer.headers)).not.toContain(TOKEN);
    expect(server.listeners()).toBe(0);
  });

  it("says to who has not the token where the address is printed, and not what it is", async () => {
    const { port, server } = await serve();
    const answer = await ask(port, "/another-token/");
    expect(answer).toMatchObject({ status: 404, headers: { "content-type": "text/plain; charset=utf-8" } });
    expect(answer.body).toContain("lbbench prints it in its terminal");
    expect(JSON.stringify(answer)).not.toContain(TOKEN);
    expect(server.listeners()).toBe(0);
  });

  it("asks for patience while there is nothing to show, and survives a page that cannot be drawn", async () => {
    const { port, content } = await serve();
    content.page = null;
    const body = expect.stringContaining("not begun") as string;
    expect(await ask(port)).toMatchObject({ status: 503, headers: { refresh: "1" }, body });
    const get = (): never => {
      throw new Error("no");
    };
    Object.defineProperty(content, "page", { get });
    expect((await ask(port)).status).toBe(500);
    expect((await ask(port, "/")).status).toBe(404);
  });

  it("tells who comes late what there is, and then only what is new", async () => {
    const { port, content, server } = await serve();
    content.panel = { step: "three" };
    const step = (index: number, ...seconds: readonly TimelineSecond[]): LiveSeconds => {
      return { index, target: `target ${index}`, load: "50", seconds };
    };
    content.seconds = [step(2, aSecond(0)), step(3, aSecond(0))];
    content.main = { steps: 3, html: "three" };
    const page = await listen(port, `/${TOKEN}/events`);
    const panel = { event: "panel", data: { step: "three" } };
    const first = [
      panel,
      { event: "seconds", data: step(2, aSecond(0)) },
      { event: "seconds", data: step(3, aSecond(0)) },
      { event: "main", id: "3", data: { html: "three" } },
    ];
    await expect.poll(page.events, PATIENCE).toEqual(first);
    content.seconds = [step(2, aSecond(0)), step(3, aSecond(0), aSecond(1))];
    server.push();
    server.push();
    content.seconds = [step(3, aSecond(0), aSecond(1), aSecond(2)), step(4)];
    // What looks like the end of a message stays in its message.
    content.main = { steps: 4, html: "a\n\nevent: done\ndata: {}\n\n</script>\r\n" };
    server.push();
    await expect
      .poll(() => page.events().slice(4), PATIENCE)
      .toEqual([
        panel,
        { event: "seconds", data: step(3, aSecond(1)) },
        panel,
        panel,
        { event: "seconds", data: step(3, aSecond(2)) },
        { event: "seconds", data: step(4) },
        { event: "main", id: "4", data: { html: content.main.html } },
      ]);
  });

  it.each([
    ["?steps=2", {}, ["panel", "main"]],
    ["?steps=%00x", {}, ["panel", "main"]],
    ["?steps=3", {}, ["panel"]],
    ["?steps=1", { "Last-Event-ID": "3" }, ["panel"]],
  ])("sends to who asks by %s and %j, three steps being done: %j", async (query, headers, told) => {
    const { port, content } = await serve();
    content.main = { steps: 3, html: "three" };
    const page = await listen(port, `/${TOKEN}/events${query}`, headers);
    await expect.poll(() => page.events().map(({ event }) => event), PATIENCE).toEqual(told);
  });

  it("lets a few pages listen at a time, and is not kept from its reader by them, or by silent connections", async () => {
    const { port, server } = await serve();
    const pages = await Promise.all(Array.from({ length: 8 }, () => listen(port, `/${TOKEN}/events`)));
    expect(server.listeners()).toBe(8);
    expect(await ask(port, `/${TOKEN}/events`)).toMatchObject({ status: 503, body: "" });
    const silent = Array.from({ length: 80 }, () => net.connect({ host: "127.0.0.1", port }).on("error", () => {}));
    onTestFinished(() => silent.forEach((socket) => socket.destroy()));
    await Promise.all(silent.map((socket) => once(socket, "connect")));
    expect((await ask(port)).status).toBe(200);
    pages[0]?.leave();
    await expect.poll(server.listeners, PATIENCE).toBe(7);
    await listen(port, `/${TOKEN}/events`);
    expect(server.listeners()).toBe(8);
  });

  it("keeps nothing for a page that does not read, and tells it what is true when it reads again", async () => {
    const { port, server, content } = await serve();
    const socket = await listenWithoutReading(port, server);
    const large = "x".repeat(1_000_000);
    const before = process.memoryUsage().external + process.memoryUsage().heapUsed;
    for (let steps = 1; steps <= 300; steps += 1) {
      content.panel = { progress: String(steps) };
      content.main = { steps, html: `${large}${steps}` };
      server.push();
    }
    // All that was pushed is 300 MB.
    expect(process.memoryUsage().external + process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000);
    let read = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => (read = `${read}${chunk}`.slice(-3_000_000)));
    await expect.poll(() => read.includes(`${large.slice(0, 100)}300"`), PATIENCE).toBe(true);
    expect(read.match(/event: main/g)?.length).toBeLessThan(10);
  });

  it("waits at the end for a page that does not read, though not for long", async () => {
    const { port, server, content } = await serve(50);
    await listenWithoutReading(port, server);
    content.ending = { event: "done", main: { steps: 1, html: "x".repeat(20_000_000) }, file: "" };
    await server.close();
    await expectClosed([port]);
  });

  it("tells the end to who comes after it, and says what is wrong with a port that is taken", async () => {
    const { port, content, server } = await serve();
    content.ending = { event: "ended" };
    const page = await listen(port, `/${TOKEN}/events`);
    await page.closed;
    expect(page.events().map(({ event }) => event)).toEqual(["panel", "ended"]);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/a-token\/$/);
    await expect(serve(1, port)).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});
