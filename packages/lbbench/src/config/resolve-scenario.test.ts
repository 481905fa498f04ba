import { describe, expect, it } from "vitest";
import { parseSweepInput } from "../api/parse-sweep-input.js";
import { builtInServers } from "../servers/built-in-servers.js";
import type { Engine } from "../plugin.js";
import { DEFAULTS } from "./defaults.js";
import { resolveScenario } from "./resolve-scenario.js";
import type { SweepInput } from "./sweep-input.js";

const resolve = (input: SweepInput, engines: readonly Engine[] = [anEngine("autocannon")]) =>
  resolveScenario(parseSweepInput(input, "test"), {
    servers: builtInServers,
    engines: new Map(engines.map((engine) => [engine.name, engine])),
  });

function anEngine(name: string, keepAliveOff = false): Engine {
  return {
    name,
    supports: { protocols: ["http"], loads: ["connections"], keepAliveOff, tlsVerification: false },
    run: () => Promise.reject(new Error("This engine is for its name alone")),
  };
}

describe("resolveScenario", () => {
  it("fills in every default", () => {
    expect(resolve({})).toEqual({
      name: "sweep",
      targets: [
        { name: "single", server: "single", options: expect.any(Object) },
        { name: "balanced", server: "balanced", options: expect.any(Object) },
      ],
      reference: "single",
      request: {
        method: "GET",
        path: "/",
        headers: [],
        body: null,
        bodyEncoding: "utf8",
        expectStatus: "2xx",
        expectBody: null,
      },
      levels: DEFAULTS.connections.map((connections) => ({ connections, durationMs: DEFAULTS.durationMs })),
      trials: 1,
      warmupMs: DEFAULTS.warmupMs,
      timeoutMs: DEFAULTS.timeoutMs,
      keepAlive: true,
      arrival: null,
      ramp: null,
      mix: null,
      httpVersion: "1.1",
      engine: { name: "autocannon", generators: 1, options: {} },
      thresholds: [],
      margin: null,
      errorMargin: 0.001,
      stopOn: [],
      order: "interleaved",
      seed: 1,
      search: null,
    });
  });

  it("is frozen all the way down", () => {
    const scenario = resolve({ request: { headers: { a: "b" } }, thresholds: ["p99<1ms"] });
    expect(thawedPlaces(scenario)).toEqual([]);
  });

  it("makes stop rules of conditions, and of thresholds that are missed", () => {
    const { stopOn } = resolve({ thresholds: ["p99<50ms", "errors<=1%"], stopOn: ["errors>10%", "thresholds"] });
    expect(stopOn.map(({ source }) => source)).toEqual(["errors>10%", "p99>=50ms", "errors>1%"]);
  });

  it("refuses to stop on thresholds when there are none, and a rule that is neither", () => {
    expect(() => resolve({ stopOn: ["thresholds"] })).toThrow(
      'stopOn (--stop-on): expected thresholds (--threshold) beside "thresholds", got none.',
    );
    expect(() => resolve({ stopOn: ["errors!"] })).toThrow(/^test: stopOn\[0\]: expected a condition .*"errors!"/);
  });

  it("draws everything by one seed", () => {
    const engine = { ...anEngine("any"), supports: { ...anEngine("any").supports, loads: ["rate"] as const } };
    expect(resolve({ rate: 10, seed: 7, engine: "any" }, [engine])).toMatchObject({ seed: 7, arrival: { seed: 7 } });
    expect(resolve({ rate: 10, engine: "any" }, [engine])).toMatchObject({ seed: 1, arrival: { seed: 1 } });
  });

  it("makes a level of every number of connections and of requests, and warms up for a shorter time", () => {
    const { levels, warmupMs } = resolve({ connections: "1,2", requests: "10,20" });
    expect(levels).toEqual([
      { connections: 1, requests: 10 },
      { connections: 2, requests: 10 },
      { connections: 1, requests: 20 },
      { connections: 2, requests: 20 },
    ]);
    expect(warmupMs).toBe(DEFAULTS.warmupOfRequestsMs);
  });

  it.each([
    [5, [5]],
    [
      [5, 6],
      [5, 6],
    ],
    ["5:6", [5, 6]],
  ])("reads connections given as %j", (connections, values) => {
    expect(resolve({ connections }).levels.map((level) => level.connections)).toEqual(values);
  });

  it("refuses more connections than requests, and says which numbers would do", () => {
    expect(() => resolve({ connections: "10,50", requests: "1000,20" })).toThrow(
      "got 20 requests (-n) for 50 connections (-c): 30 connections would never send one. " +
        "Use -n 50 or more, or at most 20 connections.",
    );
    expect(resolve({ connections: 20, requests: 20 }).levels).toHaveLength(1);
  });

  it("refuses requests with a duration", () => {
    expect(() => resolve({ requests: 1000, duration: "3s" })).toThrow(
      "Expected requests (-n) or duration (-d), got both",
    );
  });

  it("refuses an engine that is unknown, with a suggestion", () => {
    expect(() => resolve({ engine: "autocanon" })).toThrow(
      'engine (--engine): expected autocannon, got "autocanon". Did you mean "autocannon"?',
    );
  });

  it("refuses to leave out keep-alive with an engine that cannot, and names those that can", () => {
    expect(() => resolve({ keepAlive: false })).toThrow(
      'The engine "autocannon" cannot open a connection for each request (--no-keepalive, keepAlive: false). No engine of this version that speaks http can; leave it out.',
    );
    const engines = [anEngine("autocannon"), anEngine("other", true)];
    expect(() => resolve({ keepAlive: false, engine: "autocannon" }, engines)).toThrow(
      "Use one that can, with --engine: other.",
    );
    expect(resolve({ keepAlive: false }, engines)).toMatchObject({ engine: { name: "other" } });
    expect(resolve({ keepAlive: false, engine: "other" }, engines)).toMatchObject({ keepAlive: false });
  });

  it("compares with the first target unless told otherwise, and with none when there is only one", () => {
    expect(resolve({ targets: ["balanced", "single"] }).reference).toBe("balanced");
    expect(resolve({ reference: "balanced" }).reference).toBe("balanced");
    expect(resolve({ targets: ["single"] }).reference).toBeNull();
  });

  it("takes a margin, and refuses one that says nothing", () => {
    expect(resolve({ margin: "5%", errorMargin: 0.02 })).toMatchObject({ margin: 0.05, errorMargin: 0.02 });
    expect(() => resolve({ margin: "5" })).toThrow(
      'test: margin: expected a share from 0 % to below 100 %, such as "5%" or 0.05, got "5". Did you mean "5%"?',
    );
    expect(() => resolve({ margin: 1 })).toThrow(/margin: expected a share from 0 % to below 100 %/);
    expect(() => resolve({ targets: ["single"], margin: "5%" })).toThrow(
      "margin (--margin): expected two targets or more",
    );
  });

  it("refuses an errorMargin without a margin", () => {
    expect(() => resolve({ errorMargin: 0.1 })).toThrow("errorMargin: expected margin (--margin) beside it");
    expect(resolve({ errorMargin: 0.1, margin: 0.1 })).toMatchObject({ errorMargin: 0.1 });
  });

  it("sends an entry of a mix without a path to that of the URL", () => {
    const engine = { ...anEngine("any"), supports: { ...anEngine("any").supports, mixes: true } };
    const mix = [{ method: "PUT" }, { path: "/own" }];
    const entries = resolve({ targets: ["http://a.test/api?k=1"], mix, engine: "any" }, [engine]).mix ?? [];
    expect(entries.map(({ request }) => request.path)).toEqual(["/api?k=1", "/own"]);
  });

  it.each<[SweepInput, string]>([
    [{ timeout: "600h" }, 'timeout: expected a time of at most 576h (24 days), got "600h"'],
    [{ duration: "600h" }, 'duration: expected a time of at most 576h (24 days), got "600h"'],
    [{ warmup: "600h" }, 'warmup: expected a time of at most 576h (24 days), got "600h"'],
    [
      { request: { headers: { a: "é€" } } },
      "request.headers.a: expected the value of a header, of characters up to U+00FF",
    ],
    [{ request: { body: "%%%", bodyEncoding: "base64" } }, 'request.body: expected base64, such as "aGVsbG8="'],
    [{ request: { path: "/frag#b" } }, 'request.path: expected path and query as they are sent, got "/frag#b"'],
  ])("refuses %j", (input, message) => {
    expect(() => resolve(input)).toThrow(message);
  });

  it("takes header values of Latin-1, and base64", () => {
    const request = { headers: { a: "é ÿ" }, body: "AAE=", bodyEncoding: "base64" as const };
    expect(resolve({ request }).request).toMatchObject({ headers: [["a", "é ÿ"]], body: "AAE=" });
  });

  it("refuses a reference that is no target, with a suggestion", () => {
    expect(() => resolve({ reference: "balancd" })).toThrow(
      'reference (--reference): expected the name of a target, single or balanced, got "balancd". Did you mean "balanced"?',
    );
  });

  it("keeps headers in their order, a line for each value", () => {
    const headers = { "X-B": ["2", "1"], Accept: "text/html" };
    expect(resolve({ request: { headers, method: "post" } }).request).toMatchObject({
      method: "POST",
      headers: [
        ["X-B", "2"],
        ["X-B", "1"],
        ["Accept", "text/html"],
      ],
    });
  });
});

function thawedPlaces(value: unknown, place = ""): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, one]) => thawedPlaces(one, `${place}/${key}`));
  return Object.isFrozen(value) ? inner : [place, ...inner];
}
