import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import { readDocument } from "@lbbench/test-support/repository.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import type { RunningServer } from "../plugin.js";
import { acceptsConnections, followDescendants, runningOf } from "../testing/contract.js";
import { requestOnce } from "../testing/request-once.js";
import { BALANCER_PROGRAMS } from "./balancer-programs.js";
import { useOwnTemporaryFolder } from "./test-support/own-temporary-folder.js";
import { startAndWait } from "./test-support/start-and-wait.js";
import { startBuiltIn } from "./test-support/start-built-in.js";

const PATIENCE = { timeout: 60_000, interval: 20 };

const temporary = useOwnTemporaryFolder();

/** Writes a file that is there until the test ends; returns its path. */
function fileWith(text: string, name = "mine.template"): string {
  const path = `a test;{}'/${name}`;
  return join(temporaryFolder({ [path]: text }), path);
}

describe.each(BALANCER_PROGRAMS)("$name", ({ name }) => {
  it.runIf(needs(name)).each(["as soon as it serves", "as soon as there is a folder", "a moment later", "two later"])(
    "leaves no process, port, folder or shared memory when what starts it is killed %s",
    async (moment) => {
      const memory = sharedMemory();
      const descendants = followDescendants();
      const starter = startAndWait({ name, options: { backends: 1, tls: true } });
      const serves = moment === "as soon as it serves";
      const url = serves ? (await starter.started()).url : undefined;
      await vi.waitFor(() => expect(temporary.content()).toHaveLength(1), { ...PATIENCE, interval: 1 });
      // Moments of the start, whenever they are: nothing may be left in any of them.
      if (moment.includes("later")) await wait(Math.random() * (moment.startsWith("two") ? 100 : 20));
      const seen = await descendants.look();
      await starter.kill();
      await vi.waitFor(() => {
        expect(runningOf(seen)).toEqual([]);
        expect(temporary.content()).toEqual([]);
      }, PATIENCE);
      expect(url !== undefined && (await acceptsConnections(url))).toBe(false);
      expect(sharedMemory()).toEqual(memory);
    },
  );
});

/** What an Envoy that can be restarted hot leaves when it is killed. The names of other programs come and go. */
const sharedMemory = (): readonly string[] =>
  existsSync("/dev/shm") ? readdirSync("/dev/shm").filter((name) => name.startsWith("envoy")) : [];

/** The configuration of a user's own that docs/servers.md shows for a program. */
const shownFor = (program: string): string =>
  new RegExp(`\n\`\`\`${program}\n(.*?)\n\`\`\``, "s").exec(readDocument("docs/servers.md"))?.[1] ?? "";

const SHOWN = { nginx: "nginx", haproxy: "haproxy", caddy: "caddyfile", envoy: "envoy", traefik: "traefik" };

it.each(Object.entries(SHOWN).filter(([program]) => needs(program)))(
  "a template of the user's for %s, as the document shows it, is what it runs by; backends are counted, and drained",
  async (program, language) => {
    const running = await startBuiltIn(program, { backends: 2, workers: 2, template: fileWith(shownFor(language)) });
    expect(drainable(running)).toBe(2);
    await running.parts?.find(({ name }) => name === "backend-1")?.apply({ kind: "drain" });
    for (let sent = 0; sent < 4; sent += 1) expect((await requestOnce(running.url)).status).toBe(200);
    const counted = Object.values((await running.backends?.()) ?? {}).map(({ requests }) => requests);
    expect(counted).toEqual([0, 4]);
  },
);

const drainable = ({ parts = [] }: RunningServer) => parts.filter(({ can }) => can.includes("drain")).length;

it.each(
  [
    ["nginx", "nginx", "{{#down}} down{{/down}}", ""],
    ["haproxy", "haproxy", " level admin", ""],
    ["caddy", "caddyfile", "{{^down}} {{address}}{{/down}}", " {{address}}"],
  ].filter(([program = ""]) => needs(program)),
)(
  "a template of the user's for %s drains nothing without what that takes",
  async (program = "", language = "", what = "", instead = "") => {
    const text = shownFor(language);
    expect(text).toContain(what);
    const template = fileWith(text.replace(what, instead));
    const running = await startBuiltIn(program, { backends: 2, template });
    expect(drainable(running)).toBe(0);
    expect((await requestOnce(running.url)).status).toBe(200);
  },
);

it.runIf(needs("nginx"))("a template that puts nginx into the background is refused", async () => {
  const template = fileWith(`daemon on;\n${shownFor("nginx")}`);
  await expect(startBuiltIn("nginx", { backends: 1, template })).rejects.toThrow(/"daemon" directive is duplicate/);
});

it.runIf(needs("haproxy"))("a template that puts HAProxy into the background has it stay", async () => {
  const template = fileWith(shownFor("haproxy").replace("global", "global\n  daemon\n  master-worker"));
  const { url } = await startBuiltIn("haproxy", { backends: 1, template });
  expect((await requestOnce(url)).status).toBe(200);
});

describe.runIf(needs("caddy"))("a balancer of the user's, as a command", () => {
  const startWith = (more: object) =>
    startBuiltIn("command", {
      command: "caddy run --config {folder}/Caddyfile",
      templates: { Caddyfile: fileWith(shownFor("caddyfile").replace("{\n", "{\n\tadmin off\n"), "Caddyfile") },
      backends: 2,
      ...more,
    });

  it("has its backends started, counted and done faults to, and threads as it is told", async () => {
    const running = await startWith({ workers: 3 });
    const sum = async (): Promise<number> =>
      Object.values((await running.backends?.()) ?? {}).reduce((total, { requests }) => total + requests, 0);
    // It was asked whether it is ready.
    const before = await sum();
    for (let sent = 0; sent < 6; sent += 1) expect((await requestOnce(running.url)).status).toBe(200);
    expect((await sum()) - before).toBe(6);
    expect(running.processes.map(({ name, role }) => `${role} ${name}`)).toEqual([
      "balancer caddy",
      "backend backend-1",
      "backend backend-2",
    ]);
    expect(readFileSync(`/proc/${running.processes[0]?.pid}/environ`, "utf8")).toContain("GOMAXPROCS=3");
    const apply = (name: string, kind: "kill" | "start") =>
      running.parts?.find((part) => part.name === name)?.apply({ kind });
    await apply("balancer", "kill");
    await expect(requestOnce(running.url)).rejects.toThrow("ECONNREFUSED");
    await apply("balancer", "start");
    await apply("backend-2", "kill");
    await apply("backend-2", "start");
    expect((await requestOnce(running.url)).status).toBe(200);
  });

  it("names a template that cannot be read, or says what there is not", async () => {
    await expect(startWith({ templates: { Caddyfile: "no-such" } })).rejects.toThrow(/no-such, but got.*"templates"/);
    await expect(startWith({ templates: { Caddyfile: fileWith("{{prot}}") } })).rejects.toThrow(/got "prot"/);
  });
});

it.each(["wss", "WSS"])("a template of a command is told of TLS by the URL's scheme: %s", async (scheme) => {
  const told = fileWith("", "told");
  const script =
    "const [, from, to, port] = process.argv; require('fs').copyFileSync(from, to); require('net').createServer().listen(port)";
  await startBuiltIn("command", {
    command: ["node", "-e", script, "{folder}/mode", told, "{port}"],
    url: `${scheme}://127.0.0.1:{port}`,
    templates: { mode: fileWith("{{#tls}}by TLS{{/tls}}", "mode") },
  });
  expect(readFileSync(told, "utf8")).toBe("by TLS");
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
