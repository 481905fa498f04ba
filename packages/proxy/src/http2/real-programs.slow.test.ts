import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { needs } from "@lbbench/test-support/needs.js";
import { startProgram } from "@lbbench/test-support/run-program.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { startBalancer, startRawBackend } from "../test-support/servers.js";

const PROGRAMS = fileURLToPath(new URL("test-programs/", import.meta.url));

type Command = readonly [program: string, ...args: string[]];

let goFolder: string | undefined;
afterAll(() => goFolder !== undefined && rmSync(goFolder, { recursive: true }));

/** Builds the program in Go once for all tests of this file. */
async function goCommand(): Promise<Command> {
  if (goFolder === undefined) {
    goFolder = mkdtempSync(join(tmpdir(), "lbbench-test-go-"));
    await promisify(execFile)("go", ["build", "-buildvcs=false", "-o", goFolder, "."], { cwd: PROGRAMS });
  }
  return [join(goFolder, "peer")];
}

/** Each speaks gRPC by another implementation: grpc-go, the core in C of grpcio, grpc-js. */
const PEERS: Readonly<Record<string, () => Promise<Command>>> = {
  go: goCommand,
  python: async () => ["python3", join(PROGRAMS, "peer.py")],
  node: async () => [process.execPath, join(PROGRAMS, "peer.mjs")],
};
const NAMES = Object.keys(PEERS);
const PAIRS = NAMES.flatMap((client) => NAMES.map((server) => ({ client, server })));

async function commandOf(name: string): Promise<Command> {
  const command = await PEERS[name]?.();
  if (command === undefined) throw new Error(`expected one of ${NAMES.join(", ")}, got ${name}`);
  return command;
}

/** Starts a program as a server that ends with the test. */
async function startServer([program, ...args]: Command) {
  const { stdout, stderr } = startProgram(program, args, PROGRAMS);
  await expectSoon(() => stdout() + stderr()).toMatch(/\n/);
  const [, port] = /^port (\d+)$/m.exec(stdout()) ?? [];
  if (port === undefined) throw new Error(`expected the server's port, got: ${stderr()}`);
  return { port, stdout };
}

/** Runs a program as a client; returns what it prints. */
async function runClient([program, ...args]: Command): Promise<unknown> {
  const { code, stdout, stderr } = await startProgram(program, args, PROGRAMS).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

/** A `google.rpc.Status`: its code, its message, and one detail. */
function statusMessage(code: number, message: string): Buffer {
  const field = (number: number, bytes: Buffer) => Buffer.concat([Buffer.of(number * 8 + 2, bytes.length), bytes]);
  const detail = [field(1, Buffer.from("type.example/test.Reason")), field(2, Buffer.of(0, 1, 255))];
  return Buffer.concat([Buffer.of(8, code), field(2, Buffer.from(message)), field(3, Buffer.concat(detail))]);
}

describe.runIf(needs("go", "python3", "grpcio"))("gRPC of several implementations through the balancer", () => {
  it.each(PAIRS)("lets a client in $client make calls of every kind to a server in $server", async (pair) => {
    const server = await startServer([...(await commandOf(pair.server)), "serve"]);
    const balancer = await startBalancer({ backends: [{ url: `h2c://127.0.0.1:${server.port}` }] });
    const details = statusMessage(5, "as asked: ü").toString("hex");
    const client = await commandOf(pair.client);
    expect(await runClient([...client, "call", String(balancer.port), "5 as asked: ü", details])).toEqual({
      unary: { answer: "hello", leading: "with it", trailing: "with it", trailingBin: "00ff", deadline: "true" },
      down: Array.from({ length: 200 }, (_, at) => `1000 of ${at}`),
      up: "200000",
      both: Array.from({ length: 20 }, (_, at) => `round ${at}`),
      fail: { code: 5, message: "as asked: ü", details },
      deadline: 4,
    });
    await expectSoon(server.stdout).toContain("cancelled");
    await expectSoon(() => balancer.snapshot().backends[0]?.grpc).toMatchObject({ OK: 4, NOT_FOUND: 1 });
    await expectSoon(() => balancer.snapshot().backends[0]?.inFlight).toBe(0);
  });

  it.each(PAIRS)("shares the calls of one connection of $client out to four servers in $server", async (pair) => {
    const command = await commandOf(pair.server);
    const servers = await Promise.all(Array.from({ length: 4 }, () => startServer([...command, "serve"])));
    const backends = servers.map(({ port }) => ({ url: `h2c://127.0.0.1:${port}` }));
    const balancer = await startBalancer({ backends });
    let connections = 0;
    const counting = await startRawBackend((socket) => {
      connections += 1;
      socket.pipe(connect(balancer.port, "127.0.0.1")).pipe(socket);
    });
    const shares = await runClient([...(await commandOf(pair.client)), "share", String(counting.port), "402"]);
    const counts = servers.map(({ port }) => (shares as Readonly<Record<string, number>>)[port] ?? 0);
    expect(counts.reduce((sum, count) => sum + count)).toBe(402);
    for (const count of counts) expect(Math.abs(count - 402 / 4)).toBeLessThanOrEqual(1);
    expect(connections).toBe(1);
  });
});

describe.runIf(needs("go"))("net/http of Go through the balancer", () => {
  const RESULTS = [
    { status: 200, protocol: "HTTP/2.0", request: "GET /path HTTP/2.0", same: true, length: "0", trailer: "" },
    {
      status: 200,
      protocol: "HTTP/2.0",
      request: "POST /path HTTP/2.0",
      same: true,
      length: "500000",
      trailer: "behind it",
    },
  ];

  it("has bodies and trailers both ways over HTTP/2 without TLS", async () => {
    const go = await goCommand();
    const { port } = await startServer([...go, "serve-http"]);
    const balancer = await startBalancer({ backends: [{ url: `h2c://127.0.0.1:${port}` }] });
    expect(await runClient([...go, "call-http", balancer.url])).toEqual(RESULTS);
  });

  it("has them over HTTP/2 that both sides choose by ALPN", async () => {
    const go = await goCommand();
    const folder = temporaryFolder({ "cert.pem": LOCALHOST.cert, "key.pem": LOCALHOST.key });
    const { port } = await startServer([...go, "serve-http", join(folder, "cert.pem"), join(folder, "key.pem")]);
    const balancer = await startBalancer({
      backends: [{ url: `https://127.0.0.1:${port}` }],
      tls: LOCALHOST,
      backendTls: { ca: LOCALHOST.cert },
    });
    expect(await runClient([...go, "call-http", balancer.url])).toEqual(RESULTS);
  });
});
