import { readFileSync } from "node:fs";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import type { Level } from "../../src/model/level.js";
import type { Measurement } from "../../src/model/measurement.js";
import type { AskedLoad, Engine, EngineContext, GeneratorProcess, Load } from "../../src/plugin.js";
import { useOwnTemporaryFolder } from "../../src/servers/test-support/own-temporary-folder.js";
import { followDescendants, isRunning, runningOf } from "../../src/testing/processes.js";
import { fixture } from "../support/fixture.js";
import { runCli, startCli } from "../support/run-cli.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { answer, hang, hangUp, type Action } from "./action.js";
import { BUILT_IN_ENGINES } from "./built-in-engines.js";
import { closedPort } from "./closed-port.js";
import { startGroundTruthServer, type Behaviour, type GroundTruthServer } from "./ground-truth-server.js";
import { aContext, aLoad, type LoadOptions } from "./load.js";
import type { ReadRequest } from "./request-reader.js";
import { isMissing, noteOn, PROGRAM_ENGINES } from "./program-engines.js";

const CONNECTIONS = 10;
const REQUESTS = 500;
const COUNTED: Level = { connections: CONNECTIONS, requests: REQUESTS };
const TIMED: Level = { connections: CONNECTIONS, durationMs: 1000 };
const LONG: Level = { connections: CONNECTIONS, durationMs: 3_600_000 };
/** Whole seconds, which all of them can do. */
const TIMEOUT_MS = 5000;

const KEPT_HEADERS = ["Connection: keep-alive", "Content-Length: 5"];
/** An answer that ab, which speaks HTTP/1.0, knows to be the last word or not. */
const HELLO = answer({ headers: KEPT_HEADERS });
const CLOSING = answer({ headers: ["Connection: close", "Content-Length: 5"], close: true });
const ERROR = answer({ status: 500, outcome: "non2xx", headers: KEPT_HEADERS });

const programs = PROGRAM_ENGINES.map((engine) => engine.name);
const children = createChildPool("generator");
const temporary = useOwnTemporaryFolder();
let server: GroundTruthServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
afterAll(() => children.close());

async function start(behaviour: Behaviour): Promise<GroundTruthServer> {
  server = await startGroundTruthServer(behaviour);
  return server;
}

const everyTenth =
  (action: Action): Behaviour =>
  (number) =>
    number % 10 === 0 ? action : HELLO;

function levelOf({ supports }: Engine): Level {
  return (supports.amounts?.includes("requests") ?? true) ? COUNTED : TIMED;
}

async function measure(
  engine: Engine,
  target: GroundTruthServer,
  options: LoadOptions = {},
  context: Partial<EngineContext> = {},
): Promise<Measurement> {
  const load = aLoad(target.url, levelOf(engine), { timeoutMs: TIMEOUT_MS, options: optionsOf(engine), ...options });
  const { measurement } = await engine.run(load, aContext(children, context));
  await target.drained();
  return measurement;
}

function optionsOf(engine: Engine): Readonly<Record<string, unknown>> {
  return engine.options?.parse({}) ?? {};
}

function expectConservation({ requests: { sent, ...outcomes } }: Measurement): void {
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(sent);
}

/** How connections are used, and what the server answers then. */
type Connections = readonly [how: string, action: Action, keepAlive: boolean];

function connectionsOf({ supports }: Engine): readonly Connections[] {
  const kept: Connections = ["connections that are kept", HELLO, true];
  return supports.keepAliveOff ? [kept, ["a connection for each request", CLOSING, false]] : [kept];
}

/** What a run that leads to nothing tells, or the error it ends with. */
async function outcomeOf(engine: Engine, load: Load): Promise<object> {
  try {
    const { requests, errorCodes } = (await engine.run(load, aContext(children))).measurement;
    return { requests, errorCodes };
  } catch (error) {
    return { error: String(error) };
  }
}

const GAVE_UP = { error: expect.stringMatching(/wrk gave up with exit code 1; [^]*Connection refused/) };
const ALL_REFUSED = {
  requests: expect.objectContaining({ sent: REQUESTS, ok: 0, connectErrors: REQUESTS }),
  errorCodes: { ECONNREFUSED: REQUESTS },
};

