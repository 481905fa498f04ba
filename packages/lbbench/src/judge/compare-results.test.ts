import { describe, expect, it } from "vitest";
import { parseThreshold } from "../config/parsers.js";
import type { Finding, FindingCode, Severity } from "../model/finding.js";
import type { Result } from "../model/result.js";
import type { MixedRequest, RequestSpec, Scenario } from "../model/scenario.js";
import { aCrew, anEnvironment, aRequest } from "../test-support/fixtures.js";
import { worseOf } from "./compare-targets.js";
import { compareResults, type ResultComparison } from "./compare-results.js";
import { aRun, AT_RATE, changed, MARGINS, remeasured, steady, withFault } from "./test-support/compare-samples.js";
import type { Faulty, Remeasure, RunShape } from "./test-support/compare-samples.js";

type Status = ResultComparison["status"];

/** A later run than that of `aRun`, so that the two are not the same. */
const later = (shape: RunShape = {}): Result =>
  aRun({ ...shape, result: { startedAt: "2026-11-06T10:00:00.000Z", ...shape.result } });
/** Compares two runs of these shapes; by default the second is like the first. */
const compare = (a: RunShape, b: RunShape = a): ResultComparison => compareResults(aRun(a), later(b), MARGINS);
const at = (where: number, code: FindingCode, severity: Severity = "warning", upTo = Infinity): RunShape => ({
  findings: (trial, connections): readonly Finding[] =>
    connections === where && trial <= upTo ? [{ code, severity, args: {} }] : [],
});
const wild = (trial: number): number => 1 + trial / 4;
const two = { connections: [1, 50] };
const pair = { targets: ["single", "balanced"], connections: [1, 50] };
const slowAt50: RunShape = {
  ...pair,
  speed: (trial, n, name) => steady(name === "balanced" && n === 50 ? 0.8 : 1)(trial),
};
const died = (trials: number, shape: RunShape = {}): RunShape => {
  return { ...two, ...shape, ...at(50, "TARGET_DIED", "error", trials) };
};
const doubtful = (target: string): RunShape => ({
  findings: (_, __, name) => (name === target ? [{ code: "MACHINE_SATURATED", severity: "warning", args: {} }] : []),
});
const elsewhere = { result: { environment: anEnvironment({ cores: 2 }) } };
const openLoop: RunShape = { scenario: { levels: [{ rate: 100, durationMs: 3000 }] } };

