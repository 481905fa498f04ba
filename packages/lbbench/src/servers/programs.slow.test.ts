import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, vi } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
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

describe.runIf(needs("nginx"))("nginx as a command", () => {
  // The folder for temporary files of these tests is closed to others.
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const CONF = `${user} daemon off; pid nginx.pid; error_log stderr; events {}
http {
  client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e;
  server { listen 127.0.0.1:{port}; root "{folder}"; index page.html; }
}`;
  const startWith = (files: object) =>
    startBuiltIn("command", { command: "nginx -p {folder} -e stderr -c nginx.conf", files });

  it("finds its files in a folder of its own, which is gone with it, and its port in them", async () => {
    const files = { "nginx.conf": fileWith(CONF, "a.conf"), "page.html": fileWith("a page", "b.html") };
    const { url, processes, stop } = await startWith(files);
    expect(await requestOnce(url)).toMatchObject({ status: 200, body: "a page" });
    expect(processes).toMatchObject([{ role: "backend", name: "nginx", tree: true }]);
    await stop();
    expect(temporary.content().filter((name) => !name.startsWith("lbbench-test-"))).toEqual([]);
  });

  it("says which file cannot be read, and what nginx has against it", async () => {
    await expect(startWith({ "nginx.conf": "no-such.conf" })).rejects.toThrow(
      /no-such\.conf, but got: .*ENOENT.*"files"/,
    );
    await expect(startWith({ "nginx.conf": fileWith("htp {}", "a.conf") })).rejects.toThrow('unknown directive "htp"');
  });
});
