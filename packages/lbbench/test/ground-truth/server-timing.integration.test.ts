import { startSingle } from "@lbbench/backends";
import { createBalancer } from "@lbbench/proxy";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CompleteMeasurement } from "../../src/model/measurement.js";
import { answer } from "../../src/testing/ground-truth/action.js";
import { startTruthServer } from "../../src/testing/ground-truth/truth-server.js";
import { reply, startHttp2Server } from "./http2-server.js";
import { measure, send, type LoadOptions } from "./measure.js";
import { HTTP1_SUBJECTS, SUBJECTS } from "./subjects.js";

const TIMED: LoadOptions = { serverTiming: true };

/** What answers say in turn: a time; nothing; no Server-Timing; more time than passed; a time, and that of a balancer. */
const SAID = ["app;dur=0.001", undefined, "app;dur=x", "db;dur=60000", 'a;dur="0.001", lb-queue;dur=2, lb;dur=3'];

/** Latency is the sum of its parts, of each request and so on average. */
function expectWhole({ latency, serverTiming }: CompleteMeasurement): void {
  const parts = [serverTiming?.generator, serverTiming?.backend, serverTiming?.added];
  const sum = parts.reduce((total, part) => total + (part?.mean ?? 0), 0);
  expect(sum).toBeCloseTo(latency?.mean ?? Number.NaN, 6);
}

const speakers = SUBJECTS.filter(({ engine }) => engine.supports.serverTiming === true);

describe.each(speakers)("$name", (subject) => {
  const start = () => {
    const headersOf = (number: number): Readonly<Record<string, string>> => {
      const said = SAID[number % SAID.length];
      return said === undefined ? {} : { "Server-Timing": said };
    };
    // Of those that fail nothing is told.
    const statusOf = (number: number) =>
      number <= 30 ? ({ outcome: "non2xx", status: 503 } as const) : ({ status: 200 } as const);
    if (subject.load.httpVersion === "2") {
      return startHttp2Server((number) => reply({ ...statusOf(number), headers: headersOf(number) }));
    }
    return startTruthServer((number) => {
      const lines = Object.entries(headersOf(number)).map((line) => line.join(": "));
      return answer({ ...statusOf(number), headers: ["Content-Length: 5", ...lines] });
    });
  };

  it.each([1, 2])("counts what ok answers say in Server-Timing, by %i generators", async (generators) => {
    const options = { ...TIMED, generators };
    const { measurement } = await measure(subject, start(), { connections: 8, requests: 230 }, options);
    expect(measurement.requests).toMatchObject({ ok: 200, non2xx: 30 });
    const { serverTiming } = measurement;
    expect(serverTiming).toMatchObject({ told: 120, untold: 40, malformed: 40, negative: 40 });
    expect(serverTiming?.backend).toMatchObject({ min: 0.001, p50: 0.001, max: 60_000 });
    expect(serverTiming?.added).toMatchObject({ min: 0, max: expect.any(Number) });
    expect(serverTiming?.added?.max).toBeLessThanOrEqual(measurement.latency?.max ?? 0);
    expect(serverTiming?.balancer).toMatchObject({
      queue: { min: 2, p50: 2, max: 2 },
      connect: { min: 0, p99: 0, max: 0 },
      total: { min: 3, max: 3 },
    });
    expect(serverTiming).not.toHaveProperty("generator");
  });

  it("reads none where it is not asked to", async () => {
    const { measurement } = await measure(subject, start(), { connections: 8, requests: 40 });
    expect(measurement).not.toHaveProperty("serverTiming");
  });
});

async function startBackend(handler: string) {
  const backend = await startSingle({ handler, timing: true });
  onTestFinished(() => backend.stop());
  return backend;
}

describe.each(HTTP1_SUBJECTS)("$name", (subject) => {
  it.each([
    [1, true],
    [Infinity, false],
  ])("is told of the queue of a balancer with %d connections to a backend", async (connectionsPerBackend, isQueued) => {
    const backend = await startBackend("sleep:2ms");
    const balancer = createBalancer({
      backends: [{ url: backend.url }],
      limits: { connectionsPerBackend },
      serverTiming: true,
    });
    onTestFinished(() => balancer.close({ graceMs: 0 }));
    const { url } = await balancer.listen();
    const { measurement } = await send(subject, `${url}/`, { connections: 4, requests: 60 }, TIMED);
    const { balancer: told, backend: own, ...counts } = measurement.serverTiming ?? {};
    expect(counts).toMatchObject({ told: 60, untold: 0, malformed: 0, negative: 0 });
    // A timer may be a little early.
    expect(own?.min).toBeGreaterThan(0.5);
    expect((told?.queue.max ?? 0) > 0).toBe(isQueued);
    // Each connection to the backend is made once, and kept.
    expect(told?.connect).toMatchObject({ min: 0, p50: 0 });
    expect(told?.connect.max).toBeGreaterThan(0);
    // What the balancer says is of the same time as what the backend does, and a part of the latency.
    expect(told?.total.min).toBeGreaterThanOrEqual(0.5);
    expect(told?.total.mean).toBeLessThanOrEqual(measurement.latency?.mean ?? 0);
    expectWhole(measurement);
  });
});

const OPEN = HTTP1_SUBJECTS.filter(({ engine }) => engine.supports.loads.includes("rate"));

it.each(OPEN)("$name tells its own lateness in an open loop from what is added", async (subject) => {
  const backend = await startBackend("hello");
  const { measurement } = await send(subject, backend.url, { rate: 400, requests: 100 }, TIMED);
  expect(measurement.serverTiming).toMatchObject({ told: 100, negative: 0 });
  expect(measurement.serverTiming?.generator?.mean).toBeCloseTo(measurement.schedule?.lateness.mean ?? Number.NaN, 6);
  expectWhole(measurement);
});