describe("two results", () => {
  it.each<[Status, string, RunShape, RunShape, number?]>([
    ["pass", "nothing got worse", {}, {}],
    ["fail", "one target is worse at one level", pair, slowAt50],
    ["fail", "requests fail, of whose speed nothing can be said", {}, { failed: () => 0.1, ...at(50, "NON_2XX") }],
    ["inconclusive", "there are single trials", { trials: 1 }, { trials: 1 }],
    ["inconclusive", "trials vary too much", { speed: wild }, { speed: wild }],
    ["inconclusive", "the machine was saturated at one level of two", two, { ...two, ...at(50, "MACHINE_SATURATED") }],
    ["inconclusive", "B has only one level", two, { connections: [1] }],
    ["inconclusive", "it can be told of one target of two", pair, { ...pair, ...doubtful("balanced") }],
    ["pass", "an open loop is as it was", openLoop, openLoop],
    ["fail", "B died in its only trial", { ...two, trials: 1 }, died(6, { trials: 1 }), 1],
    ["fail", "B died in most trials", two, died(4), 1],
    ["inconclusive", "B died in half of its trials", two, died(3)],
    ["inconclusive", "both died", died(6), died(6)],
    ["inconclusive", "B died on another machine", two, died(6, elsewhere)],
  ])("are judged %s when %s", (status, _, a, b, deaths = 0) => {
    const compared = compare(a, b);
    expect(compared.status).toBe(status);
    // Deaths are told where they decide.
    expect(compared.targets[0]?.levels.flatMap((level) => level.deaths ?? [])).toHaveLength(deaths);
  });

  /** It recovers after half a second, or not at all. */
  const [LATE, NONE] = [{ outage: 5 }, { outage: Infinity }] as const;
  const SAME = { change: 0, verdict: "~", worse: "no" };
  const LOSS = { verdict: "slower", worse: "yes" };

  it.each<[Status, string, Faulty, Faulty, object]>([
    ["pass", "as many requests are lost, and it recovers as soon", {}, {}, { lost: SAME, recovery: SAME }],
    [
      "fail",
      "more are lost, of which the margin of failed requests is too wide to tell",
      {},
      { lost: 2 },
      { errors: { worse: "no" }, lost: { reference: 0, other: 2, verdict: "more", worse: "yes" } },
    ],
    ["fail", "it recovers later", {}, LATE, { recovery: { reference: 0, other: 500, change: 500, ...LOSS } }],
    ["fail", "it never recovers", LATE, NONE, { recovery: { other: Infinity, change: null, interval: null, ...LOSS } }],
    ["pass", "it recovers where A did not", NONE, LATE, { recovery: { verdict: "faster", worse: "no" } }],
    ["pass", "neither recovers", NONE, NONE, { recovery: SAME }],
    [
      "pass",
      "it recovers a slice later, which may be nothing",
      { outage: 1 },
      { outage: 2 },
      { recovery: { ...SAME, change: 100 } },
    ],
  ])("with faults are judged %s when %s", (status, _, a, b, figures) => {
    const compared = compareResults(withFault(a, aRun(AT_RATE)), withFault(b, later(AT_RATE)), MARGINS);
    expect(compared).toMatchObject({ status, targets: [{ levels: [figures] }] });
    expect(compare(openLoop).targets[0]?.levels[0]).not.toHaveProperty("lost");
  });

  it("do not ask for more trials of a level that a stop rule ended", () => {
    const shape: RunShape = {
      ...two,
      failed: (trial, n) => (n === 1 && trial === 3 ? 0.02 : 0),
      scenario: { stopOn: [parseThreshold("errors>1%")] },
    };
    const b = later(shape);
    const ended = { ...b, steps: b.steps.filter(({ level, trial }) => level.connections === 1 || trial < 3) };
    const { targets } = compareResults(aRun(two), ended, MARGINS);
    expect(targets[0]?.levels[1]?.throughput.open).toEqual({ why: "TOO_FEW_TRIALS" });
  });

  it("pass when A died at a level of its own, at which there is nothing to be worse than", () => {
    const a = changed(aRun(two), (step) => {
      const { measurement: _, ...rest } = step;
      const findings = [{ code: "TARGET_DIED", severity: "error", args: {} }] as const;
      return step.level.connections === 1 ? step : { ...rest, state: "failed", findings };
    });
    expect(compareResults(a, later(two), MARGINS).status).toBe("pass");
    expect(compareResults(a, later({ connections: [1] }), MARGINS).status).toBe("pass");
  });

  it.each<[string, RunShape, Remeasure, object, string]>([
    [
      "of an open loop are not judged by the rate alone, which is the one that was asked for",
      openLoop,
      ({ latency }, { trial }) => ({
        throughput: 100,
        latency: { ...latency, mean: 1 + trial / 3, p50: 1 + trial / 3, p99: 1 + trial / 3 },
      }),
      { throughput: { open: { why: "ASKED_FOR" } }, mean: { worse: "unknown" } },
      "inconclusive",
    ],
    [
      "are passed by their speed, and say of which percentile it cannot be told",
      {},
      ({ latency }, { trial }) => ({ latency: { ...latency, p99: 100 + 20 * trial } }),
      { throughput: { worse: "no" }, p50: { worse: "no" }, p99: { worse: "unknown" } },
      "pass",
    ],
  ])("%s", (_, shape, noise, level, status) => {
    const compared = compareResults(remeasured(aRun(shape), noise), remeasured(later(shape), noise), MARGINS);
    expect(compared).toMatchObject({ status, targets: [{ levels: [level] }] });
  });

  it("of which one is a copy of the other are not judged, though it should be slower", () => {
    const a = aRun({ connections: [1, 7, 50] });
    const copy = remeasured(a, () => ({ throughput: 1 }));
    const compared = compareResults(a, { ...copy, startedAt: "2026-11-06T10:00:00.000Z" }, MARGINS);
    expect(compared).toMatchObject({
      status: "inconclusive",
      differences: [{ code: "IDENTICAL_FIGURES", effect: "prevents", target: "single" }],
      targets: [{ levels: [{ throughput: { open: { why: "IDENTICAL_FIGURES" } } }, {}, {}] }],
    });
    // The same run given twice is no copy.
    expect(compareResults(aRun(), aRun(), MARGINS).differences).toEqual([{ code: "SAME_RUN", effect: "note" }]);
    expect(compareResults(aRun(), aRun({ speed: steady(2) }), MARGINS).differences).toEqual([]);
  });
});

