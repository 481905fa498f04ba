import tls from "node:tls";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { LOCALHOST, LOCALHOST_FILES } from "@lbbench/test-support/certificates.js";
import { createChildPool } from "../../src/system/fork.js";
import { sendFirstRequests } from "../../src/engines/first-requests.js";
import type { GeneratorEngine } from "../../src/engines/generator.js";
import type { GeneratorProcess } from "../../src/plugin.js";
import { expectAccountsWithinFlight, expectConservation, expectSameAccounts } from "./expect-accounts.js";
import { standUp } from "../../src/testing/ground-truth/truth-server.js";
import { aLoad, measure, send } from "./measure.js";
import { SUBJECTS, type Deed } from "./subjects.js";

const OFFERS = Object.entries({ nothing: {}, "HTTP/1.1": { ALPNProtocols: ["http/1.1"] } });
const LONG = { connections: 10, durationMs: 3_600_000 };
const OK = (): Deed => ({ what: "ok" });
const MIXED = (number: number): Deed => ({ what: number % 7 === 0 ? "drop" : number % 4 === 0 ? "error" : "ok" });

describe.each(SUBJECTS)("$name in processes of its own", (subject) => {
  const { start } = subject;
  // Those that look at certificates are told which one to trust when they are started.
  beforeAll(() => void vi.stubEnv("NODE_EXTRA_CA_CERTS", LOCALHOST_FILES.cert));
  afterAll(() => void vi.unstubAllEnvs());
  const children = createChildPool("generator");
  afterAll(() => children.close());

  it("splits requests and connections without a rest, and merges what all of them recorded", async () => {
    const announced: GeneratorProcess[] = [];
    for (const behave of [OK, MIXED]) {
      const server = await start(behave);
      const onStart = (processes: readonly GeneratorProcess[]): void => {
        expect(server.log.requests).toBe(0);
        announced.splice(0, announced.length, ...processes);
      };
      const level = { connections: 10, requests: 200 };
      const context = { children, onStart };
      const { measurement, generators, log } = await measure(subject, server, level, { generators: 3 }, context);
      expect(measurement.requests.sent).toBe(200);
      expect(measurement.connections).toMatchObject({ asked: 10, opened: 10 });
      expectSameAccounts(measurement, log);
      const served = log.serviceMs.toSorted((a, b) => a - b);
      expect(measurement.latency?.min).toBeGreaterThanOrEqual(served[0] ?? Number.NaN);
      expect(measurement.bytes.body).toBe(log.bodyBytes);
      expect(generators.map(({ pid, name }) => ({ pid, name }))).toEqual(announced);
      for (const { cpu, rssBytes, eventLoopUtilization } of generators) {
        expect(cpu).toBeGreaterThan(0);
        expect(rssBytes).toBeGreaterThan(1_000_000);
        expect(eventLoopUtilization).toBeGreaterThan(0);
        expect(eventLoopUtilization).toBeLessThanOrEqual(1);
      }
    }
  });

  it("has its code compiled, before the first load, by requests to a server of its own", async () => {
    const { scheme, load, engine } = subject;
    const asked = aLoad(`${scheme}://127.0.0.1:1`, { rate: 5, durationMs: 1 }, { ...load, keepAlive: false });
    const options = engine.options?.parse(load.options ?? {}) ?? {};
    const place = { index: 1, of: 2 };
    const name = engine.name as GeneratorEngine;
    expect(await sendFirstRequests({ ...asked, options, engine: name, folder: ".", place })).toBe(100);
  });

  it("ends all of them when it is aborted, and uses them again", async () => {
    const abort = new AbortController();
    const behave = (number: number): Deed => {
      if (number === 100) abort.abort();
      return { what: "ok", delay: 2 };
    };
    const context = { children, signal: abort.signal };
    const aborted = await measure(subject, start(behave), LONG, { generators: 3 }, context);
    expect(aborted.measurement.requests.sent).toBeGreaterThanOrEqual(100);
    expectAccountsWithinFlight(aborted.measurement, aborted.log);
    const level = { connections: 10, requests: 100 };
    const again = await measure(subject, start(OK), level, { generators: 3 }, { children });
    expectSameAccounts(again.measurement, again.log);
    expect(again.generators.map(({ pid }) => pid)).toEqual(aborted.generators.map(({ pid }) => pid));
  });

  it("counts every answer over TLS, where the certificate can be verified, and starts no more than there are connections", async () => {
    for (const [host, connections] of Object.entries({ "127.0.0.1": 6, localhost: 1 })) {
      const server = await start(MIXED, { identity: LOCALHOST });
      const at = { ...server, url: server.url.replace("127.0.0.1", host) };
      const level = { connections, requests: 60 };
      const { measurement, log, generators } = await measure(subject, at, level, { generators: 2 }, { children });
      expect(generators).toHaveLength(Math.min(2, connections));
      expect(measurement.requests.sent).toBe(60);
      expectSameAccounts(measurement, log);
    }
  });

  const offers = subject.load.httpVersion === "2" ? OFFERS : [];
  it.each(offers)("says that a server that offers %s over TLS does not agree on HTTP/2", async (_, protocols) => {
    const server = tls.createServer({ ...LOCALHOST, ...protocols }, (socket) => socket.on("error", () => {}));
    server.on("tlsClientError", () => {});
    const { url, close } = await standUp(server, "https");
    const level = { connections: 4, requests: 20 };
    const { measurement } = await send(subject, url, level, { generators: 2 }, { children });
    await close();
    expect(measurement.requests).toMatchObject({ sent: 20, connectErrors: 20 });
    expect(measurement.errorCodes).toEqual({ ERR_HTTP2_NOT_NEGOTIATED: 20 });
    expect(measurement.connections).toEqual({ asked: 4, opened: 0, established: 0 });
  });

  it("ends with an error when one of them dies; the others stop, and another takes its place", async () => {
    const used: GeneratorProcess[] = [];
    const server = await start((number) => {
      if (number === 100 && used[0] !== undefined) process.kill(used[0].pid, "SIGKILL");
      return { what: "ok", delay: 2 };
    });
    const onStart = (processes: readonly GeneratorProcess[]): void => void used.push(...processes);
    const run = send(subject, server.url, LONG, { generators: 3 }, { children, onStart });
    await expect(run).rejects.toThrow(/generator-\d.*ended unexpectedly with signal SIGKILL/);
    await server.drained();
    await server.close();
    const level = { connections: 10, requests: 100 };
    const again = await measure(subject, start(OK), level, { generators: 3 }, { children });
    expectSameAccounts(again.measurement, again.log);
    expect(again.generators.map(({ pid }) => pid)).not.toContain(used[0]?.pid);
  });
});

