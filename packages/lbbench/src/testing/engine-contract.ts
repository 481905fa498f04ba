import assert from "node:assert/strict";
import { resolveRequest } from "../config/requests.js";
import type { Level } from "../model/level.js";
import type { CompleteCounts, Measurement } from "../model/measurement.js";
import type { HttpVersion, MixedRequest, RequestSpec } from "../model/scenario.js";
import type { Engine, EngineContext, EngineRun, Load, LoadAmount, LoadProgress } from "../plugin.js";
import { createChildPool } from "../system/fork.js";
import { expectGone, followDescendants, type ContractCase } from "./contract.js";
import {
  startCountingGrpcServer,
  startCountingHttp2Server,
  startCountingServer,
  type AnswerTo,
  type CountingServer,
} from "./counting-servers.js";

/**
 * What every engine has to do, as far as its `supports` says that it can be asked for it: account for every request as the
 * server does, tell its progress, and end at once with what it has when it is aborted. Figures that a driven program does
 * not tell are not missed in an engine whose measurements name one (`program`).
 *
 * Loads of at most 200 requests or 2 s go to a server of this process: one that speaks HTTP, or gRPC for an engine that
 * does not speak HTTP. The latter answers any unary method with an empty message. The engine has the options that it gives
 * itself for `{}`, and its `check` is asked before.
 */
export function engineContract(engine: Engine): readonly ContractCase[] {
  const asked = abilitiesOf(engine);
  const checks = [...closedLoopChecks(asked), ...requestChecks(asked), ...openLoopChecks(asked), ...rampChecks(asked)];
  const cases = checks.map((one) => ({ name: one.name, run: () => runCheck(engine, one) }));
  return [...cases, ...lifeCases(engine, asked)];
}

/** A load, how the server answers to it, and what has to come of it. */
interface EngineCheck {
  /** A sentence about the engine. */
  readonly name: string;
  readonly level: Level;
  /** One by default. */
  readonly generators?: number;
  /** Requests that may be in flight on a schedule. */
  readonly maxInFlight?: number;
  /** `true` by default. */
  readonly keepAlive?: boolean;
  /** The first that the engine can send by default. */
  readonly httpVersion?: HttpVersion;
  /** What it has of its own; a GET of `/` by default. */
  readonly request?: Partial<RequestSpec>;
  readonly mix?: readonly MixedRequest[];
  readonly answer?: AnswerTo;
  readonly context?: (server: CountingServer) => Partial<EngineContext>;
  /** What has to be counted, and `statusCodes` by what the server does, where the engine tells them. */
  readonly counts?: Partial<CompleteCounts>;
  readonly statusCodes?: { readonly ok: number; readonly error: number };
  /** Requests that the server has to have counted. */
  readonly arrived?: number;
  /** Throws when anything else is not what it has to be. That every request has one outcome is looked at besides. */
  readonly check?: (run: EngineRun, server: CountingServer) => void;
}

/** So long that nothing ends because of it. */
const LONG_MS = 600_000;
/** How long a load for a time lasts: whole seconds, which all engines can do. */
const TIMED_MS = 1000;
/** Within which an engine has ended that was aborted. */
const QUICK_MS = 5000;
/** Requests that may be in flight on a schedule by default. */
const MAX_IN_FLIGHT = 30;
/** Until all users of a ramp have come. */
const RAMP_MS = 1300;

/** What is sent where nothing else is asked for. */
const REQUEST = resolveRequest({});

const everyFourthFails: AnswerTo = (number) => (number % 4 === 0 ? "error" : "ok");
const okUpTo =
  (count: number): AnswerTo =>
  (number) =>
    number > count ? "nothing" : "ok";

/** What an engine can be asked for, and how. */
type Abilities = ReturnType<typeof abilitiesOf>;