const asked = (change: Partial<RequestSpec>): RunShape => ({ scenario: { request: aRequest(change) } });
const machine = (change: Parameters<typeof anEnvironment>[0]): RunShape => ({
  result: { environment: anEnvironment(change) },
});
const load = (change: Partial<Scenario>): RunShape => ({ scenario: change });
const engine = (change: Partial<Scenario["engine"]>): RunShape =>
  load({ engine: { name: "autocannon", generators: 1, options: {}, ...change } });
const served = (options: Record<string, unknown>, server = "single"): RunShape =>
  load({ targets: [{ name: "single", server, options }] });
const url = (path: string, host = "127.0.0.1"): RunShape =>
  load({ targets: [{ name: "url", server: "url", options: { url: `http://${host}${path}` } }] });
const signed = (token: string): RunShape => asked({ headers: [["Authorization", token]] });
const RAMP = { from: 1, riseMs: 1000, steps: null } as const;
const arrival = { spacing: "uniform", seed: 1, maxInFlight: 1000 } as const;
const PATH = "/a?key=secret";
const A: MixedRequest = { name: `GET ${PATH}`, weight: 2, request: aRequest({ path: PATH }), bodies: null };
const B: MixedRequest = { name: "cart", weight: 1, request: aRequest({ method: "POST" }), bodies: ["x", "y"] };
const mix = (...entries: readonly MixedRequest[]): RunShape => load({ mix: entries });
const signedEntry = (token: string): MixedRequest => ({
  ...A,
  request: { ...A.request, headers: [["Authorization", token]] },
});
const cart = (change: Partial<RequestSpec>): RunShape => mix(A, { ...B, request: { ...B.request, ...change } });
const none = {};

