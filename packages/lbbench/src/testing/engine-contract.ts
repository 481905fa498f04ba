import assert from "node:assert/strict";
import { resolveRequest } from "../config/requests.js";
import type { Level, LoadKind } from "../model/level.js";
import type { CompleteCounts, Measurement } from "../model/measurement.js";
import type { RequestSpec } from "../model/scenario.js";
import type {
  Engine,
  EngineContext,
  EngineRun,
  EngineSupport,
  GeneratorProcess,
  Load,
  LoadAmount,
  LoadProgress,
} from "../plugin.js";
import { createChildPool } from "../system/fork.js";
import { expectGone, followDescendants, type ContractCase } from "./contract.js";
import { startCountingServer, TOLD_MS, type Answer, type CountingServer } from "./counting-servers.js";
import { ANSWERING, FAULTY, type Asked, type Case } from "./ground-truth/cases.js";
import { startTruthServer } from "./ground-truth/truth-server.js";
import { defined } from "../stats/defined.js";

/**
 * What every engine has to do, as far as its `supports` says that it can be asked for it: account for every request as the
 * server does, tell its progress, and end at once with what it has when it is aborted. Figures that a driven program does
 * not tell are not missed in an engine whose measurements name one (`program`).
 *
 * Loads of at most 200 requests or 2 s go to a server of this process: one that speaks HTTP, or gRPC or WebSocket for an engine that
 * does not speak HTTP. By gRPC it answers any unary method with an empty message, over WebSockets each message with itself. An engine that keeps connections of HTTP/1.1 busy
 * meets servers that answer in all the ways that there are, and that fail in many; their log says what became of each request. The
 * engine has the options that it gives itself for `{}`, and its `check` is asked before.
 */
export function engineContract(engine: Engine): readonly ContractCase[] {
  const checks = Object.entries(checksOf(engine.supports)).filter(([, { isAsked }]) => isAsked);
  return [
    ...checks.map(([name, check]) => ({ name, run: () => runCheck(engine, check) })),
    ...truthsFor(engine.supports).map(([name, behaviour, asked]) => ({
      name: `agrees with the log of a server: ${name}`,
      run: () => compareAccounts(engine, behaviour, asked),
    })),
  ];
}

/** Servers whose log an engine is compared with: those that it can be asked to load. */
function truthsFor(supports: EngineSupport): readonly Case[] {
  const { protocols, loads, amounts, httpVersions = ["1.1"], expectations = true, resets = true } = supports;
  const isAsked = loads.includes("connections") && (amounts?.includes("requests") ?? true);
  if (!isAsked || !protocols.includes("http") || !httpVersions.includes("1.1")) return [];
  return [...ANSWERING, ...FAULTY].filter(([, , asked]) => {
    const { request: { expectStatus, expectBody = null } = {}, resets: isReset = false }: Asked = asked ?? {};
    const isOfAny = expectStatus === undefined && expectBody === null;
    return (expectations || isOfAny) && (resets || !isReset);
  });
}

const COUNTED = { connections: 10, requests: 100 };

/** Lets the engine load a server that does what it is told, and compares its account with the log of the server. */
async function compareAccounts(engine: Engine, behaviour: Case[1], asked: Asked = {}): Promise<void> {
  const server = await startTruthServer(typeof behaviour === "function" ? behaviour : () => behaviour);
  const { log } = server;
  try {
    const context = { signal: AbortSignal.timeout(QUICK_MS) };
    const { measurement } = await send(engine, { ...asked, url: server.url, level: COUNTED }, context);
    assert.ok(!context.signal.aborted, `it did not end within ${QUICK_MS} ms`);
    await server.drained();
    const { requests, program } = measurement;
    const { sent, unclassified, inFlight = 0, ...outcomes } = requests;
    expectConserved(requests);
    assert.deepEqual({ sent, inFlight }, { sent: COUNTED.requests, inFlight: 0 }, "requests that were sent");
    assert.equal(log.requests, sent, "requests that the server counted");
    assert.equal(outcomes.ok, log.outcomes.ok, "requests that were ok");
    if (unclassified === undefined && program === undefined) assert.deepEqual(outcomes, log.outcomes, "outcomes");
    const isTold = program === undefined || Object.keys(measurement.statusCodes).length > 0;
    if (isTold) assert.deepEqual(measurement.statusCodes, log.statusCodes, "answers by status");
    expectTold(measurement, measurement.connections.established, log.accepted, "connections established");
  } finally {
    await server.close();
  }
}

