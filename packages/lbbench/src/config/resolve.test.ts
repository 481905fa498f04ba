import { describe, expect, it } from "vitest";
import { knownPlugins } from "../api/load-plugins.js";
import { parseSweepInput } from "../api/sweep.js";
import type { Scenario } from "../model/scenario.js";
import { builtInServers } from "../servers/built-in-servers.js";
import { scenarioSchema } from "../model/result-schema.js";
import { aCrew, aRequest } from "../test-support/fixtures.js";
import { checkStoredScenario } from "../store/resumable-result.js";
import { DEFAULTS } from "./defaults.js";
import { resolveScenario } from "./resolve.js";
import type { SweepInput } from "./sweep-input.js";

const PLUGINS = knownPlugins();

const resolve = async (input: SweepInput) => resolveScenario("sweep", parseSweepInput(input, "test"), PLUGINS);
const ramp = async (input: SweepInput) => resolveScenario("ramp", parseSweepInput(input, "test"), PLUGINS);

describe("the scenario of a sweep", () => {
  it("has every default filled in, and is frozen all the way down", async () => {
    const scenario = await resolve({});
    expect(scenario).toEqual({
      name: "sweep",
      targets: [
        { name: "one process", server: "single", options: { handler: "work:0.1ms", port: 0 } },
        { name: "cluster of four", server: "cluster", options: { workers: 4, handler: "work:0.1ms", port: 0 } },
        {
          name: "four behind a balancer",
          server: "balanced",
          options: expect.objectContaining({
            backends: [
              { name: null, server: "single", options: { handler: "work:0.1ms", port: 0 }, count: 4, weight: 1 },
            ],
          }),
        },
      ],
      reference: "one process",
      request: aRequest(),
      levels: DEFAULTS.connections.map((connections) => ({ connections, durationMs: DEFAULTS.durationMs })),
      trials: 5,
      warmupMs: DEFAULTS.warmup,
      timeoutMs: DEFAULTS.timeoutMs,
      restart: DEFAULTS.restart,
      keepAlive: true,
      arrival: null,
      ramp: null,
      mix: null,
      httpVersion: "1.1",
      engine: { name: "autocannon", generators: DEFAULTS.generators, options: {} },
      thresholds: [],
      margin: null,
      errorMargin: 0.001,
      stopOn: [],
      order: "interleaved",
      seed: 1,
      search: null,
    });
    expect(thawedPlaces(await resolve({ request: { headers: { a: "b" } }, thresholds: ["p99<1ms"] }))).toEqual([]);
  });

  it("sends HTTP/2 to targets that take it only, and gRPC by its own engine also through a balancer", async () => {
    await expect(resolve({ httpVersion: "2" })).rejects.toThrow(
      'got "one process" and "cluster of four". Leave --http2 out',
    );
    await expect(resolve({ httpVersion: "2", targets: ["balanced"] })).resolves.toMatchObject({
      engine: { name: "wire" },
    });
    const overGrpc = { name: "a", server: "balanced", options: { backends: [{ server: "grpc", count: 4 }] } };
    await expect(resolve({ targets: [overGrpc] })).resolves.toMatchObject({ engine: { name: "grpc" } });
  });

  it("says of each target where it is in the grid that made it", async () => {
    const grid = { pool: [8, 16], queue: [10, 20] };
    const { targets } = await resolve({ targets: [{ name: "a", server: "pool", grid }, "single"] });
    const options = [8, 16].flatMap((pool) => [10, 20].map((queue) => `pool=${pool} queue=${queue}`));
    expect(targets.map(({ name }) => name)).toEqual([...options.map((words) => `a ${words}`), "single"]);
    const places = targets.map(({ gridPlace }) =>
      gridPlace?.options.map(({ option, value }) => `${option}=${value}`).join(" "),
    );
    expect(places).toEqual([...options, undefined]);
  });

  it.each<[string, SweepInput, object]>([
    ["one seed for all", { rate: 10, seed: 7 }, { seed: 7, arrival: { seed: 7 } }],
    ["levels of a range", { connections: "5:6" }, { levels: [{ connections: 5 }, { connections: 6 }] }],
    [
      "every number of connections and of requests, with a shorter warm-up",
      { connections: "1,2", requests: "10,20" },
      {
        warmupMs: DEFAULTS.warmupOfRequestsMs,
        levels: [10, 20].flatMap((requests) => [1, 2].map((connections) => ({ connections, requests }))),
      },
    ],
    ["another reference", { reference: "cluster of four" }, { reference: "cluster of four" }],
    ["no reference for one target", { targets: ["single"] }, { reference: null }],
    ["margins", { margin: "5%", errorMargin: 0.02 }, { margin: 0.05, errorMargin: 0.02 }],
    [
      "workers, a master for them, and levels of which each gets a part",
      { workers: "wait:60", retryLost: true },
      {
        engine: { generators: 60, workers: aCrew({ count: 60, retryLost: true }) },
        levels: [100, 250, 500, 1000].map((connections) => ({ connections })),
      },
    ],
    [
      "workers by ssh at any port through tunnels, else at the usual one",
      { workers: "ssh:a", workersCommand: "/opt/lbbench" },
      { engine: { workers: { hosts: ["a"], command: "/opt/lbbench", listen: { host: "127.0.0.1", port: 0 } } } },
    ],
    [
      "workers at an address of their own",
      { workers: "ssh:a", workersListen: "10.0.0.1" },
      { engine: { workers: { listen: { host: "10.0.0.1", port: 5557 } } } },
    ],
    [
      "longer steps where an engine of a target does not lengthen them",
      { targets: [{ name: "a", server: "single", engine: "ab" }, "single"] },
      { levels: DEFAULTS.connections.map((connections) => ({ connections, durationMs: DEFAULTS.rateDurationMs })) },
    ],
    ["another engine where one cannot do it", { keepAlive: false }, { engine: { name: "wire" } }],
    [
      "the path of the URL for entries of a mix without one",
      { targets: ["http://a.test/api?k=1"], mix: [{ method: "PUT" }, { path: "/own" }] },
      { mix: [{ request: { path: "/api?k=1" } }, { request: { path: "/own" } }] },
    ],
    [
      "stop rules of conditions, and of thresholds that are missed",
      { thresholds: ["p99<50ms", "errors<=1%"], stopOn: ["errors>10%", "thresholds"] },
      { stopOn: [{ source: "errors>10%" }, { source: "p99>=50ms" }, { source: "errors>1%" }] },
    ],
    [
      "headers in their order, a line for each value of Latin-1",
      { request: { method: "post", headers: { "X-B": ["2", "é ÿ"], Accept: "a" } } },
      { request: { method: "POST", headers: ["X-B: 2", "X-B: é ÿ", "Accept: a"].map((line) => line.split(": ")) } },
    ],
  ])("has %s", async (_, input, expected) => {
    expect(await resolve(input)).toMatchObject(expected);
  });

  it.each<[SweepInput, string]>([
    [{ stopOn: ["thresholds"] }, "stopOn (--stop-on): expected thresholds (--threshold) beside"],
    [{ stopOn: ["within<99%"] }, 'stopOn (--stop-on): expected "within<99%" in a comparison of policies alone'],
    [{ connections: "10,50", requests: "1000,20" }, "got 20 requests (-n) for 50 connections (-c): 30 connections"],
    [{ workers: "wait:3", connections: "5,2" }, "got 2 for 3 workers"],
    [{ workers: "wait:3", rate: 5, arrival: { maxInFlight: 2 } }, "requests in flight (--max-in-flight) as workers"],
    [{ workers: "wait:3", engine: "ab" }, 'The engine "ab" cannot send from several machines (--workers)'],
    [{ workers: "wait:3", generators: 2 }, "Expected workers (--workers) or generators (--generators), got both"],
    [{ workers: "wait:3", workersCommand: "x" }, "(--workers-command): expected only with workers by ssh"],
    [{ retryLost: true }, "retryLost (--retry-lost): expected workers (--workers) beside it, got none"],
    [{ workersListen: "a" }, "workersListen (--workers-listen): expected workers (--workers) beside it, got none"],
    [{ margin: 1 }, "margin: expected a share from 0 % to below 100 %"],
    [{ errorMargin: 0.1 }, "errorMargin: expected margin (--margin) beside it"],
    [{ request: { path: "/frag#b" } }, 'request.path: expected path and query as they are sent, got "/frag#b"'],
    [{ reference: "one proces" }, 'or four behind a balancer, got "one proces". Did you mean "one process"?'],
  ])("is refused of %j", async (input, message) => {
    await expect(resolve(input)).rejects.toThrow(message);
  });
});