describe("a difference", () => {
  it.each<[string, string, RunShape, RunShape]>([
    ["OTHER_MACHINE", "cpuModel", none, machine({ cpuModel: "Another" })],
    ["OTHER_MACHINE", "cores", none, machine({ cores: 2 })],
    ["OTHER_MACHINE", "memoryBytes", none, machine({ memoryBytes: 8_000_000_000 })],
    ["OTHER_MACHINE", "os", none, machine({ os: "Darwin arm64" })],
    ["OTHER_REQUEST", "method", none, asked({ method: "POST" })],
    ["OTHER_REQUEST", "path", none, asked({ path: "/other" })],
    ["OTHER_REQUEST", "query", none, asked({ path: "/?key=secret" })],
    ["OTHER_REQUEST", "header accept", none, asked({ headers: [["Accept", "a/b"]] })],
    // To ask with none is another thing to ask for.
    ["OTHER_REQUEST", "header authorization", none, signed("secret")],
    ["OTHER_REQUEST", "body", none, asked({ body: "x" })],
    ["OTHER_REQUEST", "expectBody", none, asked({ expectBody: "x" })],
    ["OTHER_REQUEST", "expectStatus", none, asked({ expectStatus: "200" })],
    ["OTHER_REQUEST", "query", url("/x?k=1"), url("/x?k=secret")],
    ["OTHER_REQUEST", "mix", none, mix(A, B)],
    ["OTHER_REQUEST", "mix, cart only in A", mix(A, B), mix(A)],
    ["OTHER_REQUEST", "mix, GET /b only in B", mix(A, B), mix(A, B, { ...A, name: "GET /b?key=1" })],
    ["OTHER_REQUEST", "mix, GET /a: query", mix(A, B), mix({ ...A, request: aRequest({ path: "/a?key=other" }) }, B)],
    ["OTHER_REQUEST", "mix, cart: bodies", mix(A, B), mix(A, { ...B, bodies: ["x", "z"] })],
    ["OTHER_REQUEST", "mix, cart: bodies", mix(A, B), cart({ bodyEncoding: "base64" })],
    ["OTHER_REQUEST", "mix, cart: path", mix(A, B), cart({ path: "/c" })],
    ["OTHER_REQUEST", "mix, cart: weight", mix(A, B), mix(A, { ...B, weight: 2 })],
    ["OTHER_LOAD", "httpVersion", none, load({ httpVersion: "2" })],
    ["OTHER_LOAD", "keepAlive", none, load({ keepAlive: false })],
    ["OTHER_LOAD", "warmupMs", none, load({ warmupMs: 0 })],
    ["OTHER_LOAD", "restart", none, load({ restart: "step" })],
    ["OTHER_LOAD", "ramp", none, load({ ramp: RAMP })],
    ["OTHER_LOAD", "ramp.from", load({ ramp: RAMP }), load({ ramp: { ...RAMP, from: 20 } })],
    ["OTHER_LOAD", "ramp.riseMs", load({ ramp: RAMP }), load({ ramp: { ...RAMP, riseMs: 2000 } })],
    ["OTHER_LOAD", "faults", none, load({ faults: [{ atMs: 1000, kind: "kill", part: "backend-2" }] })],
    ["OTHER_LOAD", "ramp.steps", load({ ramp: RAMP }), load({ ramp: { ...RAMP, steps: 4 } })],
    ["OTHER_LOAD", "arrival.spacing", load({ arrival }), load({ arrival: { ...arrival, spacing: "poisson" } })],
    ["OTHER_ENGINE", "generators", none, engine({ generators: 2 })],
    ["OTHER_ENGINE", "workers", none, engine({ generators: 3, workers: aCrew() })],
    ["OTHER_ENGINE", "engine", none, engine({ name: "ab" })],
    // It took the place of the other one, and reaches other figures.
    ["OTHER_ENGINE", "engine", engine({ name: "undici" }), engine({ name: "wire" })],
    ["OTHER_ENGINE", "engine options channels", none, engine({ options: { channels: 3 } })],
  ])("%s (%s) leaves figures and no judgement, and tells no secret", (code, what, a, b) => {
    const { status, differences, targets } = compare(a, { speed: steady(0.5), ...b });
    expect(status).toBe("inconclusive");
    const [first, ...others] = differences;
    expect(first).toMatchObject({ code, what, effect: "prevents" });
    // A mix of one entry has another share as well.
    expect(others.filter(({ effect }) => effect === "prevents")).toEqual([]);
    const throughput = { kind: "untested", open: { why: code }, change: expect.closeTo(-0.5, 9) };
    expect(targets[0]?.levels[0]?.throughput).toMatchObject(throughput);
    expect(JSON.stringify(differences)).not.toContain("secret");
  });

  it.each<[string, string | undefined, RunShape, RunShape]>([
    ["OTHER_SOFTWARE", "kernel", none, machine({ kernel: "6.2" })],
    ["OTHER_SOFTWARE", "node", none, machine({ node: "v24" })],
    ["OTHER_SOFTWARE", "lbbench", none, { result: { tool: { name: "lbbench", version: "9" } } }],
    ["OTHER_LOAD", "insecure", none, load({ insecure: true })],
    ["OTHER_LOAD", "timeoutMs", none, load({ timeoutMs: 1 })],
    ["NOT_COMPLETE", "B", none, { result: { complete: false } }],
    ["OTHER_SERVER", "options handler, constructor", none, served({ handler: "json", constructor: 5 })],
    ["OTHER_SERVER", "options list", served({ list: [1, 2] }), served({ list: [2, 1] })],
    ["OTHER_SERVER", "options text", served({ text: "1" }), served({ text: 1 })],
    ["OTHER_SERVER", "connectTo", none, load({ connectTo: "secret:80" })],
    ["OTHER_SERVER", "server", none, served({}, "cluster")],
    ["OTHER_SERVER", "options url", url("/x?k=1"), url("/x?k=1", "127.0.0.2")],
    ["OTHER_REQUEST", "header authorization", signed("secret-1"), signed("secret-2")],
    ["OTHER_REQUEST", "mix, GET /a: header authorization", mix(signedEntry("secret-1")), mix(signedEntry("secret-2"))],
  ])("%s (%s) is noted, and what is measured judged", (code, what, a, b) => {
    const { status, differences } = compare(a, b);
    expect(differences).toEqual([expect.objectContaining({ code, what, effect: "note" })]);
    expect(JSON.stringify(differences)).not.toContain("secret");
    // What a run that was cut short would have shown is not known.
    expect(status).toBe(code === "NOT_COMPLETE" ? "inconclusive" : "pass");
  });

  it.each<[string, RunShape, RunShape]>([
    ["a little less memory that the kernel leaves", none, machine({ memoryBytes: 15_900_000_000 })],
    ["another seed of the same load", load({ arrival }), load({ arrival: { ...arrival, seed: 2 } })],
    ["another order of a mix with the same shares", mix(A, B), mix({ ...B, weight: 2 }, { ...A, weight: 4 })],
    ["the request that a mix takes the place of", mix(A), load({ mix: [A], request: aRequest({ method: "POST" }) })],
    ["the order of keys of options", served({ a: 1, b: [{ c: null }] }), served({ b: [{ c: null }], a: 1 })],
  ])("is none: %s", (_, a, b) => {
    expect(compare(a, b).differences).toEqual([]);
  });

  it("of one target's engine is nothing to the others", () => {
    const targets = ["a", "b"].map((name) => ({ name, server: "single", options: {} }));
    const own = targets.map((one) => (one.name === "a" ? { ...one, engine: { name: "ab", options: {} } } : one));
    const compared = compare(load({ targets }), load({ targets: own }));
    expect(compared.differences).toMatchObject([{ code: "OTHER_ENGINE", what: "engine", target: "a" }]);
    expect(compared.targets.map(({ levels }) => levels.map(({ p50 }) => worseOf(p50))[0])).toEqual(["unknown", "no"]);
  });

  it("of the bytes of answers is noted", () => {
    const large = remeasured(later(), () => ({ bytes: { received: 10_000 * 1350, body: 10_000 * 1200 } }));
    expect(compareResults(aRun(), large, MARGINS).differences).toEqual([
      { code: "BYTES_DIFFER", effect: "note", target: "single", what: "bytes of body per answer", a: 12, b: 1200 },
    ]);
  });

  it("of the paths of URLs is none where there is a mix, whose own they are not", () => {
    const targets = (path: string) => url(path).scenario ?? {};
    expect(compare(url("/a"), url("/b")).differences.map(({ code }) => code)).toContain("OTHER_REQUEST");
    const mixed = compare(load({ ...targets("/a"), mix: [A] }), load({ ...targets("/b"), mix: [A] }));
    expect(mixed.differences.map(({ code }) => code)).toEqual(["OTHER_SERVER"]);
  });
});

