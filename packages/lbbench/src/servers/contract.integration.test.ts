import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { Server } from "../plugin.js";
import { processTree } from "../system/proc.js";
import { startCountingServer } from "../testing/counting-servers.js";
import { type FailingStart, serverContract, type ServerContractSubject } from "../testing/server-contract.js";
import { acceptsConnections, runningOf } from "../testing/contract.js";
import { builtInServers } from "./built-in-servers.js";
import { occupyPort } from "./test-support/occupied-port.js";
import { startAndWait } from "./test-support/start-and-wait.js";

const HELLO = [process.execPath, fileURLToPath(new URL("./test-support/hello-server.mjs", import.meta.url))];
const node = (script: string): readonly string[] => [process.execPath, "-e", script];
const PATIENCE = { timeout: 60_000, interval: 20 };

// Cases are made before hooks run, and their options name these.
const occupied = await occupyPort();
const running = await startCountingServer();
afterAll(async () => {
  await occupied.free();
  await running.close();
});

/** The smallest of each server that needs Node alone and is not in `contract.slow.test.ts`. */
const SMALLEST: Readonly<Record<string, object>> = {
  single: {},
  command: { command: HELLO },
};

const failing = (when: string, options: object, ...says: readonly (string | RegExp)[]): FailingStart => ({
  when,
  options: () => options,
  says,
});

const atUrl = (url: string): FailingStart =>
  failing(`nothing listens at ${url}`, { url }, `answers at ${url}, but got: connect ECONNREFUSED`, "Is it running");

const FAILING: Readonly<Record<string, readonly FailingStart[]>> = {
  command: [
    failing("there is no such program", { command: "no-such --port {port}" }, "no-such --port", "ENOENT"),
    failing("there is no such folder", { command: HELLO, cwd: "/no/such" }, "/no/such", "is the folder right"),
    failing(
      "the program ends at once",
      { command: node("console.log('reading'); console.error('no licence found'); process.exit(7)") },
      "exit code 7",
      "reading",
      "no licence found",
    ),
    failing("the program is killed", { command: node("process.kill(process.pid, 'SIGABRT')") }, "signal SIGABRT"),
    failing(
      "the program never becomes ready",
      { command: node("console.log('waiting'); setInterval(() => {}, 1000)"), readyTimeoutMs: 500 },
      /nothing answered at http:\/\/127\.0\.0\.1:\d+\/ within 500 ms/,
      "PORT",
    ),
  ],
};

describe.each(Object.entries(SMALLEST))("server %s", (name, options) => {
  const portInUse = failing(
    "its port is in use",
    { ...options, port: occupied.port },
    String(occupied.port),
    /in use/i,
  );
  const subject: ServerContractSubject = { options: () => options, failing: [portInUse, ...(FAILING[name] ?? [])] };
  it.each(serverContract(builtInServers.get(name) as Server, subject))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe("server url", () => {
  const subject: ServerContractSubject = {
    options: () => ({ url: running.url }),
    owns: false,
    failing: ["http://127.0.0.1:1", "grpc://127.0.0.1:1", "grpcs://127.0.0.1:1", "ws://127.0.0.1:1"].map(atUrl),
  };
  it.each(serverContract(builtInServers.get("url") as Server, subject))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

const WATCHED: readonly (readonly [name: string, options: object])[] = [
  ["balanced", { backends: 1 }],
  ["command", { command: HELLO }],
];

describe.each(WATCHED)("when the program that started it is killed, server %s", (name, options) => {
  it("leaves neither process nor port", async () => {
    const program = startAndWait({ name, options });
    const { url, pids } = await program.started();
    const tree = processTree(program.pid);
    expect(tree).toEqual(expect.arrayContaining([...pids]));
    await program.kill();
    await vi.waitFor(() => expect(runningOf([...tree, ...pids])).toEqual([]), PATIENCE);
    expect(await acceptsConnections(url)).toBe(false);
  });

  it("leaves nothing while it starts, either", async () => {
    const program = startAndWait({ name, options });
    const seen = new Set([program.pid]);
    const look = (): void => {
      for (const pids of [...seen].map((pid) => processTree(pid))) for (const pid of pids) seen.add(pid);
    };
    while (seen.size < 2) {
      await new Promise(setImmediate);
      look();
    }
    await program.kill();
    await vi.waitFor(() => {
      // Those that were started last have yet to start others.
      look();
      expect(runningOf(seen)).toEqual([]);
    }, PATIENCE);
  });
});