it.each<[Parameters<typeof resolveScenario>[0], SweepInput, string]>([
  ["sweep", { search: { by: "rate" } }, "search: A sweep has no use for it"],
  ["faults", { connections: 5 }, "connections: A run of faults sends at a rate for a time"],
  ["policies", { margin: "5%" }, "margin: A comparison of policies makes its targets"],
  ["max", { connections: [1] }, "connections: A search chooses its levels itself"],
  [
    "ramp",
    { duration: "5s" },
    "duration: A ramp has one level, its users (ramp.to), and lasts for ramp.over and ramp.hold",
  ],
  [
    "ramp",
    { faults: ["kill backend-2 at 3s"] },
    'faults: Faults are for a sweep, which tells what one load was before and after them. Remove "faults".',
  ],
  ["hold", { duration: "5s" }, "duration: Connections are held for a time (hold.for)"],
])("a run of %s is refused a setting that only others have: %j", async (kind, input, message) => {
  await expect(resolveScenario(kind, parseSweepInput(input, "test"), PLUGINS)).rejects.toThrow(message);
});

describe("the scenario of connections that are held", () => {
  it.each<[SweepInput["hold"], number]>([
    [{ for: "20s" }, DEFAULTS.hold.everyMs],
    [{ for: "1s" }, 1000],
    [{ for: "1s", every: "300ms" }, 300],
  ])("lets each ask again before their end, of %j", async (asked, everyMs) => {
    const input = parseSweepInput({ targets: ["single"], connections: [10], hold: asked }, "test");
    expect((await resolveScenario("hold", input, PLUGINS)).hold).toEqual({ everyMs });
  });

  it("is not sent to the address of the URL in place of another one that was asked for", async () => {
    const input = parseSweepInput({ targets: ["single"], connectTo: "127.0.0.1:8443" }, "test");
    await expect(resolveScenario("hold", input, PLUGINS)).rejects.toThrow("connectTo: expected none where");
  });
});