function abilitiesOf({ supports }: Engine) {
  const sends = (amount: LoadAmount): boolean => supports.amounts?.includes(amount) ?? true;
  const splits = supports.generators ?? true;
  return {
    supports,
    /** It speaks gRPC otherwise. */
    speaksHttp: supports.protocols.includes("http"),
    sends,
    splits,
    /** Two generators for an engine that can have them. */
    two: splits ? 2 : 1,
    /**
     * A load of which exactly so many requests are answered, whatever the engine can be told: in a load for a time the
     * server leaves all further requests open.
     */
    answered: (
      connections: number,
      requests: number,
      answer: AnswerTo = () => "ok",
    ): Required<Pick<EngineCheck, "level" | "answer">> =>
      sends("requests")
        ? { level: { connections, requests }, answer }
        : {
            level: { connections, durationMs: TIMED_MS },
            answer: (number) => (number > requests ? "nothing" : answer(number)),
          },
    /** Two of what its levels can be values of: for so many requests, or for a time where that cannot be said. */
    twoFor: (amount: Pick<Level, "requests" | "durationMs">): Level => {
      const { loads } = supports;
      if (!loads.includes("connections") && loads.includes("users")) {
        return { users: 2, durationMs: amount.durationMs ?? TIMED_MS };
      }
      const value = loads.includes("connections") ? { connections: 2 } : { rate: 200 };
      const isKept = sends("requests") || amount.requests === undefined;
      return { ...value, ...(isKept ? amount : { durationMs: TIMED_MS }) };
    },
  };
}

/** Lets the engine send a load to a server of this process. Rejects with what was expected and what came. */
async function runCheck(engine: Engine, one: EngineCheck): Promise<void> {
  const [first = "1.1"] = engine.supports.httpVersions ?? [];
  const { httpVersion = first } = one;
  const server = await startServer(engine, httpVersion, one.answer);
  const children = createChildPool("generator");
  try {
    const { signal } = new AbortController();
    const context = { signal, children, folder: process.cwd(), ...one.context?.(server) };
    const load = { ...toLoad(engine, one, server.url), ...(httpVersion === "1.1" ? {} : { httpVersion }) };
    await engine.check?.({ ...load, mix: one.mix ?? null, levels: [one.level] }, context);
    const run = await engine.run(load, context);
    expectCounts(run.measurement, one, server);
    one.check?.(run, server);
  } finally {
    await children.close();
    await server.close();
  }
}

function expectCounts(
  measurement: Measurement,
  { counts = {}, statusCodes, arrived }: EngineCheck,
  server: CountingServer,
): void {
  const { requests, program } = measurement;
  const { sent, ...outcomes } = requests;
  const accounted = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  assert.equal(accounted, sent, `outcomes do not add up to the requests sent: ${JSON.stringify(requests)}`);
  for (const [kind, count] of Object.entries(counts)) assert.equal(requests[kind as keyof CompleteCounts], count, kind);
  if (arrived !== undefined) assert.equal(server.requests(), arrived, "requests that the server counted");
  const isTold = program === undefined || Object.keys(measurement.statusCodes).length > 0;
  if (statusCodes === undefined || !isTold) return;
  const { ok, error } = server.statuses;
  assert.deepEqual(measurement.statusCodes, { [ok]: statusCodes.ok, [error]: statusCodes.error });
}

function startServer(engine: Engine, httpVersion: HttpVersion, answer: EngineCheck["answer"]): Promise<CountingServer> {
  if (!engine.supports.protocols.includes("http")) return startCountingGrpcServer(answer);
  return httpVersion === "2" ? startCountingHttp2Server(answer) : startCountingServer(answer);
}

function toLoad(
  engine: Engine,
  { level, request, mix, generators = 1, maxInFlight = MAX_IN_FLIGHT, keepAlive = true }: EngineCheck,
  url: string,
): Load {
  return {
    url,
    level,
    request: { ...REQUEST, ...request },
    ...(mix === undefined ? {} : { mix }),
    timeoutMs: LONG_MS,
    keepAlive,
    ...(level.rate === undefined ? {} : { arrival: { spacing: "uniform", seed: 1, maxInFlight } }),
    ...(level.users === undefined ? {} : { ramp: { from: 2, riseMs: RAMP_MS, steps: 1 } }),
    options: engine.options?.parse({}) ?? {},
    atEnd: "cut",
    generators,
  };
}

