import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { startCountingServer } from "../testing/counting-server.js";
import type { FailingStart } from "../testing/failing-start.js";
import { serverContract } from "../testing/server-contract.js";
import type { Server } from "../plugin.js";
import { balancedServer } from "./balanced.js";
import { clusterServer } from "./cluster.js";
import { commandServer } from "./command.js";
import { grpcGatewayServer } from "./grpc-gateway.js";
import { grpcServer } from "./grpc.js";
import { poolServer } from "./pool.js";
import { singleServer } from "./single.js";
import { occupyPort } from "./test-support/occupied-port.js";
import { urlServer } from "./url.js";

const HELLO_SERVER = fileURLToPath(new URL("./test-support/hello-server.mjs", import.meta.url));
const node = (script: string): readonly string[] => [process.execPath, "-e", script];

// Cases are made before hooks run, and their options name these.
const occupied = await occupyPort();
const running = await startCountingServer();
afterAll(async () => {
  await occupied.free();
  await running.close();
});

const portInUse = (options: object): FailingStart => ({
  when: "its port is in use, also where that is found late",
  options: () => ({ ...options, port: occupied.port }),
  says: [/port|address/i, String(occupied.port), /in use/i],
});

describe("server single", () => {
  it.each(
    serverContract(singleServer as Server, {
      options: () => ({}),
      failing: [portInUse({})],
    }),
  )("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe("server cluster", () => {
  it.each(
    serverContract(clusterServer as Server, {
      options: () => ({ workers: 2 }),
      failing: [portInUse({ workers: 2 })],
    }),
  )("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe("server pool", () => {
  it.each(
    serverContract(poolServer as Server, {
      options: () => ({ pool: 2 }),
      failing: [portInUse({ pool: 2 })],
    }),
  )("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe("server grpc", () => {
  it.each(
    serverContract(grpcServer as Server, {
      options: () => ({}),
      failing: [portInUse({})],
    }),
  )("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe("server grpc-gateway", () => {
  it.each(
    serverContract(grpcGatewayServer as Server, {
      options: () => ({}),
      failing: [portInUse({})],
    }),
  )("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe.each([
  { mode: "http", transport: "undici" },
  { mode: "http", transport: "http-proxy" },
  { mode: "tcp", policy: "power-of-two-choices:seed:1" },
])("server balanced %o", (how) => {
  it.each(
    serverContract(balancedServer as Server, {
      options: () => ({ ...how, backends: 2 }),
      failing: [portInUse({ ...how, backends: 2 })],
    }),
  )("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe("server balanced over a cluster and a balancer of its own", () => {
  const backends = [
    { server: "cluster", options: { workers: 2 } },
    { name: "inner", server: "balanced", options: { backends: 2 } },
  ];
  it.each(
    serverContract(balancedServer as Server, {
      options: () => ({ backends }),
      failing: [
        {
          when: "what is to stand behind it cannot be started",
          options: () => ({
            backends: [...backends, { name: "third", server: "single", options: { port: occupied.port } }],
          }),
          says: ["third", /in use/i],
        },
      ],
    }),
  )("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe("server url", () => {
  it.each(
    serverContract(urlServer as Server, {
      options: () => ({ url: running.url }),
      owns: false,
      failing: [
        {
          when: "nothing listens there",
          options: () => ({ url: "http://127.0.0.1:1/" }),
          says: ["http://127.0.0.1:1", "ECONNREFUSED", "Is it running"],
        },
      ],
    }),
  )("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe("server command", () => {
  it.each(
    serverContract(commandServer as Server, {
      options: () => ({ command: [process.execPath, HELLO_SERVER] }),
      failing: [
        {
          when: "there is no such program",
          options: () => ({ command: "no-such-program-of-lbbench --port {port}" }),
          says: ["no-such-program-of-lbbench --port", "ENOENT", "Is the program installed"],
        },
        {
          when: "there is no such folder",
          options: () => ({ command: [process.execPath], cwd: "/no/such/folder" }),
          says: ["/no/such/folder", "is the folder right"],
        },
        {
          when: "the program ends at once",
          options: () => ({
            command: node("console.log('reading'); console.error('no licence found'); process.exit(7)"),
          }),
          says: ["exit code 7", "reading", "no licence found"],
        },
        {
          when: "the program is killed",
          options: () => ({ command: node("process.kill(process.pid, 'SIGABRT')") }),
          says: ["signal SIGABRT"],
        },
        {
          when: "the program never becomes ready",
          options: () => ({
            command: node("console.log('waiting for the database'); setInterval(() => {}, 1000)"),
            readyTimeoutMs: 3000,
          }),
          says: ["nothing answered at http://127.0.0.1:", "within 3000 ms", "waiting for the database", "PORT"],
        },
        portInUse({ command: [process.execPath, HELLO_SERVER] }),
      ],
    }),
  )("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe.runIf(hasPython)("server command with a program of another language", () => {
  it.each(
    serverContract(commandServer as Server, {
      options: () => ({ command: "python3 -m http.server {port} --bind 127.0.0.1", cwd: import.meta.dirname }),
      failing: [
        {
          when: "the program does not understand its arguments",
          options: () => ({ command: "python3 -m http.server --no-such-flag" }),
          says: ["exit code 2", "--no-such-flag"],
        },
      ],
    }),
  )("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