describe("the scenario of a ramp", () => {
  const { from, to, riseMs, holdMs } = DEFAULTS.ramp;
  it.each<[string, SweepInput, object]>([
    ["its defaults", {}, { levels: [{ users: to, durationMs: riseMs + holdMs }], ramp: { from, riseMs, steps: null } }],
    [
      "one level, of the users in the end, for the rise and the time that all of them stay",
      { ramp: { from: 10, to: 200, over: "1m", hold: "20s" } },
      { levels: [{ users: 200, durationMs: 80_000 }], ramp: { from: 10, riseMs: 60_000, steps: null }, arrival: null },
    ],
    [
      "a last step as long as each of the others",
      { ramp: { from: 10, to: 100, over: "90s", steps: 9 } },
      { levels: [{ users: 100, durationMs: 100_000 }] },
    ],
    ["users that do not rise", { ramp: { from: 5, to: 5 } }, { ramp: { from: 5, steps: null } }],
    [
      "for each target an engine that can raise users",
      { targets: ["single", "grpc"] },
      { engine: { name: "wire" }, targets: [{ name: "single" }, { engine: { name: "grpc" } }] },
    ],
  ])("has %s", async (_, input, expected) => {
    expect(await ramp(input)).toMatchObject(expected);
  });

  it.each<[SweepInput, string]>([
    [{ workers: "wait:3", ramp: { to: 2 } }, "users (--to) as workers (--workers), got 2 for 3 workers"],
    [{ ramp: { from: to + 1 } }, `${to + 1}, got ${to}`],
    [{ ramp: { from: 5, to: 10, steps: 6 } }, "ramp.steps (--steps): expected at most 5, one for each user that comes"],
    [{ ramp: { from: 5, to: 5, steps: 2 } }, "ramp.steps (--steps): expected at most 0"],
    [{ ramp: { steps: "many" as "none" } }, 'ramp.steps: expected a whole number of at least 1, or "none", got "many"'],
    [{ ramp: { over: "576h", hold: "1ms" } }, "expected a time of at most 576h (24 days) for both together"],
    [{ ramp: { hold: "0" } }, "ramp.hold: expected a time longer than 0: the last user comes when it begins"],
  ])("is refused of %j", async (input, message) => {
    await expect(ramp(input)).rejects.toThrow(message);
  });
});