/** Requests that a program had under way at the end of a time, and says nothing of. */
function mayBeInFlight(engine: Engine): number {
  return engine.name === "wrk" ? CONNECTIONS : 0;
}

for (const engine of [...BUILT_IN_ENGINES, ...PROGRAM_ENGINES]) {
  const { name } = engine;
  describe.skipIf(programs.includes(name) && isMissing(name))(
    `engine ${name} counts as the server does${noteOn(name)}`,
    () => {
      it.each(connectionsOf(engine))("answers over %s, their bytes and their rate", async (_, action, keepAlive) => {
        const { log, ...target } = await start(() => action);
        const before = performance.now();
        const measurement = await measure(engine, { log, ...target }, { keepAlive });
        const wallMs = performance.now() - before;
        const { requests, bytes, elapsedMs, throughput, statusCodes } = measurement;
        const slack = mayBeInFlight(engine);
        expectConservation(measurement);
        expect(requests.ok).toBe(requests.sent - (requests.inFlight ?? 0));
        expect(log.requests - requests.ok).toBeGreaterThanOrEqual(0);
        expect(log.requests - requests.ok).toBeLessThanOrEqual(slack);
        expect(requests.sent).toBe(slack === 0 ? REQUESTS : requests.ok);
        expect(statusCodes).toEqual(name === "ab" ? {} : { "200": requests.ok });
        const { received = log.writtenBytes, body = requests.ok * action.bodyBytes } = bytes;
        expect(received).toBeLessThanOrEqual(log.writtenBytes);
        expect(received).toBeGreaterThanOrEqual(log.writtenBytes - slack * action.bytes.length);
        expect(body).toBe(requests.ok * action.bodyBytes);
        expect(elapsedMs).toBeLessThanOrEqual(wallMs);
        // wrk starts its clock when its threads may have sent something already.
        const leastMs = name === "wrk" ? 999 : log.lastAnswerMs - log.firstRequestMs - 1;
        expect(elapsedMs).toBeGreaterThanOrEqual(leastMs);
        expect(throughput).toBeCloseTo((requests.ok / elapsedMs) * 1000, 6);
      });

      it("tells which bytes it does, and no others", async () => {
        const { bytes } = await measure(engine, await start(() => HELLO));
        const told: Readonly<Record<string, readonly string[]>> = {
          ab: ["received", "body"],
          wrk: ["received", "body"],
          hey: ["body"],
        };
        expect(Object.keys(bytes).toSorted()).toEqual((told[name] ?? ["received", "body", "sent"]).toSorted());
      });

      it("times answers as long as the server took, at least", async () => {
        const target = await start(() => ({ ...HELLO, delayMs: 30 }));
        const { latency, elapsedMs } = await measure(engine, target);
        const served = target.log.serviceMs.toSorted((a, b) => a - b);
        const median = served[Math.floor(served.length / 2)] ?? Number.NaN;
        // hey rounds to a tenth of a millisecond.
        expect(latency?.min).toBeGreaterThanOrEqual((served[0] ?? Number.NaN) - 0.1);
        expect(latency?.p50).toBeGreaterThanOrEqual(median - 1);
        expect(latency?.max).toBeLessThanOrEqual(elapsedMs + 1);
      });

      it("answers with an unexpected status, apart from good ones", async () => {
        const { log, ...target } = await start(everyTenth(ERROR));
        const measurement = await measure(engine, { log, ...target });
        const { requests, statusCodes } = measurement;
        const served = log.outcomes;
        const slack = mayBeInFlight(engine);
        expectConservation(measurement);
        expect(served.non2xx - requests.non2xx).toBeGreaterThanOrEqual(0);
        expect(served.non2xx + served.ok - requests.non2xx - requests.ok).toBeLessThanOrEqual(slack);
        expect(requests).toMatchObject(slack === 0 ? { sent: REQUESTS, ok: 450, non2xx: 50 } : {});
        expect(Object.keys(statusCodes)).toEqual(name === "ab" ? [] : ["200", "500"]);
        expect(Object.hasOwn(measurement, "latency")).toBe(!programs.includes(name));
      });
    },
  );
}