/**
 * Rejects with an `AssertionError` unless it is what it has to be. Nothing at all may be said by a program that the engine
 * drives, which is not asked to tell everything.
 */
function expectTold(
  { program }: Measurement,
  told: number | undefined,
  expected: number | undefined,
  what: string,
): void {
  if (told !== undefined || program === undefined) assert.equal(told, expected, what);
}

/** What comes of levels of connections. */
function closedLoopChecks({ supports, speaksHttp, sends, splits, answered }: Abilities): readonly EngineCheck[] {
  if (!supports.loads.includes("connections")) return [];
  const counted = (name: string, connections: number, requests: number, generators: number): EngineCheck => ({
    name,
    level: { connections, requests },
    generators,
    counts: { sent: requests, ok: requests },
    arrived: requests,
    check: ({ measurement }, server) => {
      const { opened } = measurement.connections;
      expectTold(measurement, opened, server.connections(), "connections that the server accepted");
      // Over gRPC, users may share connections.
      if (speaksHttp) expectTold(measurement, opened, connections, "connections opened");
    },
  });
  const manyConnections = splits
    ? counted("splits requests and connections without a rest", 7, 200, 3)
    : counted("sends exactly the requests of several connections", 5, 200, 1);
  const outcomes: readonly EngineCheck[] = [
    {
      name: "counts answers of an unexpected status",
      ...answered(4, 100, everyFourthFails),
      counts: { ok: 75, non2xx: 25 },
      statusCodes: { ok: 75, error: 25 },
    },
    {
      name: "counts requests that end without an answer",
      ...answered(5, 100, (number) => (number % 10 === 0 ? "hang up" : "ok")),
      counts: { ok: 90 },
      check: ({ measurement: { requests } }) => {
        assert.equal((requests.dropped ?? 0) + (requests.resets ?? 0) + (requests.unclassified ?? 0), 10);
      },
    },
  ];
  const timed: EngineCheck = {
    name: "ends a timed run in time, and what is open then is in flight",
    level: { connections: 3, durationMs: TIMED_MS },
    answer: okUpTo(30),
    counts: { ok: 30 },
    check: ({ measurement }, server) => {
      const { requests, elapsedMs } = measurement;
      expectTold(measurement, requests.inFlight, 3, "requests in flight");
      assert.equal(server.requests(), requests.sent + (requests.inFlight === undefined ? 3 : 0));
      assert.ok(elapsedMs >= TIMED_MS * 0.9, `it lasted ${elapsedMs} ms of ${TIMED_MS}`);
    },
  };
  const connectionForEach: EngineCheck = {
    name: "opens a connection for each request where connections are not to be kept",
    ...answered(4, 40),
    keepAlive: false,
    counts: { ok: 40 },
    check: ({ measurement }, server) => {
      const { connections } = measurement;
      // A program may connect once more, to see whether anybody listens.
      assert.ok(server.connections() >= server.requests(), "requests shared a connection");
      expectTold(measurement, connections.established, server.requests(), "connections established");
      expectTold(measurement, connections.established, server.connections(), "connections that the server accepted");
    },
  };
  return [
    ...(sends("requests") ? [counted("sends exactly the requests of one connection", 1, 50, 1), manyConnections] : []),
    ...outcomes,
    ...(sends("duration") ? [timed] : []),
    ...(supports.keepAliveOff ? [connectionForEach] : []),
  ];
}