/** Says what is done with a request, by its number; may abort the load. */
type AnswerOrAbort = (number: number, abort: () => void) => Answer;

/** A load as a case tells it; what it does not tell is as usual. */
interface AskedLoad extends Partial<
  Pick<
    Load,
    "mix" | "httpVersion" | "keepAlive" | "requestsPerConnection" | "generators" | "serverTiming" | "timeoutMs"
  >
> {
  readonly level: Level;
  /** What it has of its own; a GET of `/` by default. */
  readonly request?: Partial<RequestSpec>;
}

/** A load, how the server answers to it, and what has to come of it. */
interface EngineCheck extends AskedLoad {
  /** Whether the engine can be asked for it. */
  readonly isAsked: boolean;
  /** All are ok by default. */
  readonly answer?: AnswerOrAbort;
  /** What has to be counted, and `statusCodes` by what the server does, where the engine tells them. */
  readonly counts?: Partial<CompleteCounts>;
  readonly statusCodes?: Readonly<Record<"ok" | "error", number>>;
  /** Requests that the server has to have counted. */
  readonly arrived?: number;
  /** Throws when anything else is not what it has to be. That every request has one outcome is looked at besides. */
  readonly check?: (run: EngineRun, seen: Seen) => void;
  /** What is looked at besides: what it tells while it sends, and which processes are left when the children of the run are closed. */
  readonly follows?: "what it tells" | "what it leaves";
}

/** What was seen of a load while it was sent. */
interface Seen {
  readonly server: CountingServer;
  /** What was told before the first request, and how many had arrived then. */
  readonly starts: readonly { readonly processes: readonly GeneratorProcess[]; readonly arrived: number }[];
  readonly progress: readonly LoadProgress[];
}

/** So long that nothing ends because of it. */
const LONG_MS = 600_000;
/** How long a load for a time lasts: whole seconds, which all engines can do. */
const TIMED_MS = 1000;
/** Within which an engine has ended that was aborted, or has been answered. */
const QUICK_MS = 30_000;
/** Requests that may be in flight on a schedule: so many that of 101 none has to wait for another, however slow the machine is. */
const MAX_IN_FLIGHT = 110;
/** Until all users of a ramp have come. */
const RAMP_MS = 1300;
/** What is sent where nothing else is asked for. */
const REQUEST = resolveRequest({});

/** Lets the engine send a load to a server of this process. Rejects with what was expected and what came. */
async function runCheck(engine: Engine, one: EngineCheck): Promise<void> {
  const { protocols, httpVersions = ["1.1"] } = engine.supports;
  const { answer = allOk, httpVersion = httpVersions[0] ?? "1.1" } = one;
  const controller = new AbortController();
  let abortedMs = Infinity;
  const abort = (): void => {
    abortedMs = performance.now();
    controller.abort();
  };
  const otherwise = protocols.includes("grpc") ? "gRPC" : "WebSocket";
  const protocol = protocols.includes("http") ? (`HTTP/${httpVersion}` as const) : otherwise;
  const server = await startCountingServer((number) => answer(number, abort), protocol);
  const descendants = followDescendants();
  const starts: Seen["starts"][number][] = [];
  const progress: LoadProgress[] = [];
  const listeners: Pick<EngineContext, "onStart" | "onProgress"> = {
    onStart: async (processes) => {
      starts.push({ processes, arrived: server.requests() });
      await descendants.look();
    },
    onProgress: (now) => void progress.push(now),
  };
  // An engine has to do without listeners.
  const context = { signal: controller.signal, ...(one.follows !== undefined && listeners) };
  try {
    const run = await send(engine, { ...one, url: server.url, httpVersion }, context);
    const lastedMs = performance.now() - abortedMs;
    assert.ok(lastedMs < QUICK_MS, `it took ${lastedMs} ms to end after the abort`);
    expectCounts(run.measurement, one, server);
    one.check?.(run, { server, starts, progress });
  } finally {
    await server.close();
  }
  if (one.follows !== "what it leaves") return;
  expectGone([...starts.flatMap(({ processes }) => processes.map(({ pid }) => pid)), ...descendants.seen()]);
}

