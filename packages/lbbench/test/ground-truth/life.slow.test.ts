import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { CompleteMeasurement } from "../../src/model/measurement.js";
import type { EngineSupport } from "../../src/plugin.js";
import { everyNth } from "../../src/testing/ground-truth/cases.js";
import { expectAccountsWithinFlight, expectConservation, expectSameAccounts } from "./expect-accounts.js";
import { measure, send } from "./measure.js";
import { SUBJECTS, type Deed, type Subject } from "./subjects.js";

const LONG = { connections: 10, durationMs: 3_600_000 };
const OK: Deed = { what: "ok" };
const answers = (): Deed => OK;
const UNENDING = [LONG, { connections: 10, requests: 1_000_000 }];

const MIXED = everyNth<Deed>(
  { 4: { what: "error" }, 5: { what: "ok", delay: 10 }, 7: { what: "drop" }, 9: { what: "reset" } },
  OK,
);

const agrees = (subject: Subject): void => {
  const { start } = subject;

  it.each<[string, (number: number) => Deed]>([
    ["answers", answers],
    ["does whatever a server can do", MIXED],
    ["closes without an answer", () => ({ what: "drop" })],
  ])("that %s", async (_, behave) => {
    const level = { connections: 10, requests: 100 };
    const counted = await measure(subject, start(behave), level);
    expect(counted.measurement.requests.sent).toBe(100);
    expect(counted.measurement.connections).toMatchObject({ asked: 10, opened: 10 });
    expect(counted.log.mostOpen).toBeLessThanOrEqual(10);
    expectSameAccounts(counted.measurement, counted.log);
    const timed = { connections: 10, durationMs: 60 };
    const cut = await measure(subject, start(behave), timed);
    expectAccountsWithinFlight(cut.measurement, cut.log);
    expect(cut.measurement.requests.inFlight).toBeLessThanOrEqual(10);
    const drained = await measure(subject, start(behave), timed, { atEnd: "drain" });
    expectSameAccounts(drained.measurement, drained.log);
  });
};

/** Accepts the connections of held ports. It listens before any port is free that is to be held. */
const acceptor = net.createServer((far) => void far.unref().on("error", () => {}));
beforeAll(() => once(acceptor.listen(0, "127.0.0.1").unref(), "listening"));

/** Keeps a port that was closed a moment ago from being given to another server: who goes on connecting to it would disturb that one. */
async function holdPort(port: number): Promise<void> {
  const { port: to } = acceptor.address() as AddressInfo;
  // The near end of a connection that stays open while this process lives.
  const near = net.connect({ host: "127.0.0.1", port: to, localAddress: "127.0.0.1", localPort: port });
  await once(near, "connect");
  near.unref();
}