/** What comes of requests that are not the plain ones: other expectations, several at a time, HTTP/2. */
function requestChecks({ supports, speaksHttp, sends, two, answered }: Abilities): readonly EngineCheck[] {
  if (!speaksHttp || !supports.loads.includes("connections")) return [];
  const expectations: readonly EngineCheck[] = [
    {
      name: "counts as ok the statuses that are expected, and no others",
      ...answered(5, 100, everyFourthFails),
      request: { expectStatus: "503" },
      counts: { ok: 25, non2xx: 75 },
      statusCodes: { ok: 75, error: 25 },
    },
    {
      name: "counts as ok the body that is expected, and no other",
      ...answered(5, 100, everyFourthFails),
      request: { expectStatus: "200,503", expectBody: "hello" },
      counts: { ok: 75, mismatched: 25 },
      statusCodes: { ok: 75, error: 25 },
    },
  ];
  /** An entry whose requests are those of all others, but for what is expected of the answer. */
  const entry = (name: string, weight: number, expectStatus: string): MixedRequest => ({
    name,
    weight,
    request: { ...REQUEST, path: `/${name}`, expectStatus },
    bodies: null,
  });
  const mix: EngineCheck = {
    name: "sends a mix in proportion to its weights, and tells what became of each request",
    level: { connections: 4, requests: 200 },
    generators: two,
    mix: [entry("good", 3, REQUEST.expectStatus), entry("bad", 1, "404")],
    counts: { non2xx: 50 },
    arrived: 200,
    check: ({ measurement }) => {
      assert.deepEqual(
        measurement.mix?.map(({ name, sent, ok, failed }) => ({ name, sent, ok, failed })),
        [
          { name: "good", sent: 150, ok: 150, failed: 0 },
          { name: "bad", sent: 50, ok: 0, failed: 50 },
        ],
        "requests by entry of the mix",
      );
    },
  };
  const http2: EngineCheck = {
    name: "sends by HTTP/2 to a server that speaks nothing else",
    ...answered(4, 100, everyFourthFails),
    httpVersion: "2",
    counts: { ok: 75, non2xx: 25 },
    statusCodes: { ok: 75, error: 25 },
  };
  return [
    ...((supports.expectations ?? true) ? expectations : []),
    ...(supports.mixes === true && sends("requests") ? [mix] : []),
    ...(supports.httpVersions?.includes("2") === true ? [http2] : []),
  ];
}

/** What comes of levels that are rates. */
function openLoopChecks({ supports, sends, two }: Abilities): readonly EngineCheck[] {
  if (!supports.loads.includes("rate")) return [];
  const onSchedule: EngineCheck = {
    name: "sends on a schedule, and says how it kept to it",
    level: { rate: 400, requests: 101 },
    generators: two,
    // However slow the machine is, none has to wait for another.
    maxInFlight: 202,
    counts: { sent: 101, ok: 101 },
    arrived: 101,
    check: ({ measurement: { schedule, latency } }) => {
      assert.equal(schedule?.rate, 400);
      assert.equal(schedule.planned, 101, "requests planned");
      assert.equal(schedule.unsent, 0, "requests that could not leave");
      assert.ok((latency?.max ?? 0) >= schedule.lateness.mean, "latency does not count from when a request was due");
    },
  };
  const beyondWhatMayBeInFlight: EngineCheck = {
    name: "counts what is due on a schedule and cannot leave, and leaves it out of what is sent",
    level: { rate: 400, durationMs: TIMED_MS },
    answer: okUpTo(20),
    counts: { ok: 20, inFlight: MAX_IN_FLIGHT, sent: 20 + MAX_IN_FLIGHT },
    arrived: 20 + MAX_IN_FLIGHT,
    check: ({ measurement: { requests, schedule } }) => {
      const unsent = schedule?.unsent ?? 0;
      assert.equal(schedule?.planned, requests.sent + unsent, "requests planned");
      assert.ok(unsent > 0, "nothing could not leave");
    },
  };
  return [...(sends("requests") ? [onSchedule] : []), ...(sends("duration") ? [beyondWhatMayBeInFlight] : [])];
}

