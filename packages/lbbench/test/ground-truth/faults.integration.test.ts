import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import { faultResponses } from "../../src/judge/fault-response.js";
import type { CompleteMeasurement, FailureClass } from "../../src/model/measurement.js";
import type { FaultyPart } from "../../src/plugin.js";
import { runStep } from "../../src/run/run-step.js";
import { createChildPool } from "../../src/system/fork.js";
import { anEnvironment, aScenario } from "../../src/test-support/fixtures.js";
import { expectAccountsWithinFlight } from "./expect-accounts.js";
import { HTTP1_SUBJECTS, type Deed, type Subject } from "./subjects.js";

const SLICE_MS = 100;
/** So long after the outage that a pause at the end is no part by which less is answered than before. */
const LEVEL = { rate: 60, durationMs: 6000 };
/** Longer than any wait on a busy machine. */
const TIMEOUT_MS = 1000;
/** From the first request on; in the middle of a slice, so that none of the requests that are lost is near its border. */
const NOTICED_AFTER_MS = 1150;
/** So many are lost at least, however late the backend is killed on a busy machine. */
const LEAST_LOST = 8;

/** A request by the balancer's own account. Times are on the wall clock. */
interface Entry {
  readonly atMs: number;
  readonly backend: string;
  readonly what: Deed["what"];
}

const now = (): number => performance.timeOrigin + performance.now();

/**
 * Measures a balancer of two backends that it asks in turn. One is killed after 600 ms; what it is given until the balancer notices that
 * is lost in one of these ways. It was killed at `killedMs`, which the balancer noticed at `noticedMs`.
 */
async function measureOutage(subject: Subject, lost: readonly Deed["what"][]) {
  const entries: Entry[] = [];
  const askedMs: number[] = [];
  const lostMs: number[] = [];
  const given = { "backend-1": 0, "backend-2": 0 };
  const pauses = monitorEventLoopDelay({ resolution: 5 });
  let [startMs, killedMs] = [Number.NaN, Number.NaN];
  const server = await subject.start((number) => {
    const atMs = now();
    if (number === 1) {
      startMs = atMs;
      pauses.enable();
    }
    const isNoticed = atMs >= startMs + NOTICED_AFTER_MS && lostMs.length >= LEAST_LOST;
    const backend = isNoticed || number % 2 === 0 ? "backend-2" : "backend-1";
    const isLost = backend === "backend-1" && atMs >= killedMs;
    const what = isLost ? (lost[given[backend] % lost.length] ?? "ok") : "ok";
    given[backend] += 1;
    if (what !== "ok") lostMs.push(atMs);
    entries.push({ atMs, backend, what });
    return { what };
  });
  const part: FaultyPart = {
    name: "backend-1",
    role: "backend",
    can: ["kill"],
    apply: async () => void (killedMs = now()),
  };
  const target = {
    server: {
      url: server.url,
      processes: [],
      parts: [part],
      backends: async () => {
        askedMs.push(now());
        return Object.fromEntries(Object.entries(given).map(([name, requests]) => [name, { requests }] as const));
      },
      died: new Promise<string>(() => {}),
      stop: async () => {},
    },
    death: new AbortController().signal,
    isFresh: true,
  };
  const children = createChildPool("generator");
  const { engine, load } = subject;
  try {
    const step = await runStep(
      { target: "mine", trial: 1, level: LEVEL },
      {
        scenario: aScenario({
          warmupMs: 0,
          restart: "step",
          timeoutMs: TIMEOUT_MS,
          engine: { name: engine.name, generators: 1, options: load.options ?? {} },
          arrival: { spacing: "uniform", seed: 1, maxInFlight: 1000 },
          faults: [{ atMs: 600, kind: "kill", part: "backend-1" }],
        }),
        environment: anEnvironment(),
        engines: new Map([[engine.name, engine]]),
        targets: { take: async () => target, stop: async () => {} },
        folder: ".",
        children,
        life: 1,
        history: [],
        signal: new AbortController().signal,
        emit: () => {},
      },
    );
    pauses.disable();
    await children.close();
    await server.drained();
    // The longest time in which it was not asked what its backends were given.
    const unaskedMs = Math.max(...askedMs.slice(1).map((atMs, index) => atMs - (askedMs[index] ?? 0)));
    const noticedMs = Math.max(startMs + NOTICED_AFTER_MS, ...lostMs);
    // The longest time for which this process or that of the load stood still: so much later than the log says may all be seen. Latency
    // counts from when a request is due: a pause is in that of one that is answered.
    const pausedMs = Math.max(pauses.max / 1e6, step.measurement?.latency?.max ?? Number.NaN);
    return { log: server.log, entries, killedMs, noticedMs, unaskedMs, pausedMs, step };
  } finally {
    await children.close();
    await server.close();
  }
}