const reaches = (subject: Subject): void => {
  /** Nothing listens there. */
  const closedUrl = `${subject.scheme}://127.0.0.1:1`;
  /** Waits of 10, 20, 40, 80, 160 and then 250 ms; a hot loop makes thousands. */
  const mostAttempts = ({ elapsedMs }: CompleteMeasurement): number => 7 + elapsedMs / 250;

  it("gives up when nothing has answered for the timeout, after few attempts", async () => {
    const { measurement, targetGone } = await send(subject, closedUrl, LONG, { timeoutMs: 300 });
    const { requests } = measurement;
    expect(targetGone).toBe(true);
    // On a busy machine an attempt may be given up before it is refused.
    expect(requests.connectErrors + requests.timedOut).toBe(requests.sent - requests.inFlight);
    expect(requests.sent).toBeGreaterThanOrEqual(10);
    expect(requests.sent).toBeLessThanOrEqual(10 * mostAttempts(measurement));
    expect(measurement).toMatchObject({
      errorCodes: { ECONNREFUSED: requests.connectErrors },
      connections: { asked: 10, opened: 0, established: 0 },
      bytes: { received: 0, body: 0, sent: 0 },
      statusCodes: {},
    });
    expect(measurement).not.toHaveProperty("latency");
    expectConservation(measurement);
  });

  it("does not give up where it is to tell slices, as the target may come back", async () => {
    const level = { connections: 10, durationMs: 700 };
    const { measurement, targetGone } = await send(subject, closedUrl, level, { timeoutMs: 100, sliceMs: 100 });
    expect(targetGone).toBe(false);
    expect(measurement.elapsedMs).toBeGreaterThan(600);
    expect(measurement.slices?.ok.every((ok) => ok === 0)).toBe(true);
    expectConservation(measurement);
  });

  it("makes the exact number of requests where they are used up before", async () => {
    const { measurement, targetGone } = await send(subject, closedUrl, { connections: 10, requests: 20 });
    expect(measurement.requests).toMatchObject({ sent: 20, connectErrors: 20, inFlight: 0 });
    expect(targetGone).toBe(false);
    expectConservation(measurement);
  });

  it("counts a name that is not there", async () => {
    const url = `${subject.scheme}://host.invalid:50051`;
    const { measurement } = await send(subject, url, { connections: 1, requests: 2 });
    expect(measurement.requests).toMatchObject({ sent: 2, connectErrors: 2 });
    // The second where there is no network to ask.
    expect([{ ENOTFOUND: 2 }, { EAI_AGAIN: 2 }]).toContainEqual(measurement.errorCodes);
  });

  it.each(UNENDING)("notices that it is gone in the middle: %o", async (level) => {
    const target = await subject.start((number) => {
      if (number === 100) void target.close().then(() => holdPort(Number(new URL(target.url).port)));
      return OK;
    });
    const { measurement, targetGone } = await send(subject, target.url, level, { timeoutMs: 300 });
    const { requests } = measurement;
    expect(targetGone).toBe(true);
    expect(requests.ok).toBeLessThanOrEqual(target.log.outcomes.ok);
    // Those whose answers were on their way, or came too late for a machine that is busy.
    expect(requests.ok + requests.timedOut).toBeGreaterThanOrEqual(target.log.outcomes.ok - 10);
    expect(requests.connectErrors).toBeGreaterThan(0);
    expect(requests.sent).toBeLessThanOrEqual(target.log.requests + 10 + 10 * mostAttempts(measurement));
    expectConservation(measurement);
  });

  it("goes on when it is back", async () => {
    const slowly = (): Deed => ({ what: "ok", delay: 2 });
    const before = await subject.start(slowly);
    const port = Number(new URL(before.url).port);
    const abort = new AbortController();
    let failed = 0;
    const onProgress = (told: { failed?: number }): void => void (failed = told.failed ?? 0);
    const context = { signal: abort.signal, onProgress };
    const run = send(subject, before.url, LONG, { timeoutMs: 60_000 }, context);
    await vi.waitFor(() => expect(before.log.requests).toBeGreaterThan(50), { timeout: 60_000 });
    await before.close();
    // More than were on their way: the rest found no connection.
    await vi.waitFor(() => expect(failed).toBeGreaterThan(10), { timeout: 60_000 });
    const back = await subject.start(slowly, { port });
    await vi.waitFor(() => expect(back.log.requests).toBeGreaterThan(50), { timeout: 60_000 });
    abort.abort();
    const { measurement, targetGone } = await run;
    await back.close();
    expect(targetGone).toBe(false);
    expect(measurement.requests.connectErrors).toBeGreaterThan(0);
    expect(measurement.requests.ok).toBeGreaterThan(before.log.outcomes.ok);
    expect(measurement.connections).toMatchObject({ asked: 10, opened: 10 });
    expect(measurement.connections.established).toBeGreaterThan(10);
    expectConservation(measurement);
  });

  it.each<[string, (number: number) => Deed, number?]>([
    ["hangs", () => ({ what: "hang" }), 200],
    ["closes every connection", () => ({ what: "drop", delay: 100 })],
    ["resets every connection", () => ({ what: "reset", delay: 100 })],
    ["answers later than the timeout", () => ({ what: "ok", delay: 1000 }), 200],
  ])("is told from one that %s", async (_, behave, timeoutMs = 5000) => {
    const level = { connections: 4, requests: 12 };
    const { measurement, targetGone } = await measure(subject, subject.start(behave), level, { timeoutMs });
    expect(targetGone).toBe(false);
    expect(measurement.requests).toMatchObject({ sent: 12, inFlight: 0, connectErrors: 0 });
    expectConservation(measurement);
  });
};

