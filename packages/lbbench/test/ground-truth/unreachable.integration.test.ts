import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import type { Level } from "../../src/model/level.js";
import type { CompleteMeasurement } from "../../src/model/measurement.js";
import type { CompleteRun } from "../../src/engines/complete-engine.js";
import { answer, hang, hangUp } from "./action.js";
import { BUILT_IN_ENGINES } from "./built-in-engines.js";
import { closedPort } from "./closed-port.js";
import { expectConservation } from "./expect-accounts.js";
import { startGroundTruthServer, type GroundTruthServer } from "./ground-truth-server.js";
import { aContext, aLoad } from "./load.js";
import { untilKept, type Attempt } from "../support/until-kept.js";

const TIMEOUT_MS = 1500;
/** Waits of 10, 20, 40, 80, 160 and then 250 ms make eleven attempts in that time; a hot loop makes thousands. */
const MOST_ATTEMPTS = 16;

describe.each(BUILT_IN_ENGINES)("engine $name, with a target that cannot be reached,", (engine) => {
  const children = createChildPool("generator");
  let server: GroundTruthServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  afterAll(() => children.close());

  const loadOnClosedPort = async (level: Level, generators: number): Promise<CompleteRun> => {
    const load = aLoad(`http://127.0.0.1:${await closedPort()}/`, level, { timeoutMs: TIMEOUT_MS, generators });
    return engine.run(load, aContext(children));
  };

  it.each([1, 3])(
    "gives up with %i generators when nothing has answered for the timeout, after few attempts",
    async (generators) => {
      const { measurement, targetGone } = await loadOnClosedPort({ connections: 10, durationMs: 60_000 }, generators);
      const { requests } = measurement;
      expect(targetGone).toBe(true);
      expect(requests.connectErrors).toBe(requests.sent - requests.inFlight);
      expect(requests.sent).toBeGreaterThanOrEqual(20);
      expect(requests.sent).toBeLessThanOrEqual(10 * MOST_ATTEMPTS);
      expect(measurement.errorCodes).toEqual({ ECONNREFUSED: requests.connectErrors });
      expect(measurement.connections).toEqual({ asked: 10, opened: 0, established: 0 });
      expect(measurement.bytes).toEqual({ received: 0, body: 0, sent: 0 });
      expect(measurement).not.toHaveProperty("latency");
      expect(measurement.throughput).toBe(0);
      expectConservation(measurement);
    },
  );

  it("sends the exact number of requests where they are used up before it gives up", async () => {
    const { measurement, targetGone } = await loadOnClosedPort({ connections: 10, requests: 20 }, 3);
    expect(measurement.requests).toMatchObject({ sent: 20, connectErrors: 20, inFlight: 0 });
    expect(targetGone).toBe(false);
    expectConservation(measurement);
  });

  it.each([
    ["requests", { connections: 6, requests: 1_000_000 }],
    ["time", { connections: 6, durationMs: 60_000 }],
  ])("notices that a target is gone in the middle of a run for a number of %s", async (_, level) => {
    const mortal = await startGroundTruthServer((number) => {
      if (number === 300) void mortal.close();
      return answer();
    });
    server = mortal;
    const load = aLoad(mortal.url, level, { timeoutMs: TIMEOUT_MS, generators: 3 });
    const { measurement, targetGone } = await engine.run(load, aContext(children));
    expect(targetGone).toBe(true);
    expect(measurement.requests.ok).toBeLessThanOrEqual(300);
    expect(measurement.requests.ok).toBeGreaterThanOrEqual(290);
    expect(measurement.requests.connectErrors).toBeGreaterThan(0);
    expect(measurement.requests.sent).toBeLessThanOrEqual(300 + 6 + 6 * MOST_ATTEMPTS);
    expectConservation(measurement);
  });

  it.each([
    ["hangs", hang()],
    ["closes every connection", hangUp("fin", 100)],
    ["answers later than the timeout", answer({ delayMs: 400 })],
  ])("does not take a target that %s for one that is gone", async (_, action) => {
    server = await startGroundTruthServer(() => action);
    const load = aLoad(server.url, { connections: 4, requests: 12 }, { timeoutMs: 150 });
    const { measurement, targetGone } = await engine.run(load, aContext(children));
    expect(targetGone).toBe(false);
    expect(measurement.requests).toMatchObject({ sent: 12, inFlight: 0, ok: 0 });
    expectConservation(measurement);
  });

  it("does not give up a target that hangs every other time, when nothing is heard of it for just the timeout", async () => {
    server = await startGroundTruthServer((number) => (number % 2 === 0 ? hang() : answer()));
    const load = aLoad(server.url, { connections: 1, requests: 20 }, { timeoutMs: 400 });
    const { measurement, targetGone } = await engine.run(load, aContext(children));
    expect(targetGone).toBe(false);
    expect(measurement.requests).toMatchObject({ sent: 20, ok: 10, timedOut: 10, inFlight: 0 });
  });

  it.each([40, 250, 700])(
    "counts a request without an answer after %i ms as timed out, no sooner and not much later",
    async (timeoutMs) => {
      const measure = async (): Promise<Attempt<CompleteMeasurement>> => {
        const target = await startGroundTruthServer((number) => (number % 3 === 0 ? hang() : answer()));
        server = target;
        const load = aLoad(target.url, { connections: 5, requests: 30 }, { timeoutMs });
        const { measurement } = await engine.run(load, aContext(children));
        await target.close();
        // The clock of the timers and the one of the latencies may differ by a millisecond.
        expect(measurement.failedLatency?.min).toBeGreaterThanOrEqual(timeoutMs - 2);
        expectConservation(measurement);
        return { value: measurement, isDisturbed: false };
      };
      // What a machine that is held up answers too late has timed out as well. Whole seconds would be far off.
      const isExpected = ({ requests: { ok, timedOut }, failedLatency }: CompleteMeasurement): boolean =>
        ok === 20 && timedOut === 10 && (failedLatency?.p50 ?? Infinity) < timeoutMs + 250;
      const tries = await untilKept(measure, isExpected);
      const seen = tries.map(({ requests, failedLatency }) => ({ requests, failedLatency }));
      expect(tries.some(isExpected), JSON.stringify(seen)).toBe(true);
    },
  );

  it("starts its users once, however short the timeout is", async () => {
    server = await startGroundTruthServer(() => answer());
    const load = aLoad(server.url, { connections: 400, requests: 4000 }, { timeoutMs: 1 });
    const { measurement } = await engine.run(load, aContext(children));
    await server.drained();
    expect(measurement.requests.sent).toBe(4000);
    expectConservation(measurement);
  });
});