describe("a scenario that was stored", () => {
  const restore = async (scenario: unknown): Promise<Scenario> => {
    const stored = scenarioSchema.parse(JSON.parse(JSON.stringify(scenario))) as Scenario;
    return checkStoredScenario(stored, PLUGINS, "result.json");
  };

  /** Options without which a server can do nothing. */
  const NEEDED: ReadonlyMap<string, Record<string, unknown>> = new Map([
    ["url", { url: "http://127.0.0.1:1/" }],
    ["command", { command: ["node", "server.mjs"] }],
  ]);

  it.each([...builtInServers.keys()])("is what it was when it was resolved, with the server %s", async (server) => {
    const scenario = await resolve({ targets: [{ name: "it", server, options: NEEDED.get(server) ?? {} }] });
    expect(await restore(scenario)).toEqual(scenario);
  });

  it.each<SweepInput>([
    { workers: "ssh:a,b", workersListen: "10.0.0.1:9", connections: 5 },
    { targets: ["balanced"], faults: ["slow backend-2 by 1s at 2s", "kill random at 1s"] },
  ])("is what it was with %j", async (input) => {
    const scenario = await resolve(input);
    expect(await restore(scenario)).toEqual(scenario);
  });

  it("is what it was as a ramp, and with engines and references that targets have for themselves", async () => {
    const engine = { name: "grpc", options: { channels: 9 } };
    const wide = { name: "wide", server: "grpc", engine, reference: ["grpc", "single", "grpc"] };
    const scenario = await ramp({ targets: ["single", "grpc", wide], ramp: { to: 20, steps: 2 } });
    expect(scenario.targets.map(({ references }) => references)).toEqual([undefined, undefined, ["grpc", "single"]]);
    expect(await restore(scenario)).toEqual(scenario);
  });

  it("of an older file has no word for how long targets live, and numbers where there is auto today", async () => {
    const { restart: _, ...older } = await resolve({ warmup: "500ms", generators: 1 });
    expect(await restore(older)).toEqual(older);
  });

  it("has the default of an option of an engine that there was not yet, and none that there is not any more", async () => {
    const scenario = await resolve({ targets: ["single"], engine: "wire" });
    expect(scenario.engine.options).toEqual({ streams: 1 });
    const withOptions = (options: object): object => ({ ...scenario, engine: { ...scenario.engine, options } });
    expect(await restore(withOptions({}))).toEqual(scenario);
    await expect(restore(withOptions({ streams: 1, other: 2 }))).rejects.toThrow('there is no setting "other"');
  });
});

function thawedPlaces(value: unknown, place = ""): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, one]) => thawedPlaces(one, `${place}/${key}`));
  return Object.isFrozen(value) ? inner : [place, ...inner];
}
