import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import type { RunningServer, Server } from "../plugin.js";
import { startServer } from "../testing/started-server.js";
import { builtInServers } from "./built-in-servers.js";

const HELLO_SERVER = fileURLToPath(new URL("./test-support/hello-server.mjs", import.meta.url));
const FAILS_WHEN_ASKED = `require("node:http").createServer((request, response) => {
  if (request.url === "/") return response.end("fine");
  console.error("the disk is full");
  process.exit(9);
}).listen(process.env.PORT, "127.0.0.1")`;

describe("a server that dies", () => {
  let running: RunningServer | undefined;
  afterEach(() => running?.stop());

  async function start(name: string, options: object): Promise<RunningServer> {
    running = await startServer(builtInServers.get(name) as Server, options);
    return running;
  }

  it.each([
    ["single", {}, "backend-1", "backend-1 ended with signal SIGKILL"],
    ["cluster", { workers: 2 }, "cluster primary", "cluster ended with signal SIGKILL"],
    ["cluster", { workers: 2 }, "cluster worker-2", /^cluster: worker \d+ ended with signal SIGKILL/],
    ["balanced", { backends: 2 }, "backend-2", "backend-2 ended with signal SIGKILL"],
    ["balanced", { backends: 2 }, "balancer", "the balancer ended with signal SIGKILL"],
    ["command", { command: [process.execPath, HELLO_SERVER] }, process.execPath, /node ended with signal SIGKILL$/],
  ])("says so: %s %o, %s", async (name, options, victim, description) => {
    const { processes, died } = await start(name, options);
    const pid = processes.find((one) => one.name === victim)?.pid;
    expect(pid, processes.map((one) => one.name).join(", ")).toBeGreaterThan(0);
    process.kill(pid ?? 0, "SIGKILL");
    expect(await died).toMatch(description);
  });

  it("is quoted with its last lines and its exit code when it is a command", async () => {
    const { url, died } = await start("command", { command: [process.execPath, "-e", FAILS_WHEN_ASKED] });
    await fetch(new URL("/fail", url)).catch(() => {});
    expect(await died).toMatch(/ended with exit code 9; it last printed:\n {2}the disk is full$/);
  });
});
