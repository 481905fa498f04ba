import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import { answer } from "./action.js";
import { startGroundTruthServer, type GroundTruthServer } from "./ground-truth-server.js";
import { aContext, aLoad } from "./load.js";
import { untilKept, type Attempt } from "../support/until-kept.js";
import { undiciEngine } from "../../src/engines/undici/engine.js";

describe("engine undici tells the phases of requests apart:", () => {
  const children = createChildPool("generator");
  let server: GroundTruthServer | undefined;
  afterEach(() => server?.close());
  afterAll(() => children.close());

  it("connecting takes no time on a connection that is open already", async () => {
    const measure = async (): Promise<Attempt<number>> => {
      const target = await startGroundTruthServer(() => answer({ delayMs: 20 }));
      server = target;
      const load = aLoad(target.url, { connections: 2, requests: 20 }, { generators: 2 });
      const { phases, latency } = (await undiciEngine.run(load, aContext(children))).measurement;
      await target.close();
      expect(phases?.connect).toMatchObject({ min: 0, median: 0 });
      expect(phases?.connect.max).toBeGreaterThan(0);
      // The clock of the timers and the one of the phases may differ by a millisecond.
      expect(phases?.waiting.min).toBeGreaterThan(19);
      return { value: (latency?.mean ?? Number.NaN) - (phases?.total.mean ?? Number.NaN), isDisturbed: false };
    };
    // Between the phases and the latency lies next to nothing, unless the machine holds the generator up just there.
    const isLittle = (between: number): boolean => Math.abs(between) < 0.5;
    const tries = await untilKept(measure, isLittle);
    expect(tries.some(isLittle), JSON.stringify(tries)).toBe(true);
  });

  it("every request connects where connections are not kept, and its phases add up", async () => {
    server = await startGroundTruthServer(() => answer({ delayMs: 10, packets: 3, body: "x".repeat(1000) }));
    const load = aLoad(server.url, { connections: 2, requests: 20 }, { keepAlive: false });
    const { phases, latency } = (await undiciEngine.run(load, aContext(children))).measurement;
    if (phases === undefined) throw new Error("There are no phases");
    expect(phases.connect.min).toBeGreaterThan(0);
    expect(phases.total.mean).toBeCloseTo(phases.connect.mean + phases.processing.mean, 6);
    expect(phases.waiting.mean).toBeLessThan(phases.processing.mean);
    expect(phases.total.mean).toBeLessThanOrEqual(latency?.mean ?? Number.NaN);
    expect(phases.total.min).toBeGreaterThan(9);
  });

  it("has none to tell where no request was ok", async () => {
    server = await startGroundTruthServer(() => answer({ status: 503, outcome: "non2xx" }));
    const { measurement } = await undiciEngine.run(
      aLoad(server.url, { connections: 1, requests: 5 }),
      aContext(children),
    );
    expect(measurement).not.toHaveProperty("phases");
  });
});
