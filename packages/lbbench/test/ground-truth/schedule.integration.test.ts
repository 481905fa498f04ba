import { describe, expect, it } from "vitest";
import { expectAccountsWithinFlight, expectConservation, expectSameAccounts } from "./expect-accounts.js";
import { measure, send } from "./measure.js";
import { SUBJECTS, type Deed } from "./subjects.js";

const ARRIVAL = { spacing: "uniform", seed: 1, maxInFlight: 1000 } as const;
const OK = (): Deed => ({ what: "ok" });

const OPEN = SUBJECTS.filter(({ engine }) => engine.supports.loads.includes("rate"));

describe.each(OPEN)("$name in an open loop", (subject) => {
  const { start } = subject;

  it.each([
    ["uniform", 199],
    ["poisson", expect.any(Number)],
  ] as const)("accounts for all that leaves with %s spacing", async (spacing, planned) => {
    const arrival = { ...ARRIVAL, spacing };
    const behave = (number: number): Deed => ({ what: number % 7 === 0 ? "drop" : "ok", delay: number % 5 });
    const counted = await measure(subject, start(behave), { rate: 1000, requests: 301 }, { arrival });
    expect(counted.measurement.requests).toMatchObject({ sent: 301, dropped: 43 });
    expect(counted.measurement.schedule).toMatchObject({ rate: 1000, planned: 301, unsent: 0 });
    expect(counted.measurement.connections.opened).toBe(counted.measurement.connections.asked);
    expectSameAccounts(counted.measurement, counted.log);
    const level = { rate: 1000, durationMs: 199 };
    const drained = await measure(subject, start(behave), level, { arrival, atEnd: "drain" });
    // All that was due in the time has left.
    expect(drained.measurement.schedule).toMatchObject({ planned, unsent: 0 });
    expectSameAccounts(drained.measurement, drained.log);
    const cut = await measure(subject, start(behave), level, { arrival });
    expectAccountsWithinFlight(cut.measurement, cut.log);
    const each = await measure(subject, start(OK), { rate: 1000, requests: 100 }, { arrival, keepAlive: false });
    expect(each.measurement.connections.established).toBe(100);
    expectSameAccounts(each.measurement, each.log);
  });

  it("gives up the requests that are not answered in time, and leaves no others out", async () => {
    const behave = (number: number): Deed => ({ what: number % 10 === 0 ? "hang" : "ok" });
    const level = { rate: 400, requests: 100 };
    const { measurement, log } = await measure(subject, start(behave), level, { timeoutMs: 1000 });
    expect(measurement.requests).toMatchObject({ sent: 100, ok: 90, timedOut: 10 });
    expectSameAccounts(measurement, log);
  });

  it("goes on sending while nothing is answered, so that a stall is felt by all that were due in it", async () => {
    const [rate, requests, from, until] = [200, 100, 20, 60];
    const gapMs = 1000 / rate;
    let release = (): void => {};
    const stall = new Promise<void>((resolve) => (release = resolve));
    let releasedMs = Number.NaN;
    const behave = (number: number): Deed => {
      if (number === until) {
        releasedMs = performance.now();
        release();
      }
      return number >= from && number <= until ? { what: "ok", delay: stall } : OK();
    };
    const { measurement, log } = await measure(subject, start(behave), { rate, requests });
    expect(measurement.requests).toMatchObject({ sent: requests, ok: requests });
    // The server has seen that none waited for another. From when each was due until it was let go, by the clock of the server:
    const waits = Array.from({ length: requests }, (_, index) =>
      index + 1 < from || index + 1 > until ? 0 : releasedMs - log.firstRequestMs - index * gapMs,
    );
    const least = waits.toSorted((a, b) => a - b);
    const at = (share: number): number => (least[Math.ceil(share * requests) - 1] ?? Number.NaN) * 0.999;
    expect(at(0.9)).toBeGreaterThan(0);
    expect(measurement.latency?.p90).toBeGreaterThanOrEqual(at(0.9));
    expect(measurement.latency?.p99).toBeGreaterThanOrEqual(at(0.99));
    expect(measurement.latency?.max).toBeGreaterThanOrEqual(at(1));
  });

  it("counts latencies from when requests were due, also where it was held up itself, and says by how much", async () => {
    const behave = (number: number): Deed => {
      // The process of the server is that of the generator.
      if (number === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      return OK();
    };
    const { measurement, log } = await measure(subject, start(behave), { rate: 200, requests: 40 });
    const { mean = Number.NaN, max = Number.NaN } = measurement.schedule?.lateness ?? {};
    expect(max).toBeGreaterThan(90);
    expect(measurement.latency?.mean).toBeGreaterThanOrEqual(mean);
    expect(measurement.latency?.max).toBeGreaterThanOrEqual(max);
    expectSameAccounts(measurement, log);
  });

  it("gives up a target that cannot be reached, after the requests that were due until then", async () => {
    const url = `${subject.scheme}://127.0.0.1:1/`;
    const level = { rate: 100, durationMs: 60_000 };
    const { measurement, targetGone } = await send(subject, url, level, { timeoutMs: 300 });
    const { requests, connections } = measurement;
    expect(targetGone).toBe(true);
    // On a busy machine a request may be given up before it is refused.
    expect(requests.connectErrors + requests.timedOut).toBe(requests.sent - requests.inFlight);
    expect(requests.sent).toBeGreaterThan(0);
    expect(connections.opened).toBe(0);
    expectConservation(measurement);
  });
});