const tellsTime = (subject: Subject): void => {
  const { start } = subject;

  it("no percentile is below that of the server's own times, nor above the longest, and all of them fit into the run", async () => {
    const behave = (number: number): Deed => ({ what: "ok", delay: (number * 617) % 50 });
    const { measurement, log } = await measure(subject, start(behave), { connections: 20, requests: 200 });
    const { latency, elapsedMs, throughput } = measurement;
    const served = log.serviceMs.toSorted((a, b) => a - b);
    for (const [key, share] of Object.entries({ min: 0, p50: 0.5, p90: 0.9, p99: 0.99, max: 1 } as const)) {
      const told = latency?.[key as "min"];
      const least = served[Math.max(0, Math.ceil(share * 200) - 1)] ?? Number.NaN;
      // A histogram keeps three digits.
      expect(told).toBeGreaterThanOrEqual(least * (["min", "max"].includes(key) ? 1 : 0.999));
      expect(told).toBeLessThanOrEqual(latency?.max ?? Number.NaN);
    }
    // Each user has one request at a time.
    expect(200 * (latency?.mean ?? Number.NaN)).toBeLessThanOrEqual(20 * elapsedMs);
    expect(200 * (latency?.mean ?? Number.NaN)).toBeGreaterThanOrEqual(served.reduce((sum, ms) => sum + ms, 0));
    expect(throughput).toBeCloseTo(200 / (elapsedMs / 1000), 6);
    expect(Object.values(latency ?? {}).some((ms) => !Number.isInteger(ms))).toBe(true);
  });

  it("requests last from the first sent to the last answer", async () => {
    const calledMs = performance.now();
    const { measurement, log } = await measure(subject, start(answers), { connections: 10, requests: 300 });
    const { elapsedMs, latency } = measurement;
    const servedMs = log.lastAnswerMs - log.firstRequestMs;
    expect(elapsedMs).toBeLessThanOrEqual(performance.now() - calledMs);
    expect(elapsedMs).toBeGreaterThanOrEqual(servedMs);
    // The way of the first request to the server and of the last answer back are parts of latencies.
    expect(elapsedMs).toBeLessThanOrEqual(servedMs + 2 * (latency?.max ?? Number.NaN));
  });

  it.each([250, 1000])("a request is given up after the timeout, %i ms, and no sooner", async (timeoutMs) => {
    const behave = everyNth<Deed>({ 3: { what: "hang" } }, OK);
    const level = { connections: 5, requests: 15 };
    const { measurement } = await measure(subject, start(behave), level, { timeoutMs });
    expect(measurement.requests.sent).toBe(15);
    expect(measurement.requests.ok).toBeLessThanOrEqual(10);
    // The clock of the timers and the one of the latencies may differ by a millisecond.
    expect(measurement.failedLatency?.min).toBeGreaterThanOrEqual(timeoutMs - 2);
    expectConservation(measurement);
  });
};

const tellsPhases = (subject: Subject): void => {
  const behave = (): Deed => ({ what: "ok", delay: 10 });

  it("every request connects where connections are not kept, few do elsewhere, and phases add up", async () => {
    const level = { connections: 2, requests: 10 };
    const { measurement } = await measure(subject, subject.start(behave), level, { keepAlive: false });
    const { phases, latency } = measurement;
    if (phases === undefined) throw new Error("There are no phases");
    expect(phases.connect.min).toBeGreaterThan(0);
    expect(phases.total.mean).toBeCloseTo(phases.connect.mean + phases.processing.mean, 6);
    expect(phases.waiting.mean).toBeLessThanOrEqual(phases.processing.mean);
    expect(phases.total.mean).toBeLessThanOrEqual(latency?.mean ?? Number.NaN);
    expect(phases.total.min).toBeGreaterThan(9);
    const kept = await measure(subject, subject.start(behave), { connections: 2, requests: 20 });
    expect(kept.measurement.phases?.connect).toMatchObject({ min: 0, median: 0 });
    expect(kept.measurement.phases?.waiting.min).toBeGreaterThan(9);
  });
};

const rises = (subject: Subject): void => {
  it("tells by class and second how requests failed", async () => {
    const whats = ["ok", "error", "drop"] as const;
    const behave = (number: number): Deed => ({ what: whats[number % 3] ?? "ok", delay: 10 });
    // Two more users after 100, 200 and 300 ms.
    const options = { ramp: { from: 2, riseMs: 300, steps: 3 }, atEnd: "drain" } as const;
    const { measurement, log } = await measure(subject, subject.start(behave), { users: 8, durationMs: 400 }, options);
    expect(measurement.requests).toMatchObject({ sent: log.requests, inFlight: 0 });
    expect(log.mostOpen).toBeLessThanOrEqual(8);
    expectSameAccounts(measurement, log);
  });
};

type Suite = readonly [what: string, suite: (subject: Subject) => void, can?: (supports: EngineSupport) => boolean];

const SUITES: readonly Suite[] = [
  ["agrees with the server", agrees],
  ["with a target that cannot be reached", reaches],
  ["tells the time", tellsTime],
  ["tells the phases of requests apart", tellsPhases, ({ keepAliveOff }) => keepAliveOff],
  ["in a ramp", rises, ({ loads }) => loads.includes("users")],
];

const ALL = SUBJECTS.flatMap((subject) =>
  SUITES.filter(([, , can]) => can?.(subject.engine.supports) !== false).map(([what, suite]) => {
    return { name: `${subject.name} ${what}`, subject, suite };
  }),
);

// The waits of one go on while others are waited for; grpc counts the sockets of its process, and has it to itself.
describe.concurrent.each(ALL.filter(({ subject }) => subject.scheme !== "grpc"))("$name:", ({ subject, suite }) => {
  suite(subject);
});
describe.each(ALL.filter(({ subject }) => subject.scheme === "grpc"))("$name:", ({ subject, suite }) => {
  suite(subject);
});
