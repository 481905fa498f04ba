import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import { answer, breakOff, hangUp } from "./action.js";
import { BUILT_IN_ENGINES } from "./built-in-engines.js";
import { expectConservation, expectSameAccounts, expectSameBytes } from "./expect-accounts.js";
import { startGroundTruthServer, type GroundTruthServer } from "./ground-truth-server.js";
import { fixture } from "../support/fixture.js";
import { aContext, aLoad } from "./load.js";

/** Self-signed, for localhost and 127.0.0.1, valid for a hundred years; good for nothing but tests. */
const IDENTITY = {
  key: readFileSync(fixture("localhost-key.pem"), "utf8"),
  cert: readFileSync(fixture("localhost-cert.pem"), "utf8"),
};

describe.each(BUILT_IN_ENGINES)("engine $name over TLS", (engine) => {
  // For the engines that look at it.
  beforeAll(() => void vi.stubEnv("NODE_EXTRA_CA_CERTS", fixture("localhost-cert.pem")));
  afterAll(() => void vi.unstubAllEnvs());
  const children = createChildPool("generator");
  let server: GroundTruthServer | undefined;
  afterEach(() => server?.close());
  afterAll(() => children.close());

  it.each(["127.0.0.1", "localhost"])("counts every answer and every byte of https://%s", async (host) => {
    server = await startGroundTruthServer(() => answer(), IDENTITY);
    const url = server.url.replace("127.0.0.1", host);
    const load = aLoad(url, { connections: 4, requests: 100 }, { generators: 3 });
    const { measurement } = await engine.run(load, aContext(children));
    await server.drained();
    expect(measurement.requests).toMatchObject({ sent: 100, ok: 100 });
    expectConservation(measurement);
    expectSameAccounts(measurement, server.log);
    expectSameBytes(measurement, server.log);
  });

  it("counts connections that are closed without an answer, in the middle of one and after one", async () => {
    server = await startGroundTruthServer((number) => {
      if (number % 5 === 0) return hangUp("fin");
      if (number % 7 === 0) return breakOff("fin");
      return number % 3 === 0 ? answer({ headers: ["Connection: close"], close: true }) : answer();
    }, IDENTITY);
    const { measurement } = await engine.run(aLoad(server.url, { connections: 4, requests: 100 }), aContext(children));
    await server.drained();
    expectConservation(measurement);
    expectSameAccounts(measurement, server.log);
  });

  it("counts a target that speaks no TLS as one without a connection", async () => {
    server = await startGroundTruthServer(() => answer());
    const url = server.url.replace("http:", "https:");
    const load = aLoad(url, { connections: 2, requests: 4 }, { timeoutMs: 300 });
    const { measurement } = await engine.run(load, aContext(children));
    expect(measurement.requests.ok).toBe(0);
    expect(measurement.connections.opened).toBe(0);
    expectConservation(measurement);
  });
});

describe.each(BUILT_IN_ENGINES.filter(({ supports }) => supports.tlsVerification))(
  "engine $name verifies certificates:",
  (engine) => {
    const children = createChildPool("generator");
    let server: GroundTruthServer | undefined;
    beforeAll(() => void vi.unstubAllEnvs());
    afterEach(async () => {
      vi.unstubAllEnvs();
      await server?.close();
    });
    afterAll(() => children.close());

    it("one that nobody trusts is an error of the connection", async () => {
      server = await startGroundTruthServer(() => answer(), IDENTITY);
      const load = aLoad(server.url, { connections: 2, requests: 6 });
      const { measurement } = await engine.run(load, aContext(children));
      expect(measurement.requests).toMatchObject({ sent: 6, connectErrors: 6 });
      expect(measurement.errorCodes).toEqual({ DEPTH_ZERO_SELF_SIGNED_CERT: 6 });
      expect(measurement.connections).toEqual({ asked: 2, opened: 0, established: 0 });
      expect(server.log.requests).toBe(0);
      expectConservation(measurement);
    });

    it.each(engine.supports.httpVersions ?? (["1.1"] as const))(
      "also by HTTP/%s where the environment says that it need not",
      async (httpVersion) => {
        vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
        const careless = createChildPool("careless");
        try {
          server = await startGroundTruthServer(() => answer(), IDENTITY);
          const load = aLoad(server.url, { connections: 2, requests: 6 });
          const { measurement } = await engine.run({ ...load, httpVersion }, aContext(careless));
          expect(measurement.requests).toMatchObject({ sent: 6, connectErrors: 6 });
          expect(measurement.errorCodes).toEqual({ DEPTH_ZERO_SELF_SIGNED_CERT: 6 });
        } finally {
          await careless.close();
        }
      },
    );

    it("one of another name as well", async () => {
      vi.stubEnv("NODE_EXTRA_CA_CERTS", fixture("localhost-cert.pem"));
      const trusting = createChildPool("trusting");
      try {
        server = await startGroundTruthServer(() => answer(), IDENTITY);
        const load = aLoad(server.url.replace("127.0.0.1", "[::ffff:127.0.0.1]"), { connections: 2, requests: 6 });
        const { measurement } = await engine.run(load, aContext(trusting));
        expect(measurement.requests).toMatchObject({ sent: 6, connectErrors: 6 });
        expect(measurement.errorCodes).toEqual({ ERR_TLS_CERT_ALTNAME_INVALID: 6 });
      } finally {
        await trusting.close();
      }
    });
  },
);