describe.each(SUBJECTS)("$name over TLS", (subject) => {
  const level = { connections: 4, requests: 8 };

  it("counts a target that speaks no TLS as one without a connection", async () => {
    const server = await subject.start(OK);
    const url = server.url.replace(/^(http|grpc|ws):/, "$1s:");
    const { measurement, log } = await measure(subject, { ...server, url }, level, { timeoutMs: 300 });
    expect(measurement.requests).toMatchObject({ ok: 0 });
    expect(measurement.connections).toMatchObject({ opened: 0, established: 0 });
    expect(log.requests).toBe(0);
    expectConservation(measurement);
  });

  it("takes any certificate where that is asked", async () => {
    const server = subject.start(OK, { identity: LOCALHOST });
    const { measurement, log } = await measure(subject, server, level, { insecure: true });
    expect(measurement.requests).toMatchObject({ sent: 8, ok: 8 });
    expectSameAccounts(measurement, log);
  });

  it.each(["1", "0"])(
    "takes no certificate that nobody trusts, also where NODE_TLS_REJECT_UNAUTHORIZED is %s",
    async (value) => {
      vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", value);
      onTestFinished(() => void vi.unstubAllEnvs());
      const { measurement, log } = await measure(subject, subject.start(OK, { identity: LOCALHOST }), level);
      expect(measurement.requests).toMatchObject({ sent: 8, connectErrors: 8 });
      expect(measurement.errorCodes).toEqual({ DEPTH_ZERO_SELF_SIGNED_CERT: 8 });
      expect(measurement.connections).toEqual({ asked: 4, opened: 0, established: 0 });
      expect(log.requests).toBe(0);
      expectConservation(measurement);
    },
  );
});