/** Sums of the slices from the first one to each. */
function upTo(counts: readonly number[]): readonly number[] {
  let sum = 0;
  return counts.map((count) => (sum += count));
}

/** Expects that what was counted in slices is no further than so long from when the log has it. */
function expectInTime(counts: readonly number[], timesMs: readonly number[], mostMs: number): void {
  for (const [slice, sum] of upTo(counts).entries()) {
    const endMs = (slice + 1) * SLICE_MS;
    const before = (atMs: number): number => timesMs.filter((time) => time < atMs).length;
    const place = `up to ${endMs} ms`;
    expect(sum, place).toBeGreaterThanOrEqual(before(endMs - mostMs));
    expect(sum, place).toBeLessThanOrEqual(before(endMs + mostMs));
  }
}

const CLASSES = { ok: undefined, error: "non2xx", drop: "dropped", reset: "resets", hang: "timedOut" } as const;

const WAYS: readonly (readonly Deed["what"][])[] = [["error"], ["drop", "reset"], ["hang"]];
const OPEN_LOOP = HTTP1_SUBJECTS.filter(({ engine }) => engine.supports.loads.includes("rate"));
const CASES = OPEN_LOOP.flatMap((subject) => WAYS.map((lost) => ({ name: subject.name, subject, lost })));

describe.concurrent.each(CASES)(
  "an outage that $name measures, in which requests end in $lost,",
  ({ subject, lost }) => {
    it("is what the balancer's own log says: by class, in slices, by backend, with its effect and its end", async () => {
      const { log, entries, killedMs, noticedMs, unaskedMs, pausedMs, step } = await measureOutage(subject, lost);
      const mostMs = SLICE_MS + pausedMs;
      const { measurement, faults = [] } = step;
      const { slices, requests, startedAt, backends } = measurement as CompleteMeasurement;
      if (slices === undefined) throw new Error("There are no slices");
      expect(step.state).toBe("completed");
      expectAccountsWithinFlight(measurement as CompleteMeasurement, log);

      const startMs = Date.parse(startedAt);
      const [killed] = faults;
      expect(killed).toMatchObject({ kind: "kill", part: "backend-1" });
      expect(Math.abs((killed?.effectMs ?? Number.NaN) - (killedMs - startMs))).toBeLessThan(SLICE_MS);

      const timesOf = (isMeant: (entry: Entry) => boolean): readonly number[] =>
        entries.filter(isMeant).map(({ atMs }) => atMs - startMs);
      const total = (counts: readonly number[] | undefined): number => upTo(counts ?? []).at(-1) ?? 0;
      expect([total(slices.sent), total(slices.ok)]).toEqual([requests.sent, requests.ok]);
      expect(new Set(Object.keys(slices.failures))).toEqual(new Set(lost.map((what) => CLASSES[what])));
      for (const what of lost) {
        const kind = CLASSES[what] as FailureClass;
        const times = timesOf((entry) => entry.what === what);
        expect(times.length).toBeGreaterThan(3);
        expect(requests[kind]).toBe(times.length);
        expect(total(slices.failures[kind])).toBe(times.length);
        expectInTime(
          slices.failures[kind] ?? [],
          times.map((time) => time + (what === "hang" ? TIMEOUT_MS : 0)),
          mostMs,
        );
      }
      for (const name of ["backend-1", "backend-2"]) {
        const times = timesOf(({ backend }) => backend === name);
        const given = backends?.[name]?.requests;
        // What was in flight at the end may come after the last question.
        expect(given).toBeGreaterThanOrEqual(times.length - requests.inFlight);
        expect(given).toBeLessThanOrEqual(times.length);
        expect(total(slices.backends?.[name])).toBe(given);
        expectInTime(slices.backends?.[name] ?? [], times, mostMs + unaskedMs);
      }

      const [response] = faultResponses(step);
      const losses = timesOf(({ what }) => what !== "ok");
      expect(response?.lost).toBe(losses.length);
      const waitMs = (lost.includes("hang") ? TIMEOUT_MS : 0) - (killedMs - startMs);
      expect(response?.recoveryMs).toBeGreaterThanOrEqual(Math.max(...losses) + waitMs - mostMs);
      expect(response?.recoveryMs).toBeLessThanOrEqual(noticedMs - startMs + waitMs + mostMs);
    });
  },
);
