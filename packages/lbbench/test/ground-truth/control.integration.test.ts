import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import type { GeneratorProcess } from "../../src/plugin.js";
import { answer } from "./action.js";
import { BUILT_IN_ENGINES } from "./built-in-engines.js";
import { expectAccountsWithinFlight, expectConservation, expectSameAccounts } from "./expect-accounts.js";
import { startGroundTruthServer, type Behaviour, type GroundTruthServer } from "./ground-truth-server.js";
import { aContext, aLoad } from "./load.js";

const LONG = { connections: 10, durationMs: 3_600_000 };

describe.each(BUILT_IN_ENGINES)("engine $name under control:", (engine) => {
  const children = createChildPool("generator");
  let server: GroundTruthServer | undefined;
  afterEach(() => server?.close());
  afterAll(() => children.close());

  const start = async (behaviour: Behaviour): Promise<GroundTruthServer> => {
    server = await startGroundTruthServer(behaviour);
    return server;
  };
  /** Does something at the 300th request. */
  const interrupted = (interrupt: () => void): Promise<GroundTruthServer> =>
    start((number) => {
      if (number === 300) interrupt();
      return answer({ delayMs: 5 });
    });

  it.each([1, 3])(
    "an abort ends a run on %i generators at once with what was counted, and they can be used again",
    async (generators) => {
      const abort = new AbortController();
      const target = await interrupted(() => abort.abort());
      const used: GeneratorProcess[] = [];
      const context = aContext(children, {
        signal: abort.signal,
        onStart: (processes) => void used.push(...processes),
      });
      const { measurement, targetGone } = await engine.run(aLoad(target.url, LONG, { generators }), context);
      await target.drained();
      expect(measurement.requests.sent).toBeGreaterThanOrEqual(300);
      expect(targetGone).toBe(false);
      expectConservation(measurement);
      expectAccountsWithinFlight(measurement, target.log);

      await target.close();
      const next = await start(() => answer());
      const again = await engine.run(
        aLoad(next.url, { connections: 10, requests: 100 }, { generators }),
        aContext(children),
      );
      await next.drained();
      expect(again.measurement.requests).toMatchObject({ sent: 100, ok: 100 });
      expectSameAccounts(again.measurement, next.log);
      expect(again.generators.map(({ pid }) => pid)).toEqual(used.map(({ pid }) => pid));
    },
  );

  it("an abort ends a run of a number of requests as well", async () => {
    const abort = new AbortController();
    const target = await interrupted(() => abort.abort());
    const load = aLoad(target.url, { connections: 10, requests: 10_000_000 }, { generators: 3 });
    const { measurement } = await engine.run(load, aContext(children, { signal: abort.signal }));
    await target.drained();
    expectConservation(measurement);
    expectAccountsWithinFlight(measurement, target.log);
  });

  it("a run that is aborted before it starts sends next to nothing and returns", async () => {
    const target = await start(() => answer());
    const { measurement } = await engine.run(
      aLoad(target.url, LONG),
      aContext(children, { signal: AbortSignal.abort() }),
    );
    expectConservation(measurement);
  });

  it.each([1, 3])(
    "the death of one of %i generators ends the run with an error, and the others stop",
    async (generators) => {
      const used: GeneratorProcess[] = [];
      const target = await interrupted(() => {
        if (used[0] !== undefined) process.kill(used[0].pid, "SIGKILL");
      });
      const context = aContext(children, { onStart: (processes) => void used.push(...processes) });
      const run = engine.run(aLoad(target.url, LONG, { generators }), context);
      await expect(run).rejects.toThrow(/generator-\d.*ended unexpectedly with signal SIGKILL/);
      await target.drained();

      await target.close();
      const next = await start(() => answer());
      const again = await engine.run(
        aLoad(next.url, { connections: 10, requests: 100 }, { generators }),
        aContext(children),
      );
      await next.drained();
      expectSameAccounts(again.measurement, next.log);
      expect(again.generators.map(({ pid }) => pid)).not.toContain(used[0]?.pid);
    },
  );

  it("says which processes will generate the load before the first request, and what they used after the last", async () => {
    const target = await start(() => answer({ delayMs: 1 }));
    const announced: GeneratorProcess[] = [];
    const load = aLoad(target.url, { connections: 10, requests: 200 }, { generators: 3 });
    const context = aContext(children, {
      onStart: (processes) => {
        expect(target.log.requests).toBe(0);
        announced.push(...processes);
      },
    });
    const { generators } = await engine.run(load, context);
    expect(generators.map(({ pid, name }) => ({ pid, name }))).toEqual(announced);
    for (const { cpu, rssBytes, eventLoopUtilization } of generators) {
      expect(cpu).toBeGreaterThan(0);
      expect(rssBytes).toBeGreaterThan(1_000_000);
      expect(eventLoopUtilization).toBeGreaterThan(0);
      expect(eventLoopUtilization).toBeLessThanOrEqual(1);
    }
  });

  it("starts no more generators than there are connections", async () => {
    const target = await start(() => answer());
    const { generators } = await engine.run(
      aLoad(target.url, { connections: 2, requests: 9 }, { generators: 3 }),
      aContext(children),
    );
    expect(generators).toHaveLength(2);
    expect(target.log).toMatchObject({ requests: 9, accepted: 2 });
  });

  it("tells its progress while it runs", async () => {
    const target = await start(() => answer({ delayMs: 20 }));
    const progress: number[] = [];
    const abort = new AbortController();
    await engine.run(aLoad(target.url, LONG, { generators: 2 }), {
      ...aContext(children, { signal: abort.signal }),
      onProgress: ({ sent, done, elapsedMs }) => {
        progress.push(sent);
        expect(sent).toBeGreaterThanOrEqual(done);
        expect(elapsedMs).toBeGreaterThan(0);
        if (progress.length === 3) abort.abort();
      },
    });
    expect(progress.length).toBeGreaterThanOrEqual(3);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress[2]).toBeGreaterThan(progress[0] ?? Infinity);
  });
});
