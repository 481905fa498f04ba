import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import { answer } from "./action.js";
import { BUILT_IN_ENGINES } from "./built-in-engines.js";
import { expectConservation } from "./expect-accounts.js";
import { startGroundTruthServer, type GroundTruthServer } from "./ground-truth-server.js";
import { aContext, aLoad } from "./load.js";
import { untilKept, type Attempt } from "../support/until-kept.js";

describe.each(BUILT_IN_ENGINES)("engine $name tells the time:", (engine) => {
  const children = createChildPool("generator");
  let server: GroundTruthServer | undefined;
  afterEach(() => server?.close());
  afterAll(() => children.close());

  it.each([1, 3])(
    "percentiles of known delays are within 3 percent or 2 ms with %i generators",
    { timeout: 120_000 },
    async (generators) => {
      const requests = 1200;
      const measure = async (): Promise<Attempt<readonly Percentile[]>> => {
        const target = await startGroundTruthServer((number) => answer({ delayMs: knownDelay(number, requests) }));
        server = target;
        const load = aLoad(target.url, { connections: 60, requests }, { generators });
        const { measurement } = await engine.run(load, aContext(children));
        await target.close();

        const truth = target.log.serviceMs.toSorted((a, b) => a - b);
        expect(truth).toHaveLength(requests);
        expect(measurement.latency?.min).toBeGreaterThanOrEqual(truth[0] ?? Number.NaN);
        expect(measurement.latency?.max).toBeGreaterThanOrEqual(truth.at(-1) ?? Number.NaN);
        const value = ([50, 90, 99] as const).map((percentile) => ({
          expected: truth[Math.ceil((percentile / 100) * requests) - 1] ?? Number.NaN,
          measured: measurement.latency?.[`p${percentile}`] ?? Number.NaN,
        }));
        return { value, isDisturbed: false };
      };
      // A generator that is held up for a moment reads late what came in it: the best of three is the engine's own.
      const tries = await untilKept(measure, (percentiles) => percentiles.every(isTold));
      expect(
        tries.some((percentiles) => percentiles.every(isTold)),
        JSON.stringify(tries),
      ).toBe(true);
    },
  );

  it.each([
    [1000, 10, 1],
    [1000, 10, 3],
    [50, 1, 1],
  ])(
    "%i requests over %i connections by %i generators last from the first sent to the last answer",
    async (requests, connections, generators) => {
      server = await startGroundTruthServer(() => answer());
      const calledMs = performance.now();
      const load = aLoad(server.url, { connections, requests }, { generators });
      const { measurement } = await engine.run(load, aContext(children));
      const callMs = performance.now() - calledMs;

      const { elapsedMs, latency } = measurement;
      const { firstRequestMs, lastAnswerMs } = server.log;
      const slowestMs = latency?.max ?? Number.NaN;
      expect(elapsedMs).toBeLessThanOrEqual(callMs);
      expect(elapsedMs).toBeGreaterThanOrEqual(lastAnswerMs - firstRequestMs);
      // The way of the first request to the server and of the last answer back are parts of latencies.
      expect(elapsedMs).toBeLessThanOrEqual(lastAnswerMs - firstRequestMs + 2 * slowestMs);
      expect(measurement.throughput).toBeCloseTo(requests / (elapsedMs / 1000), 6);
    },
  );

  it("a run for a time lasts that time, whatever is open at its end", async () => {
    server = await startGroundTruthServer(() => answer({ delayMs: 170 }));
    const load = aLoad(server.url, { connections: 7, durationMs: 600 }, { generators: 3 });
    let readyMs = Infinity;
    const onStart = (): void => {
      readyMs = Date.now();
    };
    const { measurement } = await engine.run(load, aContext(children, { onStart }));
    await server.drained();
    // Time counts from the first request, which leaves a moment after the start; `startedAt` has whole milliseconds.
    expect(Date.parse(measurement.startedAt) + measurement.elapsedMs - readyMs).toBeGreaterThanOrEqual(599);
    expect(measurement.elapsedMs).toBeLessThanOrEqual(Date.now() - readyMs + 1);
    expect(measurement.requests.inFlight).toBe(7);
    expect(measurement.requests.sent).toBe(server.log.requests);
    expect(measurement.throughput).toBeCloseTo(measurement.requests.ok / (measurement.elapsedMs / 1000), 6);
    expectConservation(measurement);
  });

  it("a run for a time that is drained lasts until the last answer", async () => {
    server = await startGroundTruthServer(() => answer({ delayMs: 170 }));
    const load = aLoad(server.url, { connections: 7, durationMs: 250 }, { generators: 3, atEnd: "drain" });
    const { measurement } = await engine.run(load, aContext(children));
    expect(measurement.elapsedMs).toBeGreaterThanOrEqual(server.log.lastAnswerMs - server.log.firstRequestMs);
    expect(measurement.requests).toMatchObject({ inFlight: 0, ok: server.log.outcomes.ok });
    expectConservation(measurement);
  });

  it("latency is measured in fractions of a millisecond and fits the elapsed time", async () => {
    const requests = 500;
    server = await startGroundTruthServer(() => answer());
    const { measurement } = await engine.run(aLoad(server.url, { connections: 1, requests }), aContext(children));
    const { min, mean, p50, max } = measurement.latency ?? { min: 0, mean: 0, p50: 0, max: 0 };
    expect([min, mean, p50, max].filter(Number.isInteger)).toEqual([]);
    // One connection: latencies lie one after the other, within the run and around the work of the server.
    const servedMs = server.log.serviceMs.reduce((sum, ms) => sum + ms, 0);
    expect(mean * requests).toBeLessThanOrEqual(measurement.elapsedMs);
    expect(mean * requests).toBeGreaterThan(servedMs);
    expect(min).toBeLessThan(mean);
    expect(mean).toBeLessThan(max);
  });

  it("latency is of answers that are ok, and the others have their own", async () => {
    server = await startGroundTruthServer((number) =>
      number % 2 === 0 ? answer({ delayMs: 2000, status: 503, outcome: "non2xx" }) : answer({ delayMs: 20 }),
    );
    const { measurement } = await engine.run(aLoad(server.url, { connections: 10, requests: 30 }), aContext(children));
    expect(measurement.latency?.max).toBeLessThan(measurement.failedLatency?.min ?? Number.NaN);
    expect(measurement.failedLatency?.min).toBeGreaterThanOrEqual(1999);
  });

  it("the timeline has a line for every second from the first request", async () => {
    server = await startGroundTruthServer(() => answer({ delayMs: 100 }));
    const load = aLoad(server.url, { connections: 6, durationMs: 2900 }, { generators: 2 });
    const { measurement } = await engine.run(load, aContext(children));
    expectConservation(measurement);
    expect(measurement.timeline).toHaveLength(3);
    for (const { ok, sent, p50, p99 } of measurement.timeline) {
      expect(sent).toBeGreaterThan(0);
      expect(ok).toBeGreaterThan(0);
      expect(p50).toBeGreaterThanOrEqual(99);
      expect(p99).toBeGreaterThanOrEqual(p50 ?? Number.NaN);
    }
  });
});

/** A latency as the server knows it, and as the engine tells it, in milliseconds. */
interface Percentile {
  readonly expected: number;
  readonly measured: number;
}

function isTold({ expected, measured }: Percentile): boolean {
  return Math.abs(measured - expected) <= Math.max(expected * 0.03, 2);
}

/** From 5 to 500 ms, short ones more often, in an order without pattern: 617 and the count have no common divisor. */
function knownDelay(number: number, count: number): number {
  const share = ((number * 617) % count) / (count - 1);
  return 5 + 495 * share ** 2;
}