describe("what is paired", () => {
  const pairsOf = ({ targets }: ResultComparison): readonly string[] =>
    targets.map(({ reference, other }) => `${reference} ${other}`);
  const names = (...targets: readonly string[]): RunShape => ({ targets });

  it("are the only target of each, whatever they are called", () => {
    const compared = compare(names("old"), { ...names("new"), speed: steady(0.5) });
    expect(pairsOf(compared)).toEqual(["old new"]);
    expect(compared.status).toBe("fail");
  });

  it("are targets of the same name; those that B has lost are missed", () => {
    const compared = compare(names("x", "y"), names("z", "y"));
    expect(pairsOf(compared)).toEqual(["y y"]);
    expect(compared).toMatchObject({
      status: "inconclusive",
      differences: [
        { code: "TARGET_ONLY_IN_A", effect: "prevents", target: "x" },
        { code: "TARGET_ONLY_IN_B", effect: "note", target: "z" },
      ],
      targets: [{ levels: [{ p50: { worse: "no" } }] }],
    });
    expect(compare(names("x", "y"), names("z", "w"))).toMatchObject({ status: "inconclusive", targets: [] });
  });

  it("is what is asked for, and nothing else is missed", () => {
    const compared = compareResults(aRun(names("x", "y")), later(names("z", "y")), MARGINS, [["x", "z"]]);
    expect(pairsOf(compared)).toEqual(["x z"]);
    expect(compared).toMatchObject({ status: "pass", differences: [] });
  });

  it("are levels that both have, of the same duration", () => {
    const compared = compare({ connections: [1, 50] }, { connections: [50, 100] });
    expect(compared.targets[0]?.levels.map(({ level }) => level.connections)).toEqual([50]);
    const only = (side: "A" | "B", connections: number) => ({
      code: `LEVELS_ONLY_IN_${side}`,
      effect: side === "A" ? "prevents" : "note",
      target: "single",
      levels: [{ connections, durationMs: 3000 }],
    });
    expect(compared.differences).toEqual([only("A", 1), only("B", 100)]);
    const longer = compare({}, load({ levels: [{ connections: 50, durationMs: 9000 }] }));
    expect(longer).toMatchObject({ status: "inconclusive", targets: [{ levels: [] }] });
  });

  it("are levels that were measured, the smallest first, whatever the scenario says: a search finds its own", () => {
    const measured = aRun({ connections: [100, 1, 50] });
    const scenario = { ...measured.scenario, levels: [{ connections: 1, durationMs: 3000 }] };
    const unfinished = later({ connections: [1, 50, 100] });
    const steps = unfinished.steps.filter(({ level }) => level.connections !== 1);
    const compared = compareResults({ ...measured, scenario }, { ...unfinished, steps }, MARGINS);
    expect(compared.targets[0]?.levels.map(({ level }) => level.connections)).toEqual([50, 100]);
    expect(compared.differences).toMatchObject([{ code: "LEVELS_ONLY_IN_A", levels: [{ connections: 1 }] }]);
  });
});
