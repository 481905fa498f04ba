import { afterEach, describe, expect, it } from "vitest";
import { startCountingServer, type CountingServer } from "../../testing/counting-server.js";
import { createLoadRun } from "../load-run.js";
import { createRecorder } from "../recorder.js";
import type { LoadRecord } from "../record.js";
import { mixRequests } from "../request-mix.js";
import { planDestination } from "../request-plan.js";
import { enterOpenLoop } from "./enter-open-loop.js";
import type { Ticker } from "./ticker.js";

const LATE_US = 100_000;
/** Rings never: what is due is due already. */
const SILENT: Ticker = { wakeIn: () => {}, rest: () => {} };

describe("an open loop whose requests were all due 100 ms ago", () => {
  let server: CountingServer | undefined;
  afterEach(() => server?.close());

  const measure = async (requests: number): Promise<LoadRecord> => {
    server = await startCountingServer();
    const recorder = createRecorder(false);
    const run = createLoadRun(recorder, requests, LATE_US - performance.now() * 1000);
    const request = { method: "GET", path: "/", headers: [], body: null, bodyEncoding: "utf8" as const };
    const load = {
      url: server.url,
      request: { ...request, expectStatus: "2xx", expectBody: null },
      timeoutMs: 10_000,
      keepAlive: true,
    };
    const plan = { ...planDestination(load), keepAlive: true, mix: mixRequests(load, { index: 0, of: 1 }) };
    let left = requests;
    const nextDueUs = (): number => {
      left -= 1;
      return left < 0 ? Infinity : 0;
    };
    const loop = enterOpenLoop(run, { ...plan, nextDueUs, maxInFlight: 1000, endsByItself: true }, SILENT);
    run.startUsers();
    const { inFlight, stoppedUs } = await run.ended;
    await loop.close();
    return recorder.finish(inFlight, stoppedUs);
  };

  it("counts their latency from when they were due, and says how late they left", async () => {
    const { sent, ok, latency, schedule } = await measure(1000);
    expect({ sent, ok, unsent: schedule?.unsent }).toEqual({ sent: 1000, ok: 1000, unsent: 0 });
    expect(latency.minUs).toBeGreaterThan(LATE_US);
    expect(schedule?.lateness.count).toBe(1000);
    expect(schedule?.lateness.minUs).toBeGreaterThanOrEqual(LATE_US);
    expect(latency.sumUs).toBeGreaterThan(schedule?.lateness.sumUs ?? Infinity);
    // Those that come free are sent on before all that may be are opened.
    expect(schedule?.connections).toBeLessThan(1000);
    expect(schedule?.connections).toBe(server?.connections());
  });
});
