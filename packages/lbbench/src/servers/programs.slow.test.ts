import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { needs } from "../../test/support/needs.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import type { Server } from "../plugin.js";
import { acceptsConnections, followDescendants, runningOf } from "../testing/contract.js";
import { serverContract } from "../testing/server-contract.js";
import { builtInServers } from "./built-in-servers.js";
import { occupyPort } from "./test-support/occupied-port.js";
import { useOwnTemporaryFolder } from "./test-support/own-temporary-folder.js";
import { requestOnce } from "./test-support/request-once.js";
import { startBuiltIn } from "./test-support/start-built-in.js";

const PATIENCE = { timeout: 60_000, interval: 20 };
const START_AND_WAIT = fileURLToPath(new URL("./test-support/start-and-wait.mjs", import.meta.url));

const temporary = useOwnTemporaryFolder();
// Cases are made before hooks run, and their options name this.
const occupied = await occupyPort();
afterAll(() => occupied.free());

/** Writes a file that is there until the test ends; returns its path. */
function fileWith(text: string, name = "mine.template"): string {
  const path = `a test;{}'/${name}`;
  return join(temporaryFolder({ [path]: text }), path);
}

describe.each([
  { program: "nginx", name: "nginx", options: { backends: 1 } },
  { program: "nginx", name: "nginx-static", options: { workers: 2 } },
  { program: "haproxy", name: "haproxy", options: { backends: 1 } },
])("server $name", ({ program, name, options }) => {
  const failing = (when: string, more: object, ...says: readonly string[]) => {
    return { when, options: () => ({ ...options, ...more }), says };
  };
  const contract = serverContract(builtInServers.get(name) as Server, {
    options: () => options,
    failing: [
      failing("its port is in use", { port: occupied.port }, program, String(occupied.port), "in use"),
      failing("it is not installed", { program: "no-such" }, '("no-such") was not found', `apt-get install ${program}`),
      failing("the program is another one", { program: "/bin/false" }, program, "exit code 1"),
      failing("there is no such template", { template: "no-such.conf" }, "no-such.conf", "ENOENT", "template"),
    ],
  });
  it.runIf(needs(program)).each(contract)("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
    expect(temporary.content()).toEqual([]);
  });

  it.runIf(needs(program)).each(["it serves", "there is a folder"])(
    "leaves no process, port or folder when the program that starts it is killed as soon as %s",
    async (moment) => {
      const descendants = followDescendants();
      const starter = fork(START_AND_WAIT, { execArgv: [] });
      starter.send({ name, options });
      const url = moment === "it serves" ? ((await once(starter, "message")) as [{ url: string }])[0].url : undefined;
      await vi.waitFor(() => expect(temporary.content()).toHaveLength(1), { ...PATIENCE, interval: 1 });
      const seen = await descendants.look();
      starter.kill("SIGKILL");
      await once(starter, "exit");
      await vi.waitFor(() => {
        expect(runningOf(seen)).toEqual([]);
        expect(temporary.content()).toEqual([]);
      }, PATIENCE);
      expect(url !== undefined && (await acceptsConnections(url))).toBe(false);
    },
  );
});

const templateFor = (program: string): string =>
  readFileSync(new URL(`./test-support/${program}.template`, import.meta.url), "utf8");

describe.each([
  { program: "nginx", bad: "evnts {}", says: [/unknown directive "evnts"/, /is: evnts {}/] },
  { program: "nginx", bad: `daemon on;\n${templateFor("nginx")}`, says: [/"daemon" directive is duplicate/] },
  { program: "haproxy", bad: "globl\n", says: [/\[haproxy\.cfg:1\]/, /is: globl/] },
])("a template of the user's for $program", ({ program, bad, says }) => {
  const startWith = (template: string) =>
    startBuiltIn(program, { backends: 2, workers: 2, template: fileWith(template) });

  it.runIf(needs(program))("is what it runs by, in the foreground; its backends are asked for counts", async () => {
    const { url, backends } = await startWith(templateFor(program));
    for (const _ of [1, 2]) expect((await requestOnce(url)).headers["x-mine"]).toBe("2");
    expect(await backends?.()).toEqual({ "backend-1": { requests: 1 }, "backend-2": { requests: 1 } });
  });

  it.runIf(needs(program))("is refused with the program's own words, and the line that is not understood", async () => {
    const failing = startWith(bad);
    for (const words of says) await expect(failing).rejects.toThrow(words);
    await expect(startWith("{{prot}}")).rejects.toThrow(/mine\.template cannot be used.*got "prot"/);
  });
});

describe.runIf(needs("nginx"))("nginx-static", () => {
  it.each([
    [{}, 1024],
    [{ size: "0" }, 0],
    [{ size: "100kB" }, 102_400],
  ])("serves a file of a size at /: %o", async (options, bytes) => {
    const { url, processes } = await startBuiltIn("nginx-static", options);
    const { status, body, headers } = await requestOnce(url);
    expect([status, body.length, headers["content-type"]]).toEqual([200, bytes, "text/html"]);
    expect(processes).toMatchObject([{ role: "backend", name: "nginx-static", tree: true }]);
  });

  it("serves the files of a folder, and nothing that is none", async () => {
    const { url } = await startBuiltIn("nginx-static", { root: join(fileWith("{}", "a.json"), "..") });
    const found = await requestOnce(new URL("/a.json", url));
    expect(found).toMatchObject({ status: 200, body: "{}", headers: { "content-type": "application/json" } });
    expect((await requestOnce(new URL("/b", url))).status).toBe(404);
    await expect(startBuiltIn("nginx-static", { root: "package.json" })).rejects.toThrow(/Expected a folder at .*root/);
  });

  it("closes a connection after as many requests as it was told", async () => {
    const { url } = await startBuiltIn("nginx-static", { keepAliveRequests: 2 });
    const socket = net.connect(Number(new URL(url).port), "127.0.0.1");
    let received = "";
    socket.on("data", (data: Buffer) => void (received += data.toString("latin1")));
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2));
    await once(socket, "end");
    expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(received.match(/Connection: close/g)).toHaveLength(1);
  });

  it("breaks when there are more connections at work than it may have", async () => {
    const { url } = await startBuiltIn("nginx-static", { clientConnections: 8 });
    const sockets = Array.from({ length: 40 }, () => net.connect(Number(new URL(url).port), "127.0.0.1"));
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    let closed = 0;
    for (const socket of sockets) {
      socket.on("error", () => {});
      socket.on("close", () => (closed += 1));
      socket.resume();
      // Half a request, so that the connection is not one that may be closed for another.
      socket.on("connect", () => socket.write("GET / HTTP/1.1\r\nHost: a\r\n"));
    }
    await vi.waitFor(() => expect(closed).toBeGreaterThanOrEqual(40 - 8), PATIENCE);
  });
});