interface Failing {
  readonly what: string;
  readonly action: Action;
  /** How each engine calls it. */
  readonly told: Readonly<Record<string, "dropped" | "resets" | "unclassified" | "mismatched">>;
}

const FAILING: readonly Failing[] = [
  {
    what: "closes without an answer",
    action: hangUp("fin"),
    told: { ab: "unclassified", wrk: "unclassified", hey: "dropped" },
  },
  { what: "resets", action: hangUp("rst"), told: { ab: "resets", wrk: "unclassified", hey: "resets" } },
  {
    // With an empty line at its end, ab takes it for an answer with another status.
    what: "answers with something that is not HTTP, and closes",
    action: { ...hangUp("fin"), outcome: "mismatched", bytes: Buffer.from("SSH-2.0-OpenSSH_9.2\r\n") },
    told: { ab: "unclassified", wrk: "unclassified", hey: "mismatched" },
  },
];

for (const engine of PROGRAM_ENGINES) {
  const { name } = engine;
  const note = noteOn(name);
  describe.skipIf(isMissing(name))(`engine ${name} tells failures as far as the program does${note}`, () => {
    it.each(FAILING)("of a server that $what", async ({ action, told }) => {
      const { log, ...target } = await start(everyTenth(action));
      // Go repeats what may be repeated.
      const measurement = await measure(engine, { log, ...target }, { request: { method: "POST", body: "x" } });
      const { requests } = measurement;
      const slack = mayBeInFlight(engine);
      expectConservation(measurement);
      const failed = log.outcomes[action.outcome] - (requests[told[name] ?? "dropped"] ?? 0);
      expect(failed).toBeGreaterThanOrEqual(0);
      expect(failed).toBeLessThanOrEqual(slack);
      expect(log.outcomes.ok - requests.ok).toBeGreaterThanOrEqual(0);
      expect(log.outcomes.ok - requests.ok).toBeLessThanOrEqual(slack);
      expect(requests.ok).toBeGreaterThan(0);
    });

    it("of a target at which nothing listens", async () => {
      const load = aLoad(`http://127.0.0.1:${await closedPort()}/`, levelOf(engine), {
        timeoutMs: TIMEOUT_MS,
        options: optionsOf(engine),
      });
      await expect(outcomeOf(engine, load)).resolves.toEqual(name === "wrk" ? GAVE_UP : ALL_REFUSED);
    });

    it("of a server that answers nothing", async () => {
      const target = await start(() => hang());
      const level = name === "hey" ? { connections: CONNECTIONS, requests: 10 } : levelOf(engine);
      const load = aLoad(target.url, level, { timeoutMs: 1000, options: optionsOf(engine) });
      const told = {
        ab: { error: expect.stringMatching(/ab gave up with exit code [^]*timeout specified has expired/) },
        wrk: { requests: expect.objectContaining({ sent: 0, ok: 0 }), errorCodes: {} },
        hey: { requests: expect.objectContaining({ sent: 10, ok: 0, timedOut: 10 }), errorCodes: {} },
      };
      await expect(outcomeOf(engine, load)).resolves.toEqual(told[name as keyof typeof told]);
    });
  });

  describe.skipIf(isMissing(name))(`engine ${name} sends what it is asked to${note}`, () => {
    it("the path and query of its URL, method, headers, credentials and body", async () => {
      const seen: ReadRequest[] = [];
      const target = await start((_, request) => {
        seen.push(request);
        return HELLO;
      });
      const url = new URL("/a%20b?c=d&e='$(id)'", target.url);
      url.username = "us er";
      url.password = "p:w";
      const headers = [
        ["X-Odd", "a \"b\" 'c' $(id) `id` \\n %s; |"],
        ["Content-Type", "text/odd"],
      ] as const;
      const body = Buffer.from([0, 1, 255, 10, 13, 34, 92]);
      const measurement = await measure(
        engine,
        { ...target, url: url.href },
        {
          request: { method: "POST", headers, body: body.toString("base64"), bodyEncoding: "base64" },
        },
      );
      const [first] = seen;
      expect(first?.method).toBe("POST");
      expect(first?.path).toBe(`${url.pathname}${url.search}`);
      expect(first?.body).toEqual(body);
      const lines = (first?.head ?? "").split("\r\n").map((line) => line.replace(/^[^:]+/, (key) => key.toLowerCase()));
      const credentials = `authorization: Basic ${Buffer.from("us er:p:w").toString("base64")}`;
      const expected = [credentials, `x-odd: ${headers[0][1]}`, "content-type: text/odd"];
      expect(lines.filter((line) => /^(?:authorization|x-odd|content-type):/.test(line)).toSorted()).toEqual(
        expected.toSorted(),
      );
      expect(measurement.requests.ok).toBeGreaterThan(0);
      expect(measurement.bytes.sent ?? target.log.readBytes).toBe(target.log.readBytes);
    });

    it("over TLS as well, and checks no certificate", async () => {
      const identity = {
        key: readFileSync(fixture("localhost-key.pem"), "utf8"),
        cert: readFileSync(fixture("localhost-cert.pem"), "utf8"),
      };
      server = await startGroundTruthServer(() => HELLO, identity);
      const measurement = await measure(engine, server);
      expectConservation(measurement);
      expect(measurement.requests.ok).toBe(measurement.requests.sent);
      expect(server.log.requests - measurement.requests.ok).toBeLessThanOrEqual(mayBeInFlight(engine));
      expect(engine.supports.tlsVerification).toBe(false);
    });
  });

  describe.skipIf(isMissing(name))(`engine ${name} under control${note}`, () => {
    it("is there before the first request, is seen at work, and leaves neither process nor file", async () => {
      const target = await start(() => ({ ...HELLO, delayMs: 2 }));
      const seen: GeneratorProcess[] = [];
      const load = aLoad(
        target.url,
        { connections: CONNECTIONS, durationMs: 1000 },
        { timeoutMs: TIMEOUT_MS, options: optionsOf(engine) },
      );
      const { generators, measurement } = await engine.run(
        load,
        aContext(children, {
          onStart: (processes) => {
            expect(target.log.accepted).toBe(0);
            expect(processes.every(({ pid }) => isRunning(pid))).toBe(true);
            seen.push(...processes);
          },
        }),
      );
      expect(generators).toEqual([expect.objectContaining({ name, pid: seen[0]?.pid })]);
      expect(generators[0]?.cpu).toBeGreaterThan(0);
      expect(generators[0]?.rssBytes).toBeGreaterThan(1_000_000);
      // One of wrk's two threads only waits for the end.
      expect(generators[0]?.threads).toBeGreaterThanOrEqual(name === "ab" ? 1 : 2);
      expect(generators[0]?.busiestThread).toBeGreaterThan(0);
      expect(generators[0]?.busiestThread).toBeLessThanOrEqual(1);
      expect(runningOf(seen.map(({ pid }) => pid))).toEqual([]);
      expect(temporary.content()).toEqual([]);
      expect(measurement.program).toMatchObject({ name, command: expect.arrayContaining([name, target.url]) });
      expect(measurement.program?.version).toMatch(/\d/);
      expect(measurement.program?.output).toMatch(/requests|Requests/);
    });

    it("ends early when it is aborted, with what it had counted", async () => {
      const abort = new AbortController();
      const descendants = await followDescendants();
      const target = await start((number) => {
        if (number === 300) abort.abort();
        return { ...HELLO, delayMs: 2 };
      });
      const load = aLoad(target.url, LONG, { timeoutMs: TIMEOUT_MS, options: optionsOf(engine) });
      const { measurement } = await engine.run(
        load,
        aContext(children, { signal: abort.signal, onStart: async () => void (await descendants.look()) }),
      );
      await target.drained();
      expect(measurement.requests.ok).toBeGreaterThanOrEqual(300 - CONNECTIONS);
      expect(measurement.requests.ok).toBeLessThanOrEqual(target.log.requests);
      expect(measurement.elapsedMs).toBeLessThan(60_000);
      expect(runningOf(descendants.seen())).toEqual([]);
      expect(temporary.content()).toEqual([]);
    });

    it("ends when it is aborted and the server answers nothing any more", async () => {
      const abort = new AbortController();
      const pids: number[] = [];
      const target = await start((number) => {
        if (number === 40) abort.abort();
        return number > 30 ? hang() : HELLO;
      });
      const load = aLoad(target.url, LONG, { timeoutMs: 3_600_000, options: optionsOf(engine) });
      const context = {
        signal: abort.signal,
        onStart: (processes: readonly GeneratorProcess[]) => void pids.push(...processes.map(({ pid }) => pid)),
      };
      const outcome = await engine.run(load, aContext(children, context)).then(
        ({ measurement }) => measurement.requests.ok,
        () => "nothing told",
      );
      expect([30, "nothing told"]).toContain(outcome);
      expect(runningOf(pids)).toEqual([]);
      expect(temporary.content()).toEqual([]);
    });

    it("does not start when it was aborted before", async () => {
      const target = await start(() => HELLO);
      const load = aLoad(target.url, LONG, { timeoutMs: TIMEOUT_MS, options: optionsOf(engine) });
      const context = aContext(children, { signal: AbortSignal.abort(new Error("enough")) });
      await expect(engine.run(load, context)).rejects.toThrow("enough");
      expect(target.log.accepted).toBe(0);
      expect(temporary.content()).toEqual([]);
    });

    it("warms up for a time that is shorter than it can measure", async () => {
      const target = await start(() => ({ ...HELLO, delayMs: 2 }));
      const load = aLoad(
        target.url,
        { connections: 2, durationMs: 150 },
        { timeoutMs: TIMEOUT_MS, atEnd: "drain", options: optionsOf(engine) },
      );
      const { measurement } = await engine.run(load, aContext(children));
      await target.drained();
      expect(target.log.requests).toBeGreaterThan(0);
      expect(target.log.lastAnswerMs - target.log.firstRequestMs).toBeLessThan(900);
      expectConservation(measurement);
    });

    it("is told how to install what is missing, before any load", async () => {
      vi.stubEnv("PATH", "/nonexistent");
      const target = await start(() => HELLO);
      const packages = new Map([["ab", "apache2-utils"]]);
      const message = `apt-get install ${packages.get(name) ?? name}`;
      const asked: AskedLoad = {
        ...aLoad(target.url, TIMED, { timeoutMs: TIMEOUT_MS, options: optionsOf(engine) }),
        levels: [TIMED],
      };
      await expect(engine.check?.(asked, { folder: "/" })).rejects.toMatchObject({
        code: "START_FAILED",
        message: expect.stringContaining(message),
      });
      const { code, stderr } = await runCli(
        ["sweep", target.url, "--engine", name, "-d", "1s", "--timeout", "5s", "-c", "1"],
        temporaryFolder(),
      );
      expect(code).toBe(4);
      expect(stderr).toContain(message);
      expect(target.log.accepted).toBe(0);
    });

    it("ends with lbbench, also when that is killed", async () => {
      const target = await start(() => HELLO);
      const cli = startCli(
        ["sweep", target.url, "--engine", name, "-d", "3600s", "--warmup", "0", "--timeout", "5s", "-c", "2"],
        temporaryFolder(),
      );
      await vi.waitFor(() => expect(target.log.requests).toBeGreaterThan(100), { timeout: 30_000 });
      cli.kill("SIGKILL");
      await vi.waitFor(() => expect(cli.processes()).toEqual([]), { timeout: 20_000 });
      const left = (): readonly string[] => temporary.content().filter((entry) => !entry.startsWith("lbbench-test-"));
      await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 20_000 });
    });
  });
}

describe.skipIf(isMissing("hey"))(`what hey hides${noteOn("hey")}`, () => {
  const hey = PROGRAM_ENGINES.find(({ name }) => name === "hey");

  it("is a request that Go repeats by itself, because a connection that was kept turned out to be closed", async () => {
    const target = await start((number) => (number === 100 ? hangUp("fin") : HELLO));
    const load = aLoad(target.url, { connections: 1, requests: 200 }, { timeoutMs: TIMEOUT_MS });
    const run = await hey?.run(load, aContext(children));
    expect(run?.measurement.requests).toMatchObject({ sent: 200, ok: 200, dropped: 0 });
    expect(target.log.requests).toBe(201);
  });
});
