import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type ConnectBare, findBareConnect } from "./bare-socket.js";
import { type ConnectionSocket, type DirectAccess, findDirectAccess, READ_BYTES } from "./connection.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { serve } from "@lbbench/test-support/servers.js";
import { Recorder } from "./test-support/recorder.js";

const access = (await findDirectAccess()) as DirectAccess;
const connectBare = (await findBareConnect()) as ConnectBare;
const MEMORY = Buffer.allocUnsafeSlow(READ_BYTES);

type Client = Recorder<ConnectionSocket>;

function open(host: string, port: number): Client {
  const socket = connectBare({ host, port }, () => client.attach(MEMORY));
  const client: Client = new Recorder(socket, access);
  onTestFinished(() => client.destroy());
  return client;
}

/** A connection to a server, with both ends. */
async function pair() {
  const server = createServer({ allowHalfOpen: true });
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const client = open("127.0.0.1", (await serve(server)).port);
  await expectSoon(() => client.socket.connecting).toBe(false);
  return { client, server: (await accepted)[0] };
}

describe("a bare connection", () => {
  it("sends and receives, knows whom it speaks with, and hears that the other side has ended", async () => {
    const { client, server } = await pair();
    server.on("data", (piece) => server.write(`<${piece.toString()}>`));
    expect(client.writeText("one")).toBe(true);
    await expectSoon(() => client.text).toBe("<one>");
    client.writeAll([Buffer.from("t"), Buffer.from("wo")]);
    await expectSoon(() => client.text).toBe("<one><two>");
    expect(client.socket.remoteAddress).toBe("127.0.0.1");
    server.end();
    await expectSoon(() => client.events).toEqual(["end"]);
    expect(client.socket.remoteAddress).toBe("127.0.0.1");
    client.destroy();
    client.resume();
    expect(client.events).toEqual(["end"]);
    await expectSoon(() => client.events).toEqual(["end", "closed"]);
    expect([client.error, client.socket.remoteAddress]).toEqual([undefined, undefined]);
  });

  it("reads no more when it is told to stop, until it goes on", async () => {
    const all = 3_000_000;
    const { client, server } = await pair();
    let bytes = 0;
    let goesOn = false;
    client.bytesDo = ({ length }) => {
      bytes += length;
      return goesOn;
    };
    server.end(Buffer.alloc(all, "x"));
    await expectSoon(() => bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(MEMORY.length);
    goesOn = true;
    client.resume();
    client.resume();
    await expectSoon(() => client.events).toEqual(["end"]);
    expect(bytes).toBe(all);
  });

  it("says that more was written than the kernel takes, and when that was sent", async () => {
    const { client, server } = await pair();
    const piece = Buffer.alloc(1_000_000, "x");
    let pieces = 1;
    while (client.writeBytes(piece)) pieces += 1;
    let received = 0;
    server.on("data", ({ length }) => (received += length));
    await expectSoon(() => received).toBe(pieces * piece.length);
    await expectSoon(() => client.events).toEqual(["drained"]);
  });

  it.each<[string, (server: Socket, client: Client) => void, mine: string | undefined, theirs: string]>([
    ["a reset", (server) => server.resetAndDestroy(), "ECONNRESET", ""],
    ["its own end", (_, client) => client.end(), undefined, "end"],
    ["its own reset", (_, client) => client.reset(), undefined, "ECONNRESET"],
  ])("is closed by %s", async (_, act, mine, theirs) => {
    const { client, server } = await pair();
    let seen = "";
    server.on("error", ({ code }: NodeJS.ErrnoException) => (seen += code)).on("end", () => (seen += "end"));
    server.resume();
    act(server, client);
    await expectSoon(() => client.events).toEqual(["closed"]);
    expect(client.error?.code).toBe(mine);
    await expectSoon(() => seen).toBe(theirs);
  });

  it("that is refused or impossible says so, and one that is closed before it is there says nothing else", async () => {
    const server = createServer();
    const { port, close } = await serve(server);
    await close();
    const refused = open("127.0.0.1", port);
    await expectSoon(() => refused.events).toEqual(["closed"]);
    expect(refused.error).toMatchObject({ code: "ECONNREFUSED", syscall: "connect" });
    const unable = open("no address", port);
    await expectSoon(() => unable.events).toEqual(["closed"]);
    expect(unable.error).toMatchObject({ code: "EINVAL", syscall: "connect" });
    const early = open("127.0.0.1", port);
    early.destroy();
    early.attach(MEMORY);
    await expectSoon(() => early.events).toEqual(["closed"]);
    expect(early.error).toBeUndefined();
  });

  it("goes to an address of IPv6, where there is one", async () => {
    const server = createServer((socket) => socket.end("six"));
    const isThere = await new Promise((resolve) => {
      server.once("error", () => resolve(false)).listen(0, "::1", () => resolve(true));
    });
    onTestFinished(() => void server.close());
    if (isThere === false) return;
    const { port } = server.address() as { readonly port: number };
    const client = open("::1", port);
    await expectSoon(() => client.text).toBe("six");
  });
});

it("is not to be had where sockets do not show what they read with", async () => {
  vi.resetModules();
  const again = await import("./bare-socket.js");
  vi.spyOn(Object, "getOwnPropertySymbols").mockReturnValue([]);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await again.findBareConnect()).toBeUndefined();
});

it("leaves nothing open, as finding out how", async () => {
  const inUse = (): readonly string[] => process.getActiveResourcesInfo().filter((name) => name.startsWith("TCP"));
  await expectSoon(inUse).toEqual([]);
});
