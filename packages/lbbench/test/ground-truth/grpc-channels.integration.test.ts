import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import { grpcEngine } from "../../src/engines/grpc/engine.js";
import type { GeneratorProcess, Load } from "../../src/plugin.js";
import { expectConservation } from "./expect-accounts.js";
import { startGrpcTruthServer, type GrpcTruthServer } from "./grpc-server.js";
import { aContext, aLoad } from "./load.js";

const CERTIFICATE = fileURLToPath(new URL("../fixtures/localhost-cert.pem", import.meta.url));
/** Self-signed, for localhost and 127.0.0.1, valid for a hundred years; good for nothing but tests. */
const IDENTITY = {
  key: readFileSync(new URL("../fixtures/localhost-key.pem", import.meta.url)),
  cert: readFileSync(CERTIFICATE),
};

let server: GrpcTruthServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe("engine grpc opens", () => {
  const children = createChildPool("generator");
  afterAll(() => children.close());

  it.each<[string, Load["options"], number, number, number, number]>([
    ["four channels by itself", {}, 50, 1, 4, 1],
    ["as many as it is told", { channels: 9 }, 50, 1, 9, 1],
    ["one for each user", { channels: 50 }, 50, 3, 50, 3],
    ["no more than there are users", { channels: 9 }, 2, 3, 2, 2],
    ["all of them from several generators", { channels: 5 }, 50, 3, 5, 3],
    ["no generator without one", { channels: 2 }, 50, 3, 2, 2],
  ])("%s: %j for %i users from %i generators", async (_, options, users, generators, channels, used) => {
    server = await startGrpcTruthServer(() => ({ end: "OK" }));
    const load = aLoad(server.url, { connections: users, requests: 300 }, { generators, options });
    const run = await grpcEngine.run(load, aContext(children));
    expect(run.measurement.connections).toEqual({ asked: channels, opened: channels, established: channels });
    expect(run.measurement.requests).toMatchObject({ sent: 300, ok: 300 });
    expect(run.generators).toHaveLength(used);
    expect(server.log).toMatchObject({ accepted: channels, calls: 300 });
    expectConservation(run.measurement);
  });
});

describe("engine grpc under control:", () => {
  const children = createChildPool("generator");
  afterAll(() => children.close());
  const LONG = { connections: 10, durationMs: 3_600_000 };

  it.each([1, 3])("an abort ends a run on %i generators, which can be used again", async (generators) => {
    const abort = new AbortController();
    const used: GeneratorProcess[] = [];
    server = await startGrpcTruthServer((number) => {
      if (number === 300) abort.abort();
      return { end: "OK", delayMs: 5 };
    });
    const first = await grpcEngine.run(
      aLoad(server.url, LONG, { generators }),
      aContext(children, { signal: abort.signal, onStart: (processes) => void used.push(...processes) }),
    );
    await server.drained();
    expect(first.targetGone).toBe(false);
    expect(first.measurement.requests.inFlight).toBeLessThanOrEqual(10);
    expectConservation(first.measurement);
    const callsBefore = server.log.calls;
    const again = await grpcEngine.run(
      aLoad(server.url, { connections: 10, requests: 100 }, { generators }),
      aContext(children),
    );
    expect(again.measurement.requests).toMatchObject({ sent: 100, ok: 100 });
    expect(server.log.calls).toBe(callsBefore + 100);
    expect(again.generators.map(({ pid }) => pid)).toEqual(used.map(({ pid }) => pid));
  });

  it("the death of one of three generators ends the run with an error, and the others stop", async () => {
    const used: GeneratorProcess[] = [];
    server = await startGrpcTruthServer((number) => {
      if (number === 300 && used[0] !== undefined) process.kill(used[0].pid, "SIGKILL");
      return { end: "OK", delayMs: 5 };
    });
    const context = aContext(children, { onStart: (processes) => void used.push(...processes) });
    const run = grpcEngine.run(aLoad(server.url, LONG, { generators: 3 }), context);
    await expect(run).rejects.toThrow(/generator-\d.*ended unexpectedly with signal SIGKILL/);
    await server.drained();
  });

  it.each<[string, Partial<Load>, string]>([
    ["a method that is not there", { options: { call: "lbbench.sample.Work/Done" } }, 'got "lbbench.sample.Work/Done"'],
    ["a file that is not there", { options: { proto: "none.proto" } }, "none.proto: ENOENT"],
    ["a URL of HTTP", { url: "http://127.0.0.1:1/" }, "expected a URL with a port, such as grpc://"],
  ])("%s is refused before a generator is started", async (_, load, message) => {
    server = await startGrpcTruthServer(() => ({ end: "OK" }));
    const onStart = vi.fn<() => void>();
    const run = grpcEngine.run(
      { ...aLoad(server.url, { connections: 1, requests: 1 }), ...load },
      aContext(children, { onStart }),
    );
    await expect(run).rejects.toThrow(message);
    expect(onStart).not.toHaveBeenCalled();
    expect(server.log.accepted).toBe(0);
  });
});

describe("engine grpc over TLS", () => {
  it("calls a server whose certificate it can verify", async () => {
    vi.stubEnv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", CERTIFICATE);
    const children = createChildPool("generator");
    try {
      server = await startGrpcTruthServer(() => ({ end: "OK" }), { identity: IDENTITY });
      const load = aLoad(server.url.replace("127.0.0.1", "localhost"), { connections: 6, requests: 60 });
      const { measurement } = await grpcEngine.run(load, aContext(children));
      expect(measurement.requests).toMatchObject({ sent: 60, ok: 60 });
      expect(measurement.connections).toEqual({ asked: 4, opened: 4, established: 4 });
      expect(measurement.bytes.received).toBeGreaterThan(measurement.bytes.body);
      expect(server.log.calls).toBe(60);
    } finally {
      vi.unstubAllEnvs();
      await children.close();
    }
  });

  it.each([
    ["whose certificate is its own", IDENTITY, "grpcs", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["that speaks no TLS", undefined, "grpcs", "EPROTO"],
    ["that speaks TLS, without it", IDENTITY, "grpc", "CLOSED_IN_HANDSHAKE"],
  ])("has no connection to a server %s", async (_, identity, scheme, code) => {
    const children = createChildPool("generator");
    try {
      server = await startGrpcTruthServer(() => ({ end: "OK" }), identity === undefined ? {} : { identity });
      const load = aLoad(server.url.replace(/^grpcs?/, scheme), { connections: 4, requests: 8 });
      const { measurement } = await grpcEngine.run(load, aContext(children));
      expect(measurement.requests).toMatchObject({ sent: 8, connectErrors: 8 });
      expect(measurement.errorCodes).toEqual({ [code]: 8 });
      expect(measurement.connections).toMatchObject({ opened: 0, established: 0 });
      expect(server.log.calls).toBe(0);
      expectConservation(measurement);
    } finally {
      await children.close();
    }
  });
});
