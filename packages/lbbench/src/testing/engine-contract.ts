import assert from "node:assert/strict";
import { createChildPool } from "../child/pool.js";
import type { Level } from "../model/level.js";
import type { Measurement } from "../model/measurement.js";
import type { Engine, EngineContext, EngineRun, Load } from "../plugin.js";
import type { ContractCase } from "./contract-case.js";
import { startCountingGrpcServer } from "./counting-grpc-server.js";
import { startCountingServer, type Answer, type CountingServer } from "./counting-server.js";
import { followDescendants, runningOf } from "./processes.js";

const LONG_MS = 600_000;
const QUICK_MS = 5000;
const TIMED_MS = 600;
const MAX_IN_FLIGHT = 30;

/**
 * What every engine has to do: account for every request as the server does, tell its progress, and end at once with
 * what it has when it is aborted. Loads of at most 200 requests or 0.6 s go to a server of this process: one that speaks
 * HTTP, or gRPC for an engine that does not speak HTTP. The latter answers any unary method with an empty message. The
 * engine has the options that it gives itself for `{}`.
 */
export function engineContract(engine: Engine): readonly ContractCase[] {
  const counted = (level: Level, generators: number): Check => ({
    level,
    generators,
    check: ({ measurement }, server) => {
      assert.equal(measurement.requests.sent, level.requests, "requests sent");
      assert.equal(measurement.requests.ok, level.requests, "requests answered");
      assert.equal(server.requests(), level.requests, "requests that the server counted");
      assert.equal(measurement.connections.opened, server.connections(), "connections that the server accepted");
      // Over gRPC, users may share connections.
      if (speaksHttp(engine)) assert.equal(measurement.connections.opened, level.connections, "connections opened");
    },
  });
  const cases: readonly (Check & Pick<ContractCase, "name">)[] = [
    { name: "sends exactly the requests of one connection", ...counted({ connections: 1, requests: 50 }, 1) },
    { name: "splits requests and connections without a rest", ...counted({ connections: 7, requests: 200 }, 3) },
    {
      name: "counts answers of an unexpected status",
      level: { connections: 5, requests: 100 },
      answer: (number) => (number % 4 === 0 ? "error" : "ok"),
      check: ({ measurement: { requests, statusCodes } }, { statuses }) => {
        assert.equal(requests.non2xx, 25);
        assert.deepEqual(statusCodes, { [statuses.ok]: 75, [statuses.error]: 25 });
      },
    },
    {
      name: "counts requests that end without an answer",
      level: { connections: 5, requests: 100 },
      answer: (number) => (number % 10 === 0 ? "hang up" : "ok"),
      check: ({ measurement: { requests } }) => {
        assert.equal(requests.ok, 90);
        assert.equal((requests.dropped ?? 0) + (requests.resets ?? 0) + (requests.unclassified ?? 0), 10);
      },
    },
    {
      name: "ends a timed run in time, and what is open then is in flight",
      level: { connections: 3, durationMs: TIMED_MS },
      answer: (number) => (number > 30 ? "nothing" : "ok"),
      check: ({ measurement: { requests, elapsedMs } }, server) => {
        assert.equal(requests.ok, 30);
        assert.equal(requests.inFlight, 3);
        assert.equal(server.requests(), requests.sent);
        assert.ok(elapsedMs >= TIMED_MS * 0.9, `it lasted ${elapsedMs} ms of ${TIMED_MS}`);
      },
    },
  ];
  const scheduled: typeof cases = [
    {
      name: "sends on a schedule, and says how it kept to it",
      level: { rate: 400, requests: 101 },
      generators: 2,
      check: ({ measurement: { requests, schedule, latency } }, server) => {
        assert.equal(schedule?.rate, 400);
        assert.equal(schedule.planned, 101, "requests planned");
        assert.equal(schedule.unsent, 0, "requests that could not leave");
        assert.equal(requests.sent, 101, "requests sent");
        assert.equal(requests.ok, 101, "requests answered");
        assert.equal(server.requests(), 101, "requests that the server counted");
        assert.ok((latency?.max ?? 0) >= schedule.lateness.mean, "latency does not count from when a request was due");
      },
    },
    {
      name: "counts what is due on a schedule and cannot leave, and leaves it out of what is sent",
      level: { rate: 400, durationMs: TIMED_MS },
      answer: (number) => (number > 20 ? "nothing" : "ok"),
      check: ({ measurement: { requests, schedule } }, server) => {
        assert.equal(requests.ok, 20);
        assert.equal(requests.inFlight, MAX_IN_FLIGHT);
        assert.equal(requests.sent, 20 + MAX_IN_FLIGHT);
        assert.equal(server.requests(), requests.sent, "requests that the server counted");
        const unsent = schedule?.unsent ?? 0;
        assert.equal(schedule?.planned, requests.sent + unsent, "requests planned");
        assert.ok(unsent > 0, "nothing could not leave");
      },
    },
  ];
  const onSchedule = engine.supports.loads.includes("rate") ? scheduled : [];
  return [
    ...[...cases, ...onSchedule].map(({ name, ...check }) => ({ name, run: () => withLoad(engine, check) })),
    { name: "tells its processes before the first request leaves", run: () => expectStartIsTold(engine) },
    { name: "tells its progress, and never less than before", run: () => expectProgress(engine) },
    { name: "ends at once when it is aborted, and keeps what it has counted", run: () => expectAbort(engine) },
    { name: "leaves no process when its children are closed", run: () => expectNoProcessLeft(engine) },
  ];
}