/** What comes of levels that are users. */
function rampChecks({ supports, sends, two }: Abilities): readonly EngineCheck[] {
  if (!supports.loads.includes("users") || !sends("duration")) return [];
  return [
    {
      name: "brings users when it is time for them, and tells of every second how many there were",
      level: { users: 5, durationMs: RAMP_MS + 690 },
      generators: two,
      // So that each of them has one request that is open, and sends no other.
      answer: okUpTo(20),
      counts: { ok: 20, inFlight: 5 },
      arrived: 25,
      check: ({ measurement: { timeline } }) => {
        const users = timeline.map((second) => second.users);
        assert.deepEqual(users, [2, 5], "users by the end of each second");
        const sent = timeline.map((second) => second.sent);
        assert.deepEqual(sent, [22, 3], "requests sent in each second");
      },
    },
  ];
}

/** What becomes of its processes, what it tells while it sends, and how it ends early. */
function lifeCases(engine: Engine, { sends, two, twoFor }: Abilities): readonly ContractCase[] {
  const run = (one: Omit<EngineCheck, "name">): Promise<void> => runCheck(engine, { name: "", ...one });
  const toldStart: ContractCase = {
    name: "tells its processes before the first request leaves",
    run: () => {
      const told: { readonly requests: number; readonly processes: number }[] = [];
      return run({
        level: twoFor({ requests: 20 }),
        generators: two,
        context: (server) => ({
          onStart: (processes) => void told.push({ requests: server.requests(), processes: processes.length }),
        }),
        check: ({ generators }) => assert.deepEqual(told, [{ requests: 0, processes: generators.length }]),
      });
    },
  };
  const progress: ContractCase = {
    name: "tells its progress, and never less than before",
    run: () => {
      const told: LoadProgress[] = [];
      return run({
        level: twoFor({ durationMs: TIMED_MS }),
        context: () => ({ onProgress: (now) => void told.push(now) }),
        check: ({ measurement: { requests, timeline } }) => {
          assert.ok(told.length > 0, `no progress was told in ${TIMED_MS} ms`);
          for (const [index, { sent, done, failed = 0, latest }] of told.entries()) {
            const before = told[index - 1] ?? { sent: 0, done: 0 };
            const isOnward = sent >= before.sent && done >= before.done;
            assert.ok(isOnward, `progress went back: ${JSON.stringify(told)}`);
            assert.ok(sent <= requests.sent && done <= sent && failed <= done, "more than there was");
            if (latest !== undefined)
              assert.deepEqual(latest, timeline[latest.second], "a second is not as it was told");
          }
        },
      });
    },
  };
  const abort: ContractCase = {
    name: "ends at once when it is aborted, and keeps what it has counted",
    run: () => {
      const controller = new AbortController();
      let abortedMs = Number.NaN;
      return run({
        level: twoFor(sends("duration") ? { durationMs: LONG_MS } : { requests: 1000 }),
        answer: (number) => {
          // Then there are two that are open.
          if (number === 42) {
            abortedMs = performance.now();
            controller.abort();
          }
          return okUpTo(40)(number);
        },
        context: () => ({ signal: controller.signal }),
        counts: { ok: 40 },
        check: () => {
          const lastedMs = performance.now() - abortedMs;
          assert.ok(lastedMs < QUICK_MS, `it took ${lastedMs} ms to end after the abort`);
        },
      });
    },
  };
  const noProcessLeft: ContractCase = {
    name: "leaves no process when its children are closed",
    run: async () => {
      const descendants = followDescendants();
      let pids: readonly number[] = [];
      await run({
        level: twoFor({ requests: 10 }),
        generators: two,
        context: () => ({
          onStart: async (processes) => {
            pids = processes.map(({ pid }) => pid);
            await descendants.look();
          },
        }),
      });
      expectGone([...pids, ...descendants.seen()]);
    },
  };
  return [toldStart, ...(sends("duration") ? [progress] : []), abort, noProcessLeft];
}
