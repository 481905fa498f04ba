import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { needs } from "@lbbench/test-support/needs.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { balance } from "./test-support/balance.js";
import { type Command, expectCalls, NODE, PROGRAMS, runClient, startServer } from "./test-support/peers.js";

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
const PEERS: Readonly<Record<"go" | "python" | "node", () => Promise<Command>>> = {
  go: goCommand,
  python: async () => ["python3", join(PROGRAMS, "peer.py")],
  node: async () => NODE,
};
const NAMES = ["go", "python", "node"] as const;
// Those of Node alone: grpc.integration.test.ts.
const PAIRS = NAMES.flatMap((client) => NAMES.map((server) => ({ client, server }))).slice(0, -1);

describe.runIf(needs("go", "python3", "grpcio"))("gRPC of several implementations through the balancer", () => {
  it.each(PAIRS)("lets a client in $client make calls of every kind to a server in $server", async (pair) => {
    await expectCalls(await PEERS[pair.client](), await PEERS[pair.server]());
  });
});

describe.runIf(needs("go"))("net/http of Go through the balancer", () => {
  const EACH = { status: 200, protocol: "HTTP/2.0", same: true };
  const RESULTS = [
    { ...EACH, request: "GET /path HTTP/2.0", length: "0", trailer: "" },
    { ...EACH, request: "POST /path HTTP/2.0", length: "500000", trailer: "behind it" },
  ];

  it("has bodies and trailers both ways over HTTP/2 without TLS", async () => {
    const go = await goCommand();
    const { url } = await balance(startServer([...go, "serve-http"]));
    expect(await runClient([...go, "call-http", url])).toEqual(RESULTS);
  });

  it("has them over HTTP/2 that both sides choose by ALPN", async () => {
    const go = await goCommand();
    const folder = temporaryFolder({ "cert.pem": LOCALHOST.cert, "key.pem": LOCALHOST.key });
    const { port } = await startServer([...go, "serve-http", join(folder, "cert.pem"), join(folder, "key.pem")]);
    const options = { tls: LOCALHOST, backendTls: { ca: LOCALHOST.cert } };
    const { url } = await balance({ url: `https://127.0.0.1:${port}` }, options);
    expect(await runClient([...go, "call-http", url])).toEqual(RESULTS);
  });
});