interface Check {
  readonly level: Level;
  readonly generators?: number;
  readonly answer?: (number: number) => Answer;
  readonly context?: (server: CountingServer) => Partial<EngineContext>;
  readonly check: (run: EngineRun, server: CountingServer) => void;
}

async function withLoad(
  engine: Engine,
  { level, generators = 1, answer, context: contextOf, check }: Check,
): Promise<void> {
  const server = await (speaksHttp(engine) ? startCountingServer(answer) : startCountingGrpcServer(answer));
  const children = createChildPool("generator");
  try {
    const signal = new AbortController().signal;
    const options = engine.options?.parse({}) ?? {};
    const context = { signal, children, folder: process.cwd(), ...contextOf?.(server) };
    const run = await engine.run(toLoad(server.url, level, generators, options), context);
    expectConservation(run.measurement);
    check(run, server);
  } finally {
    await children.close();
    await server.close();
  }
}

function speaksHttp({ supports }: Engine): boolean {
  return supports.protocols.includes("http");
}

function toLoad(url: string, level: Level, generators: number, options: Load["options"]): Load {
  const request = { method: "GET", path: "/", headers: [], body: null, bodyEncoding: "utf8" as const };
  return {
    url,
    level,
    request: { ...request, expectStatus: "2xx", expectBody: null },
    timeoutMs: LONG_MS,
    keepAlive: true,
    ...(level.rate === undefined ? {} : { arrival: { spacing: "uniform", seed: 1, maxInFlight: MAX_IN_FLIGHT } }),
    options,
    atEnd: "cut",
    generators,
  };
}

function expectConservation({ requests }: Measurement): void {
  const { sent, ...outcomes } = requests;
  const accounted = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  assert.equal(accounted, sent, `outcomes do not add up to the requests sent: ${JSON.stringify(requests)}`);
}

async function expectStartIsTold(engine: Engine): Promise<void> {
  const told: { readonly requests: number; readonly processes: number }[] = [];
  await withLoad(engine, {
    level: { connections: 2, requests: 20 },
    generators: 2,
    context: (server) => ({
      onStart: (processes) => void told.push({ requests: server.requests(), processes: processes.length }),
    }),
    check: ({ generators }) => {
      assert.deepEqual(told, [{ requests: 0, processes: generators.length }]);
    },
  });
}

async function expectProgress(engine: Engine): Promise<void> {
  const told: { readonly sent: number; readonly done: number }[] = [];
  await withLoad(engine, {
    level: { connections: 2, durationMs: TIMED_MS },
    answer: (number) => (number > 100 ? "nothing" : "ok"),
    context: () => ({ onProgress: ({ sent, done }) => void told.push({ sent, done }) }),
    check: ({ measurement: { requests } }) => {
      assert.ok(told.length > 0, `no progress was told in ${TIMED_MS} ms`);
      assert.ok(
        told.every(
          ({ sent, done }, index) => sent >= (told[index - 1]?.sent ?? 0) && done >= (told[index - 1]?.done ?? 0),
        ),
        `progress went back: ${JSON.stringify(told)}`,
      );
      assert.ok(
        told.every(({ sent, done }) => sent <= requests.sent && done <= sent),
        "more than there was",
      );
    },
  });
}

async function expectAbort(engine: Engine): Promise<void> {
  const controller = new AbortController();
  let abortedMs = Number.NaN;
  await withLoad(engine, {
    level: { connections: 4, durationMs: LONG_MS },
    answer: (number) => {
      // Then each of the four has one that is open.
      if (number === 44) {
        abortedMs = performance.now();
        controller.abort();
      }
      return number > 40 ? "nothing" : "ok";
    },
    context: () => ({ signal: controller.signal }),
    check: ({ measurement: { requests } }) => {
      const lastedMs = performance.now() - abortedMs;
      assert.ok(lastedMs < QUICK_MS, `it took ${lastedMs} ms to end after the abort`);
      assert.equal(requests.ok, 40);
    },
  });
}

async function expectNoProcessLeft(engine: Engine): Promise<void> {
  const descendants = await followDescendants();
  let pids: readonly number[] = [];
  await withLoad(engine, {
    level: { connections: 2, requests: 10 },
    generators: 2,
    context: () => ({
      onStart: async (processes) => {
        pids = processes.map(({ pid }) => pid);
        await descendants.look();
      },
    }),
    check: () => {},
  });
  assert.deepEqual(runningOf([...pids, ...descendants.seen()]), [], "processes that are left");
}
