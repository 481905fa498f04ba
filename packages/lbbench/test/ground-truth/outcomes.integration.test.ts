import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import type { Level } from "../../src/model/level.js";
import type { CompleteMeasurement } from "../../src/model/measurement.js";
import { BUILT_IN_ENGINES } from "./built-in-engines.js";
import { ANSWERING, FAULTY, type Case } from "./cases.js";
import {
  expectAccountsWithinFlight,
  expectConservation,
  expectSameAccounts,
  expectSameBytes,
} from "./expect-accounts.js";
import { startGroundTruthServer, type GroundTruthServer } from "./ground-truth-server.js";
import { aContext, aLoad, type LoadOptions } from "./load.js";

const REQUESTS = 200;
const DURATION_MS = 250;

describe.each(BUILT_IN_ENGINES)("engine $name agrees with the server", (engine) => {
  const children = createChildPool("generator");
  let server: GroundTruthServer | undefined;

  const measure = async (
    { behaviour, load }: Case,
    level: Level,
    options: LoadOptions,
  ): Promise<[CompleteMeasurement, GroundTruthServer]> => {
    server = await startGroundTruthServer(behaviour);
    const { measurement } = await engine.run(aLoad(server.url, level, { ...load, ...options }), aContext(children));
    await server.drained();
    expectConservation(measurement);
    return [measurement, server];
  };
  afterEach(() => server?.close());
  afterAll(() => children.close());

  describe.each(ANSWERING)("on $name", (example) => {
    it.each([
      [10, 1],
      [10, 3],
      [1, 3],
    ])(
      "for a number of requests over %i connections by %i generators, and on every byte",
      async (connections, generators) => {
        const [measurement, { log }] = await measure(example, { connections, requests: REQUESTS }, { generators });
        expect(measurement.requests.sent).toBe(REQUESTS);
        expect(measurement.requests.ok).toBe(REQUESTS);
        expect(measurement.connections.opened).toBe(connections);
        expectSameAccounts(measurement, log);
        expectSameBytes(measurement, log);
      },
    );

    it("for a time at whose end the open requests are cut", async () => {
      const [measurement, { log }] = await measure(
        example,
        { connections: 10, durationMs: example.durationMs ?? DURATION_MS },
        {},
      );
      expectAccountsWithinFlight(measurement, log);
      expect(measurement.requests.inFlight).toBeLessThanOrEqual(10);
    });

    it("for a time at whose end the open requests are answered", async () => {
      const level = { connections: 10, durationMs: example.durationMs ?? DURATION_MS };
      const [measurement, { log }] = await measure(example, level, { atEnd: "drain", generators: 3 });
      expectSameAccounts(measurement, log);
      expectSameBytes(measurement, log);
    });
  });

  describe.each(FAULTY)("that $name", (example) => {
    it.each([
      [10, 1],
      [10, 3],
    ])("for a number of requests over %i connections by %i generators", async (connections, generators) => {
      const [measurement, { log }] = await measure(example, { connections, requests: REQUESTS }, { generators });
      expect(measurement.requests.sent).toBe(REQUESTS);
      expectSameAccounts(measurement, log);
    });

    it("for a time at whose end the open requests are cut", async () => {
      const [measurement, { log }] = await measure(
        example,
        { connections: 10, durationMs: example.durationMs ?? DURATION_MS },
        { generators: 3 },
      );
      expectAccountsWithinFlight(measurement, log);
    });

    it("for a time at whose end the open requests are answered", async () => {
      const level = { connections: 10, durationMs: example.durationMs ?? DURATION_MS };
      const [measurement, { log }] = await measure(example, level, { atEnd: "drain" });
      expectSameAccounts(measurement, log);
    });
  });
});
