import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Server } from "../plugin.js";
import { builtInServers } from "../servers/built-in-servers.js";
import { startPlugin } from "../testing/server-contract.js";
import { builtEntry } from "./fork.js";
import { findListeners } from "./listen.js";
import { processTree } from "./proc.js";
import { startUsageSampler, stepUsage } from "./usage.js";

const CLUSTER = fileURLToPath(new URL("./test-support/cluster-of-two.mjs", import.meta.url));

/** Starts a cluster that is not ours; resolves with its pid and URL when both workers listen. */
async function startCluster(policy: string): Promise<{ readonly pid: number; readonly url: string }> {
  const program = fork(CLUSTER, { env: { ...process.env, NODE_CLUSTER_SCHED_POLICY: policy } });
  const gone = once(program, "exit");
  onTestFinished(async () => {
    program.disconnect();
    await gone;
  });
  const [port] = (await once(program, "message")) as [number];
  return { pid: program.pid ?? -1, url: `http://localhost:${port}/` };
}

async function listenAt(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

describe.runIf(process.platform === "linux")("who listens at a port of the loopback", () => {
  it.each(["rr", "none"])("is the primary of a cluster of two, which share the socket by policy %s", async (policy) => {
    const { pid, url } = await startCluster(policy);
    expect(await findListeners(url)).toEqual([{ pid, name: "node", tree: true }]);
    expect(processTree(pid)).toHaveLength(3);
  });

  it.each([
    ["127.0.0.1", "localhost"],
    ["0.0.0.0", "127.0.0.1"],
    ["::", "127.0.0.1"],
    ["::1", "[::1]"],
  ])(
    "is found where it listens at %s and is asked for at %s, without what it starts if that is we",
    async (at, host) => {
      const port = await listenAt(at);
      expect(await findListeners(`http://${host}:${port}`)).toEqual([{ pid: process.pid, name: "node", tree: false }]);
    },
  );

  it("is nobody at a port that is free, nor at the same one of another machine", async () => {
    const port = await listenAt("127.0.0.1");
    for (const url of [`http://192.0.2.1:${port}`, `http://[::1]:${port}`, "http://127.0.0.1:1"]) {
      expect(await findListeners(url)).toEqual([]);
    }
  });

  it.runIf(process.getuid?.() === 0)("is nobody where it belongs to another user", async () => {
    const port = await listenAt("127.0.0.1");
    const script = `import(${JSON.stringify(builtEntry(import.meta.url, "./listen.js"))}).then(async ({ findListeners }) => {
      process.setgid(65534);
      process.setuid(65534);
      console.log(JSON.stringify(await findListeners("http://127.0.0.1:${port}")));
    })`;
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", script]);
    expect(stdout).toBe("[]\n");
  });

  it("is watched with its workers by a target that is a URL, and said to be found", async () => {
    const { pid, url } = await startCluster("rr");
    const running = await startPlugin(builtInServers.get("url") as Server, { url });
    expect(running.processes).toEqual([{ pid, name: "node", role: "backend", tree: true, found: true }]);
    const { end } = await startUsageSampler(running.processes);
    const window = { ...(await end()), windowMs: 1000 };
    const { backends = [], bottleneck } = stepUsage(window, []);
    expect(backends).toMatchObject([{ pid, found: true, descendants: [{ name: "node" }, { name: "node" }] }]);
    expect(bottleneck).not.toBe("unknown");
  });
});
