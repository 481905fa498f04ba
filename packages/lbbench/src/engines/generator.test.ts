import { describe, expect, it } from "vitest";
import type { Load } from "../plugin.js";
import { createGenerator, type BuildClients, type GeneratorReport } from "./generator.js";
import { aRequest } from "../test-support/fixtures.js";

const NS_PER_MS = 1_000_000n;
const LONG_MS = 3_600_000;
const REQUEST = aRequest();

/** One user, who sends a request that is never answered. */
const clients: BuildClients = (run) => {
  const user = {
    start: () => {
      run.take(true);
      run.recorder.sent(run.nowUs());
    },
    cut: () => 1,
  };
  run.enter(user);
  return { stop: async () => {} };
};

/** Runs a load whose common start was so long ago, or is still to come. */
async function run(
  agoMs: number,
  durationMs: number,
  build: BuildClients = clients,
  atEnd: Load["atEnd"] = "cut",
): Promise<GeneratorReport> {
  const generator = createGenerator(() => build);
  const level = { connections: 1, durationMs };
  const load = { url: "http://localhost/", level, request: REQUEST, timeoutMs: LONG_MS, keepAlive: true, options: {} };
  const place = { index: 0, of: 1 };
  await generator.prepare({ ...load, atEnd, generators: 1, mergeable: false, folder: "", place });
  return generator.run(process.hrtime.bigint() - BigInt(agoMs) * NS_PER_MS);
}

describe("a generator with a load for a time", () => {
  it("ends when the time is over since the common start, however late it was called", async () => {
    const { record } = await run(LONG_MS, LONG_MS + 20);
    expect(record.stoppedUs).toBeGreaterThanOrEqual((LONG_MS + 20) * 1000);
    expect(record).toMatchObject({ sent: 1, inFlight: 1 });
  });

  it("does not end before that, though timers count whole milliseconds", async () => {
    const late: BuildClients = (load) => {
      while (load.nowUs() < 1100);
      return clients(load);
    };
    for (let time = 0; time < 30; time += 1) {
      const { record } = await run(0, 5, late);
      expect(record.stoppedUs).toBeGreaterThanOrEqual(5000);
    }
  });

  it("counts the time from a start that is still to come", async () => {
    const { record } = await run(-20, 10);
    expect(record.stoppedUs).toBeGreaterThanOrEqual(10_000);
  });

  it("has no second beyond it, though something happens before it is cut", async () => {
    const late: BuildClients = (load) => {
      const built = clients(load);
      load.recorder.sent(LONG_MS * 1000 + 5);
      return built;
    };
    const { record } = await run(LONG_MS, LONG_MS, late);
    expect(record.seconds.at(-1)).toMatchObject({ second: LONG_MS / 1000 - 1 });
  });

  it("sends nothing new from then on when it is to drain, and ends with the last outcome", async () => {
    const answering: BuildClients = (load) => {
      const user = {
        start: () => {
          load.recorder.sent(load.nowUs());
          const answer = setInterval(() => {
            if (!load.exhausted(false)) return;
            clearInterval(answer);
            load.recorder.ok(0, load.nowUs(), 200);
            load.leave(user);
          }, 1);
        },
        cut: () => 1,
      };
      load.enter(user);
      return { stop: async () => {} };
    };
    const { record } = await run(LONG_MS, LONG_MS, answering, "drain");
    expect(record).toMatchObject({ sent: 1, ok: 1, inFlight: 0, stoppedUs: null });
  });
});