/** Lets the engine send a load, after it was asked whether it can; nothing aborts it unless the context says so. */
async function send(
  engine: Engine,
  asked: AskedLoad & Pick<Load, "url">,
  context: Partial<EngineContext> = {},
): Promise<EngineRun> {
  const { url, level, mix, httpVersion, requestsPerConnection, serverTiming } = asked;
  const load: Load = {
    url,
    level,
    request: { ...REQUEST, ...asked.request },
    timeoutMs: asked.timeoutMs ?? LONG_MS,
    keepAlive: asked.keepAlive ?? true,
    options: engine.options?.parse({}) ?? {},
    atEnd: "cut",
    generators: asked.generators ?? 1,
    ...defined({
      mix,
      httpVersion: httpVersion === "1.1" ? undefined : httpVersion,
      requestsPerConnection,
      serverTiming,
      arrival:
        level.rate === undefined ? undefined : { spacing: "uniform" as const, seed: 1, maxInFlight: MAX_IN_FLIGHT },
      ramp: level.users === undefined ? undefined : { from: 2, riseMs: RAMP_MS, steps: 1 },
    }),
  };
  const children = createChildPool("generator");
  const { signal } = new AbortController();
  const whole = { children, signal, folder: process.cwd(), ...context };
  try {
    await engine.check?.({ ...load, mix: mix ?? null, levels: [level] }, whole);
    return await engine.run(load, whole);
  } finally {
    await children.close();
  }
}

/** Throws unless each request that was sent has one outcome. */
function expectConserved({ sent, ...outcomes }: Measurement["requests"]): void {
  const accounted = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  assert.equal(
    accounted,
    sent,
    `outcomes do not add up to the requests sent: ${JSON.stringify({ sent, ...outcomes })}`,
  );
}

function expectCounts(
  measurement: Measurement,
  { counts = {}, statusCodes, arrived }: EngineCheck,
  server: CountingServer,
): void {
  const { requests, program } = measurement;
  expectConserved(requests);
  for (const [kind, count] of Object.entries(counts)) assert.equal(requests[kind as keyof CompleteCounts], count, kind);
  if (arrived !== undefined) assert.equal(server.requests(), arrived, "requests that the server counted");
  const isTold = program === undefined || Object.keys(measurement.statusCodes).length > 0;
  if (statusCodes === undefined || !isTold) return;
  const { ok, error } = server.statuses;
  assert.deepEqual(measurement.statusCodes, { [ok]: statusCodes.ok, [error]: statusCodes.error });
}

/** Throws unless it is what it has to be; a program that the engine drives need not tell it at all. */
function expectTold({ program }: Measurement, told: number | undefined, expected: number, what: string): void {
  if (told !== undefined || program === undefined) assert.equal(told, expected, what);
}

const allOk: AnswerOrAbort = () => "ok";
const everyFourthFails: AnswerOrAbort = (number) => (number % 4 === 0 ? "error" : "ok");

/** Leaves all further requests open. */
const upTo =
  (count: number, answer = allOk): AnswerOrAbort =>
  (number, abort) =>
    number > count ? "nothing" : answer(number, abort);

