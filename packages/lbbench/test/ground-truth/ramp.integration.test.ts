import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import type { CompleteMeasurement, TimelineSecond } from "../../src/model/measurement.js";
import type { Ramp } from "../../src/model/scenario.js";
import { untilKept } from "../support/until-kept.js";
import { closedPort } from "./closed-port.js";
import { expectConservation } from "./expect-accounts.js";
import { aContext, aLoad, type LoadOptions } from "./load.js";
import { RAMP_SUBJECTS, type RampTarget, type SeenRequest } from "./ramp-target.js";

/** Two more users after 1.2, 2.4 and 3.6 s: far from the ends of seconds, so that one who is late is so in the same one. */
const RAMP: Ramp = { from: 2, riseMs: 3600, steps: 3 };
const LEVEL = { users: 8, durationMs: 4600 };
const PLANNED = [2, 4, 6, 8, 8];

describe.each(RAMP_SUBJECTS)("engine $engine.name in a ramp", ({ engine, start }) => {
  const children = createChildPool("generator");
  let target: RampTarget | undefined;
  afterEach(async () => {
    await target?.close();
    target = undefined;
  });
  afterAll(() => children.close());

  const rise = async (
    behave: Parameters<typeof start>[0],
    options: LoadOptions & { readonly level?: typeof LEVEL } = {},
  ): Promise<{ readonly measurement: CompleteMeasurement; readonly seen: readonly SeenRequest[] }> => {
    const { level = LEVEL, ramp = RAMP, ...rest } = options;
    const server = await start(behave);
    target = server;
    const given = engine.options?.parse({}) ?? {};
    const load = aLoad(server.url, level, { ramp, options: given, ...rest });
    const { measurement } = await engine.run(load, aContext(children));
    await server.drained();
    await server.close();
    return { measurement, seen: server.seen };
  };

  it.each([1, 3])(
    "has as many users in every second as planned, by %i generators, and the server sees them",
    async (generators) => {
      const tries = await untilKept(
        async () => {
          const { measurement, seen } = await rise(() => ({ what: "ok", delayMs: 30 }), { generators });
          const { requests, timeline, connections } = measurement;
          expectConservation(measurement);
          expect(requests.ok + requests.inFlight).toBe(requests.sent);
          expect(seen.length).toBeLessThanOrEqual(requests.sent);
          expect(seen.length).toBeGreaterThanOrEqual(requests.ok);
          // Nobody comes before it is time, whatever else this machine does.
          for (const { second, users = Number.NaN } of timeline) {
            expect(users).toBeLessThanOrEqual(PLANNED[second] ?? LEVEL.users);
          }
          expect(Math.max(...seen.map(({ users }) => users))).toBeLessThanOrEqual(LEVEL.users);
          const told = timeline.slice(0, PLANNED.length).map(({ users }) => users);
          return { value: { told, counted: mostBySecond(seen, measurement), connections }, isDisturbed: false };
        },
        ({ told, counted }) => [told, counted].every((users) => JSON.stringify(users) === JSON.stringify(PLANNED)),
      );
      // By gRPC users share connections.
      const connections = engine.name === "grpc" ? 4 : LEVEL.users;
      expect(tries.at(-1)).toEqual({
        told: PLANNED,
        counted: PLANNED,
        connections: { asked: connections, opened: connections, established: connections },
      });
    },
  );

  it("tells by class and second when the server began to fail", async () => {
    const failsFrom = 60;
    const hangsUp = engine.name !== "grpc";
    const { measurement, seen } = await rise(
      (number) => {
        if (number < failsFrom) return { what: "ok", delayMs: 50 };
        return { what: hangsUp && number % 3 === 0 ? "dropped" : "non2xx", delayMs: 50 };
      },
      { atEnd: "drain" },
    );
    const { timeline, requests } = measurement;
    expectConservation(measurement);
    // Nothing is cut, so that the server saw the same to the last request.
    expect(requests).toMatchObject({ sent: seen.length, ok: failsFrom - 1, inFlight: 0 });
    for (const kind of ["non2xx", "dropped"] as const) {
      const failed = seen.filter(({ what }) => what === kind);
      expect(requests[kind]).toBe(failed.length);
      expect(failed.length > 0).toBe(kind === "non2xx" || hangsUp);
      for (const { second } of timeline) {
        const byServer = failed.filter(({ answerAtMs }) => answerAtMs < endOf(second, measurement)).length;
        const byClient = sum(timeline.slice(0, second + 1).map(({ failures }) => failures?.[kind] ?? 0));
        // Those that were on their way at the end of the second, of at most so many users.
        expect(Math.abs(byServer - byClient)).toBeLessThanOrEqual(LEVEL.users);
      }
    }
    const first = timeline.findIndex(({ failed }) => failed > 0);
    expect(sum(timeline.slice(first + 1).map(({ ok }) => ok))).toBeLessThanOrEqual(LEVEL.users);
  });

  it(
    "waits longer the more users there are at a server that serves one at a time, as Little's law says",
    { timeout: 120_000 },
    async () => {
      const ramp = { from: 2, riseMs: 4000, steps: 2 };
      const tries = await untilKept(
        async () => {
          let freeMs = 0;
          const serveOne = (): number => {
            freeMs = Math.max(performance.now(), freeMs) + 15;
            return freeMs - performance.now();
          };
          const { measurement } = await rise(() => ({ what: "ok", delayMs: serveOne() }), {
            ramp,
            level: { users: 10, durationMs: 6000 },
          });
          // Of each step the second in which it is the same from beginning to end.
          const settled = [1, 3, 5].flatMap((second) => measurement.timeline[second] ?? []);
          return { value: settled, isDisturbed: false };
        },
        (settled) => settled.every(isAsLittleSays),
        6,
      );
      const settled = tries.at(-1) ?? [];
      expect(settled.map(({ users }) => users)).toEqual([2, 6, 10]);
      expect(settled.map(isAsLittleSays), JSON.stringify(tries)).toEqual([true, true, true]);
      const [two, six, ten] = settled.map(({ p50 }) => p50 ?? Number.NaN);
      expect((six ?? 0) / (two ?? 0)).toBeGreaterThan(2);
      expect((ten ?? 0) / (six ?? 0)).toBeGreaterThan(1.3);
    },
  );

  it("tells of every second of a target that hangs, and sends one request of each user who comes", async () => {
    const { measurement } = await rise(() => ({ what: "hang" }), { generators: 2 });
    const { timeline, requests } = measurement;
    expectConservation(measurement);
    expect(requests).toMatchObject({ sent: LEVEL.users, inFlight: LEVEL.users, ok: 0 });
    expect(timeline).toHaveLength(PLANNED.length);
    expect(sum(timeline.map(({ sent }) => sent))).toBe(LEVEL.users);
    let come = 0;
    for (const { sent, users, ...rest } of timeline) {
      come += sent;
      expect(users).toBe(come);
      expect(rest).toMatchObject({ ok: 0, failed: 0, failures: {}, p50: null, p90: null, p99: null, max: null });
    }
  });

  it("does not wait, at its end, for users whose time has not come", async () => {
    const ramp = { from: 2, riseMs: 600_000, steps: null };
    const { measurement, seen } = await rise(() => ({ what: "ok", delayMs: 5 }), {
      ramp,
      level: { users: 50, durationMs: 300 },
      atEnd: "drain",
    });
    expectConservation(measurement);
    expect(measurement.requests).toMatchObject({ sent: seen.length, ok: seen.length, inFlight: 0 });
    expect(measurement.connections.opened).toBe(2);
    expect(Math.max(...seen.map(({ users }) => users))).toBe(2);
  });

  it("gives up a target that is gone without bringing any more users", async () => {
    const url = `${engine.name === "grpc" ? "grpc" : "http"}://127.0.0.1:${await closedPort()}`;
    const load = aLoad(
      url,
      { users: 100, durationMs: 600_000 },
      { ramp: { from: 1, riseMs: 500_000, steps: 2 }, timeoutMs: 400, options: engine.options?.parse({}) ?? {} },
    );
    const { measurement, targetGone } = await engine.run(load, aContext(children));
    expect(targetGone).toBe(true);
    expectConservation(measurement);
    expect(measurement.requests.connectErrors).toBe(measurement.requests.sent - measurement.requests.inFlight);
    expect(measurement.timeline.at(-1)?.users).toBe(1);
  });
});

/** In how many users there are the throughput and the latency of a second agree. */
function isAsLittleSays({ ok, p50, users = Number.NaN }: TimelineSecond): boolean {
  return Math.abs((ok * (p50 ?? Number.NaN)) / 1000 / users - 1) < 0.15;
}

/** When a second of the timeline ends on the wall clock, to some milliseconds. */
function endOf(second: number, { startedAt }: CompleteMeasurement): number {
  return Date.parse(startedAt) + (second + 1) * 1000;
}

/** The most users that the server saw up to the end of each second. */
function mostBySecond(seen: readonly SeenRequest[], measurement: CompleteMeasurement): readonly number[] {
  return PLANNED.map((_, second) =>
    Math.max(0, ...seen.filter(({ atMs }) => atMs < endOf(second, measurement)).map(({ users }) => users)),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