/** What is checked, by a sentence about the engine. */
function checksOf(supports: EngineSupport): Readonly<Record<string, EngineCheck>> {
  const sends = (amount: LoadAmount): boolean => supports.amounts?.includes(amount) ?? true;
  const loads = (kind: LoadKind): boolean => supports.loads.includes(kind);
  const [inRequests, inTime, isClosed] = [sends("requests"), sends("duration"), loads("connections")];
  const speaksHttp = supports.protocols.includes("http");
  /** Whether the log of a server tells the same, and more. */
  const isCompared = truthsFor(supports).length > 0;
  const { generators: isSplit = true, expectations = true, mixes = false, httpVersions = [] } = supports;
  const generators = isSplit ? 2 : 1;

  /** A load of which exactly so many requests are answered, whatever the engine can be told. */
  const answered = (requests: number, answer: AnswerOrAbort = allOk): Pick<EngineCheck, "level" | "answer"> =>
    inRequests
      ? { level: { connections: 4, requests }, answer }
      : { level: { connections: 4, durationMs: TIMED_MS }, answer: upTo(requests, answer) };

  /** Two of what its levels can be values of: for so many requests, or for a time where that cannot be said. */
  const twoFor = (amount: Pick<Level, "requests" | "durationMs">): Level => {
    const { durationMs = TIMED_MS } = amount;
    if (!isClosed && loads("users")) return { users: 2, durationMs };
    return { ...(isClosed ? { connections: 2 } : { rate: 200 }), ...(inRequests ? amount : { durationMs }) };
  };

  const counted = (connections: number, requests: number, split: number): EngineCheck => ({
    isAsked: isClosed && inRequests,
    level: { connections, requests },
    generators: split,
    counts: { sent: requests, ok: requests },
    arrived: requests,
    check: ({ measurement }, { server }) => {
      const { opened } = measurement.connections;
      expectTold(measurement, opened, server.connections(), "connections that the server accepted");
      // Over gRPC, users may share connections.
      if (speaksHttp) expectTold(measurement, opened, connections, "connections opened");
    },
  });

  const fourths = { ...answered(100, everyFourthFails), statusCodes: { ok: 75, error: 25 } };
  const hasStatuses = speaksHttp || supports.protocols.includes("grpc");
  const overHttp = isClosed && speaksHttp;

  return {
    "sends exactly the requests of one connection": counted(1, 50, 1),
    ...(isSplit
      ? { "splits requests and connections without a rest": counted(7, 200, 3) }
      : { "sends exactly the requests of several connections": counted(5, 200, 1) }),
    "counts answers of an unexpected status": {
      isAsked: isClosed && !isCompared && hasStatuses,
      ...fourths,
      counts: { ok: 75, non2xx: 25 },
    },
    "counts answers that are no echo": {
      isAsked: isClosed && !hasStatuses,
      ...answered(100, everyFourthFails),
      counts: { ok: 75, mismatched: 25 },
    },
    "counts requests that end without an answer": {
      isAsked: isClosed && !isCompared,
      ...answered(100, (number) => (number % 10 === 0 ? "hang up" : "ok")),
      counts: { ok: 90 },
      check: ({ measurement: { requests } }) => {
        const { dropped = 0, resets = 0, unclassified = 0 } = requests;
        assert.equal(dropped + resets + unclassified, 10, "requests that ended without an answer");
      },
    },
    "ends a timed run in time, and what is open then is in flight": {
      isAsked: isClosed && inTime,
      level: { connections: 3, durationMs: TIMED_MS },
      answer: upTo(30),
      counts: { ok: 30 },
      check: ({ measurement }, { server }) => {
        const { requests, elapsedMs } = measurement;
        expectTold(measurement, requests.inFlight, 3, "requests in flight");
        assert.equal(server.requests(), requests.sent + (requests.inFlight === undefined ? 3 : 0));
        assert.ok(elapsedMs >= TIMED_MS * 0.9, `it lasted ${elapsedMs} ms of ${TIMED_MS}`);
      },
    },
    "opens a connection for each request where connections are not to be kept": {
      isAsked: isClosed && supports.keepAliveOff,
      ...answered(40),
      keepAlive: false,
      counts: { ok: 40 },
      check: ({ measurement }, { server }) => {
        const { established } = measurement.connections;
        // A program may connect once more, to see whether the port is open.
        assert.ok(server.connections() >= server.requests(), "requests shared a connection");
        expectTold(measurement, established, server.requests(), "connections established");
        expectTold(measurement, established, server.connections(), "connections that the server accepted");
      },
    },
    "closes a connection after the number of requests that it is to send": {
      isAsked: isClosed && inRequests && supports.requestsPerConnection === true,
      level: { connections: 2, requests: 40 },
      requestsPerConnection: 5,
      counts: { sent: 40, ok: 40 },
      check: ({ measurement }, { server }) => {
        const { established } = measurement.connections;
        // Two users share the requests: the last connection of each may have had fewer.
        assert.ok(server.connections() >= 8 && server.connections() <= 9, `${server.connections()} connections`);
        expectTold(measurement, established, server.connections(), "connections established");
      },
    },
    "opens connections at a rate, each of which sends its requests": {
      isAsked: loads("connectionRate") && inRequests,
      level: { rate: 400, perConnection: 4, requests: 100 },
      requestsPerConnection: 4,
      generators,
      counts: { sent: 100, ok: 100 },
      arrived: 100,
      check: ({ measurement }, { server }) => {
        assert.equal(server.connections(), 25, "connections that the server accepted");
        expectTold(measurement, measurement.connections.established, 25, "connections established");
        assert.equal(measurement.schedule?.planned, 100, "requests planned");
      },
    },
    "reads of each answer that is ok how long the server says that it took": {
      isAsked: overHttp && supports.serverTiming === true,
      ...answered(40, everyFourthFails),
      serverTiming: true,
      counts: { ok: 30 },
      check: ({ measurement: { serverTiming } }) => {
        const { told, untold, malformed } = serverTiming ?? {};
        assert.deepEqual(
          { told, untold, malformed },
          { told: 30, untold: 0, malformed: 0 },
          "answers by what they said",
        );
        assert.equal(serverTiming?.backend?.max, TOLD_MS, "the longest time of the server");
      },
    },
    "counts as ok the statuses that are expected, and no others": {
      isAsked: overHttp && expectations && !isCompared,
      ...fourths,
      request: { expectStatus: "503" },
      counts: { ok: 25, non2xx: 75 },
    },
    "counts as ok the body that is expected, and no other": {
      isAsked: overHttp && expectations && !isCompared,
      ...fourths,
      request: { expectStatus: "200,503", expectBody: "hello" },
      counts: { ok: 75, mismatched: 25 },
    },
    "sends a mix in proportion to its weights, and tells what became of each request": {
      isAsked: overHttp && mixes && inRequests,
      level: { connections: 4, requests: 200 },
      generators,
      mix: [
        { name: "good", weight: 3, request: REQUEST, bodies: null },
        { name: "bad", weight: 1, request: { ...REQUEST, path: "/bad", expectStatus: "404" }, bodies: null },
      ],
      counts: { non2xx: 50 },
      arrived: 200,
      check: ({ measurement: { mix = [] } }) => {
        const told = mix.map(({ name, sent, ok, failed }) => `${name}: ${sent} sent, ${ok} ok, ${failed} failed`);
        assert.deepEqual(told, ["good: 150 sent, 150 ok, 0 failed", "bad: 50 sent, 0 ok, 50 failed"]);
      },
    },
    "sends by HTTP/2 to a server that speaks nothing else": {
      isAsked: overHttp && httpVersions.includes("2"),
      ...fourths,
      httpVersion: "2",
      counts: { ok: 75, non2xx: 25 },
    },
    "sends on a schedule, and says how it kept to it": {
      isAsked: loads("rate") && inRequests,
      level: { rate: 400, requests: 101 },
      generators,
      counts: { sent: 101, ok: 101 },
      arrived: 101,
      check: ({ measurement: { schedule, latency } }) => {
        const { rate, planned, unsent, lateness = { mean: Number.NaN } } = schedule ?? {};
        assert.deepEqual({ rate, planned, unsent }, { rate: 400, planned: 101, unsent: 0 }, "the schedule");
        assert.ok((latency?.max ?? 0) >= lateness.mean, "latency does not count from when a request was due");
      },
    },
    "counts what is due on a schedule and cannot leave, and leaves it out of what is sent": {
      isAsked: loads("rate") && inTime,
      level: { rate: 400, durationMs: TIMED_MS },
      answer: upTo(20),
      counts: { ok: 20, inFlight: MAX_IN_FLIGHT, sent: 20 + MAX_IN_FLIGHT },
      arrived: 20 + MAX_IN_FLIGHT,
      check: ({ measurement: { requests, schedule } }) => {
        const unsent = schedule?.unsent ?? 0;
        assert.equal(schedule?.planned, requests.sent + unsent, "requests planned");
        assert.ok(unsent > 0, "nothing could not leave");
      },
    },
    "brings users when it is time for them, and tells of every second how many there were": {
      isAsked: loads("users") && inTime,
      level: { users: 5, durationMs: RAMP_MS + 690 },
      generators,
      // So that each of them has one request that is open, and sends no other.
      answer: upTo(20),
      counts: { ok: 20, inFlight: 5 },
      arrived: 25,
      check: ({ measurement: { timeline } }) => {
        const told = timeline.map(({ users, sent }) => `${users} users, ${sent} sent`);
        assert.deepEqual(told, ["2 users, 22 sent", "5 users, 3 sent"], "users by the end of each second");
      },
    },
    "tells its processes before the first request leaves": {
      isAsked: true,
      level: twoFor({ requests: 20 }),
      generators,
      follows: "what it tells",
      check: (run, { starts }) => {
        const told = starts.map(({ processes, arrived }) => ({ processes: processes.length, arrived }));
        assert.deepEqual(told, [{ processes: run.generators.length, arrived: 0 }]);
      },
    },
    "tells its progress, and never less than before": {
      isAsked: inTime,
      level: twoFor({ durationMs: TIMED_MS }),
      follows: "what it tells",
      check: ({ measurement: { requests, timeline } }, { progress }) => {
        assert.ok(progress.length > 0, `no progress was told in ${TIMED_MS} ms`);
        let before = { sent: 0, done: 0 };
        for (const now of progress) {
          const { sent, done, failed = 0, latest } = now;
          const isOnward = sent >= before.sent && done >= before.done;
          assert.ok(isOnward, `progress went back: ${JSON.stringify(progress)}`);
          assert.ok(sent <= requests.sent && done <= sent && failed <= done, "more than there was");
          if (latest !== undefined) assert.deepEqual(latest, timeline[latest.second], "a second is not as it was told");
          before = now;
        }
      },
    },
    "ends at once when it is aborted, and keeps what it has counted": {
      isAsked: true,
      level: twoFor(inTime ? { durationMs: LONG_MS } : { requests: 1000 }),
      answer: (number, abort) => {
        // Then there are two that are open.
        if (number === 42) abort();
        return number > 40 ? "nothing" : "ok";
      },
      counts: { ok: 40 },
      check: (_, { server }) => assert.ok(server.requests() >= 42, "it ended before it was aborted"),
    },
    "leaves no process when its children are closed": {
      isAsked: true,
      level: twoFor({ requests: 10 }),
      generators,
      follows: "what it leaves",
    },
  };
}
