import { describe, expect, it } from "vitest";
import type { Result } from "../model/result.js";
import type { Finding, FindingCode, Severity } from "../model/finding.js";
import type { RequestSpec, Scenario } from "../model/scenario.js";
import { anEnvironment, aScenario } from "../test-support/fixtures.js";
import type { TargetPair } from "./compare-pairs.js";
import { compareResults } from "./compare-results.js";
import type { ResultComparison } from "./compare-results.js";
import { aRun, MARGINS, steady } from "./test-support/compare-samples.js";
import type { RunShape } from "./test-support/compare-samples.js";

function compare(a: Result, b: Result, asked?: readonly TargetPair[]): ResultComparison {
  return compareResults(a, b, MARGINS, asked);
}

/** A later run than that of `aRun`, so that the two are not the same. */
function laterRun(shape: Parameters<typeof aRun>[0] = {}): Result {
  return aRun({ ...shape, result: { startedAt: "2026-11-06T10:00:00.000Z", ...shape.result } });
}

function pairsOf({ targets }: ResultComparison): readonly string[] {
  return targets.map(({ reference, other }) => `${reference} ${other}`);
}

describe("compareResults decides", () => {
  it("pass when nothing got worse", () => {
    expect(compare(aRun(), laterRun())).toMatchObject({ status: "pass", differences: [] });
  });

  it("fail when one target is worse at one level", () => {
    const shape = { targets: ["single", "balanced"], connections: [1, 50] };
    const slow = laterRun({
      ...shape,
      speed: (trial, connections, target) => steady(target === "balanced" && connections === 50 ? 0.8 : 1)(trial),
    });
    const { status, targets } = compare(aRun(shape), slow);
    expect(status).toBe("fail");
    const worse = targets.flatMap(({ other, levels }) =>
      levels.map(({ level, throughput }) => `${other} ${level.connections} ${throughput.worse}`),
    );
    expect(worse).toEqual(["single 1 no", "single 50 no", "balanced 1 no", "balanced 50 yes"]);
  });

  it("fail when requests fail that did not before, though of the speed nothing can be said then", () => {
    const failing = laterRun({
      failed: () => 0.1,
      findings: () => [{ code: "NON_2XX", severity: "warning", args: {} }],
    });
    const { status, targets } = compare(aRun(), failing);
    expect(status).toBe("fail");
    expect(targets[0]?.levels[0]).toMatchObject({ errors: { worse: "yes" }, throughput: { reason: "NON_2XX" } });
  });

  it.each([
    ["of single trials", { trials: 1 }],
    ["of 3 trials", { trials: 3 }],
    [
      "of a machine that was saturated",
      { findings: () => [{ code: "MACHINE_SATURATED", severity: "warning", args: {} }] as const },
    ],
    ["of trials that vary too much", { speed: (trial: number) => 1 + trial / 4 }],
  ])("inconclusive when nothing can be told %s", (_, shape) => {
    expect(compare(aRun(shape), laterRun(shape)).status).toBe("inconclusive");
  });

  const at = (where: number, code: FindingCode, severity: Severity = "warning") => ({
    findings: (_: number, connections: number): readonly Finding[] =>
      connections === where ? [{ code, severity, args: {} }] : [],
  });
  const levels = { connections: [1, 50] };

  it.each<[string, RunShape]>([
    ["the machine was saturated at one", at(50, "MACHINE_SATURATED")],
    ["a step failed at one, which may be nobody's fault but the generator's", at(50, "STEP_FAILED", "error")],
    [
      "B is much slower at one, and the trials vary as much",
      { speed: (trial, c) => (c === 1 ? 1 + trial / 100 : trial % 2 === 0 ? 0.15 : 1.3) },
    ],
    [
      "B is much slower at one, and the machine was saturated",
      { ...at(50, "MACHINE_SATURATED"), speed: (t, c) => steady(c === 1 ? 1 : 0.3)(t) },
    ],
    ["B has only one", { connections: [1] }],
  ])("inconclusive when nothing can be told at one level of two: %s", (_, shape) => {
    expect(compare(aRun(levels), laterRun({ ...levels, ...shape })).status).toBe("inconclusive");
  });

  it("pass when A died at a level of its own, at which there is nothing to be worse than", () => {
    const a = aRun(levels);
    const steps = a.steps.map((step) => {
      const { measurement: _, ...rest } = step;
      return step.level.connections === 1
        ? step
        : {
            ...rest,
            state: "failed" as const,
            findings: [{ code: "TARGET_DIED", severity: "error", args: {} } as const],
          };
    });
    expect(compare({ ...a, steps }, laterRun(levels)).status).toBe("pass");
    expect(compare({ ...a, steps }, laterRun({ connections: [1] })).status).toBe("pass");
  });

  it.each<[ResultComparison["status"], string, number, RunShape]>([
    ["fail", "B died in all trials", 6, {}],
    ["fail", "B died in its only trial", 1, { trials: 1 }],
    ["fail", "B died in most trials", 4, {}],
    ["inconclusive", "B died in half of its trials", 3, {}],
    ["inconclusive", "B died in one trial", 1, {}],
    ["inconclusive", "both died", 6, at(50, "TARGET_DIED", "error")],
  ])("%s when at one level of two %s", (status, _, died, shape) => {
    const deaths = { ...levels, ...shape };
    const b = laterRun({
      ...deaths,
      findings: (trial, connections) =>
        connections === 50 && trial <= died ? [{ code: "TARGET_DIED", severity: "error", args: {} }] : [],
    });
    const compared = compare(aRun(deaths), b);
    expect(compared.status).toBe(status);
    const found = compared.targets[0]?.levels.map((level) => level.deaths);
    expect(found).toEqual([undefined, status === "fail" ? { died, trials: shape.trials ?? 6 } : undefined]);
  });

  it("inconclusive of a death on another machine", () => {
    const b = laterRun({ ...at(50, "TARGET_DIED", "error"), result: { environment: anEnvironment({ cores: 2 }) } });
    expect(compare(aRun(), b).status).toBe("inconclusive");
  });

  it("inconclusive when the figures of B are a copy of A's, though it should be slower", () => {
    const a = aRun({ connections: [1, 7, 50] });
    const steps = a.steps.map((step) => ({
      ...step,
      ...(step.measurement === undefined ? {} : { measurement: { ...step.measurement, throughput: 1 } }),
    }));
    const compared = compare(a, { ...a, steps, startedAt: "2026-11-06T10:00:00.000Z" });
    expect(compared.differences).toMatchObject([{ code: "IDENTICAL_FIGURES", effect: "prevents" }]);
    expect(compared.status).toBe("inconclusive");
    expect(compared.targets[0]?.levels[0]?.throughput).toMatchObject({ reason: "IDENTICAL_FIGURES" });
  });

  it("inconclusive when it can be told of one target of two", () => {
    const shape: Parameters<typeof aRun>[0] = {
      targets: ["single", "balanced"],
      findings: (_, __, target) =>
        target === "balanced" ? [{ code: "MACHINE_SATURATED", severity: "warning", args: {} }] : [],
    };
    expect(compare(aRun(shape), laterRun(shape)).status).toBe("inconclusive");
  });

  it("inconclusive when of an open loop only the rate is known, which is the one that was asked for", () => {
    const shape: Parameters<typeof aRun>[0] = { scenario: { levels: [{ rate: 100, durationMs: 3000 }] } };
    const noisy = (result: Result): Result => ({
      ...result,
      steps: result.steps.map((step) => {
        const { measurement } = step;
        const factor = 1 + step.trial / 3;
        return measurement?.latency === undefined
          ? step
          : {
              ...step,
              measurement: {
                ...measurement,
                throughput: 100,
                latency: { ...measurement.latency, p50: factor, p99: factor },
              },
            };
      }),
    });
    const { status, targets } = compare(noisy(aRun(shape)), noisy(laterRun(shape)));
    expect(targets[0]?.levels[0]?.throughput.worse).toBe("no");
    expect(status).toBe("inconclusive");
    expect(compare(aRun(shape), laterRun(shape)).status).toBe("pass");
  });
});

describe("compareResults judges nothing, and shows the figures, after a difference in", () => {
  const request: RequestSpec = aScenario().request;
  const asked = (change: Partial<RequestSpec>): Parameters<typeof aRun>[0] => ({
    scenario: { request: { ...request, ...change } },
  });
  const machine = (change: Parameters<typeof anEnvironment>[0]): Parameters<typeof aRun>[0] => ({
    result: { environment: anEnvironment(change) },
  });
  const scenario = (change: Partial<Scenario>): Parameters<typeof aRun>[0] => ({ scenario: change });
  const RAMP = { from: 1, riseMs: 1000, steps: null } as const;
  const arrival = { spacing: "uniform", seed: 1, maxInFlight: 1000 } as const;

  it.each<[string, string, string, Parameters<typeof aRun>[0]]>([
    ["the processor", "OTHER_MACHINE", "cpuModel", machine({ cpuModel: "Another" })],
    ["the number of cores", "OTHER_MACHINE", "cores", machine({ cores: 2 })],
    ["the memory", "OTHER_MACHINE", "memoryBytes", machine({ memoryBytes: 8_000_000_000 })],
    ["the operating system", "OTHER_MACHINE", "os", machine({ os: "Darwin arm64" })],
    ["the method", "OTHER_REQUEST", "method", asked({ method: "POST" })],
    ["the path", "OTHER_REQUEST", "path", asked({ path: "/other" })],
    ["the query", "OTHER_REQUEST", "query", asked({ path: "/?key=secret" })],
    ["a header", "OTHER_REQUEST", "header accept", asked({ headers: [["Accept", "a/b"]] })],
    ["the body", "OTHER_REQUEST", "body", asked({ body: "x" })],
    ["the expected status", "OTHER_REQUEST", "expectStatus", asked({ expectStatus: "200" })],
    ["the expected body", "OTHER_REQUEST", "expectBody", asked({ expectBody: "x" })],
    ["keep-alive", "OTHER_LOAD", "keepAlive", scenario({ keepAlive: false })],
    ["the warm-up", "OTHER_LOAD", "warmupMs", scenario({ warmupMs: 0 })],
    ["a ramp", "OTHER_LOAD", "ramp", scenario({ ramp: RAMP })],
    [
      "the generators",
      "OTHER_ENGINE",
      "generators",
      scenario({ engine: { name: "autocannon", generators: 2, options: {} } }),
    ],
    ["the engine", "OTHER_ENGINE", "engine", scenario({ engine: { name: "ab", generators: 1, options: {} } })],
    [
      "the engine's options",
      "OTHER_ENGINE",
      "engine options channels",
      scenario({ engine: { name: "autocannon", generators: 1, options: { channels: 3 } } }),
    ],
  ])("%s", (_, code, what, shape) => {
    const { status, differences, targets } = compare(aRun(), laterRun({ speed: steady(0.5), ...shape }));
    expect(status).toBe("inconclusive");
    expect(differences).toEqual([expect.objectContaining({ code, what, effect: "prevents" })]);
    expect(targets[0]?.levels[0]?.throughput).toMatchObject({ verdict: "~", worse: "unknown", reason: code });
    expect(targets[0]?.levels[0]?.throughput.change).toBeCloseTo(-0.5, 9);
    expect(JSON.stringify(differences)).not.toContain("secret");
  });

  it.each([
    ["ramp.from", { from: 20 }],
    ["ramp.riseMs", { riseMs: 2000 }],
    ["ramp.steps", { steps: 4 }],
  ])("how the users of a ramp come: %s", (what, other) => {
    const b = laterRun({ speed: steady(0.5), ...scenario({ ramp: { ...RAMP, ...other } }) });
    const compared = compare(aRun(scenario({ ramp: RAMP })), b);
    expect(compared.status).toBe("inconclusive");
    expect(compared.differences).toMatchObject([{ code: "OTHER_LOAD", what, effect: "prevents" }]);
    expect(compare(aRun(scenario({ ramp: RAMP })), laterRun(scenario({ ramp: { ...RAMP } }))).differences).toEqual([]);
  });

  it("the arrival of requests", () => {
    const poisson = laterRun(scenario({ arrival: { ...arrival, spacing: "poisson" } }));
    const { differences } = compare(aRun(scenario({ arrival })), poisson);
    expect(differences).toMatchObject([{ code: "OTHER_LOAD", what: "arrival.spacing", a: "uniform", b: "poisson" }]);
    // Another seed is another draw of the same load.
    const seeded = laterRun(scenario({ arrival: { ...arrival, seed: 2 } }));
    expect(compare(aRun(scenario({ arrival })), seeded).differences).toEqual([]);
  });

  it("the engine of one target, of which the others know nothing", () => {
    const targets = ["a", "b"].map((name) => ({ name, server: "single", options: {} }));
    const own = { name: "ab", options: {} };
    const b = laterRun({
      scenario: { targets: targets.map((one) => (one.name === "a" ? { ...one, engine: own } : one)) },
    });
    const compared = compare(aRun({ scenario: { targets } }), b);
    expect(compared.differences).toMatchObject([{ code: "OTHER_ENGINE", what: "engine", target: "a" }]);
    expect(compared.targets.map(({ levels }) => levels[0]?.p50.worse)).toEqual(["unknown", "no"]);
  });
});

describe("compareResults judges, and takes note of", () => {
  it.each<[string, Parameters<typeof aRun>[0], object]>([
    [
      "the kernel",
      { result: { environment: anEnvironment({ kernel: "6.2" }) } },
      { code: "OTHER_SOFTWARE", a: "6.1.0", b: "6.2" },
    ],
    ["Node.js", { result: { environment: anEnvironment({ node: "v24" }) } }, { code: "OTHER_SOFTWARE", what: "node" }],
    [
      "lbbench",
      { result: { tool: { name: "lbbench", version: "9" } } },
      { code: "OTHER_SOFTWARE", a: "0.1.0", b: "9" },
    ],
    ["the timeout", { scenario: { timeoutMs: 1 } }, { code: "OTHER_LOAD", what: "timeoutMs" }],
    ["an interruption", { result: { complete: false } }, { code: "NOT_COMPLETE", what: "B" }],
    [
      "another set-up",
      { scenario: { targets: [{ name: "single", server: "single", options: { handler: "json" } }] } },
      { code: "OTHER_SERVER", what: "options handler" },
    ],
  ])("%s", (_, shape, difference) => {
    const { status, differences } = compare(aRun(), laterRun(shape));
    expect(differences).toEqual([expect.objectContaining({ effect: "note", ...difference })]);
    expect(status).toBe("pass");
  });

  it("nothing when only the memory that the kernel leaves is a little less", () => {
    const b = laterRun({ result: { environment: anEnvironment({ memoryBytes: 15_900_000_000 }) } });
    expect(compare(aRun(), b).differences).toEqual([]);
  });

  it("other credentials, without their values", () => {
    const signed = (value: string): Parameters<typeof aRun>[0] => ({
      scenario: { request: { ...aScenario().request, headers: [["Authorization", value]] } },
    });
    const { status, differences } = compare(aRun(signed("secret-1")), laterRun(signed("secret-2")));
    expect({ status, differences }).toEqual({
      status: "pass",
      differences: [{ code: "OTHER_REQUEST", effect: "note", what: "header authorization" }],
    });
    // To ask with none is another thing to ask for.
    expect(compare(aRun(), laterRun(signed("secret"))).differences).toMatchObject([{ effect: "prevents" }]);
  });

  it("the same run given twice", () => {
    expect(compare(aRun(), aRun()).differences).toEqual([{ code: "SAME_RUN", effect: "note" }]);
    expect(compare(aRun(), aRun({ speed: steady(2) })).differences).toEqual([]);
  });
});

describe("compareResults pairs", () => {
  it("the only target of each, whatever they are called", () => {
    const compared = compare(aRun({ targets: ["old"] }), laterRun({ targets: ["new"], speed: steady(0.5) }));
    expect(pairsOf(compared)).toEqual(["old new"]);
    expect(compared.status).toBe("fail");
  });

  it("targets of the same name, and misses those that B has lost", () => {
    const compared = compare(aRun({ targets: ["x", "y"] }), laterRun({ targets: ["z", "y"] }));
    expect(pairsOf(compared)).toEqual(["y y"]);
    expect(compared.differences).toEqual([
      { code: "TARGET_ONLY_IN_A", effect: "prevents", target: "x" },
      { code: "TARGET_ONLY_IN_B", effect: "note", target: "z" },
    ]);
    expect(compared.status).toBe("inconclusive");
    expect(compared.targets[0]?.levels[0]?.p50.worse).toBe("no");
  });

  it("what it is asked to, and misses nothing else", () => {
    const compared = compare(aRun({ targets: ["x", "y"] }), laterRun({ targets: ["z", "y"] }), [["x", "z"]]);
    expect(pairsOf(compared)).toEqual(["x z"]);
    expect(compared).toMatchObject({ status: "pass", differences: [] });
  });

  it("nothing, when no name is in both", () => {
    expect(compare(aRun({ targets: ["x", "y"] }), laterRun({ targets: ["z", "w"] }))).toMatchObject({
      status: "inconclusive",
      targets: [],
    });
  });

  it("levels that both have", () => {
    const compared = compare(aRun({ connections: [1, 50] }), laterRun({ connections: [50, 100] }));
    expect(compared.targets[0]?.levels.map(({ level }) => level.connections)).toEqual([50]);
    expect(compared.differences).toEqual([
      {
        code: "LEVELS_ONLY_IN_A",
        effect: "prevents",
        target: "single",
        levels: [{ connections: 1, durationMs: 3000 }],
      },
      { code: "LEVELS_ONLY_IN_B", effect: "note", target: "single", levels: [{ connections: 100, durationMs: 3000 }] },
    ]);
  });

  it("levels that were measured, the smallest first, whatever the scenario says: a search finds its own", () => {
    const measured = aRun({ connections: [100, 1, 50] });
    const scenario = { ...measured.scenario, levels: [{ connections: 1, durationMs: 3000 }] };
    const unfinished = laterRun({ connections: [1, 50, 100] });
    const steps = unfinished.steps.filter(({ level }) => level.connections !== 1);
    const compared = compare({ ...measured, scenario }, { ...unfinished, steps });
    expect(compared.targets[0]?.levels.map(({ level }) => level.connections)).toEqual([50, 100]);
    expect(compared.differences).toMatchObject([{ code: "LEVELS_ONLY_IN_A", levels: [{ connections: 1 }] }]);
  });

  it("no levels of another duration", () => {
    const longer = laterRun({ scenario: { levels: [{ connections: 50, durationMs: 9000 }] } });
    expect(compare(aRun(), longer)).toMatchObject({ status: "inconclusive", targets: [{ levels: [] }] });
  });

  it("URLs by what they ask for, wherever the server is", () => {
    const at = (url: string): Parameters<typeof aRun>[0] => ({
      scenario: { targets: [{ name: url, server: "url", options: { url } }] },
    });
    const codes = (a: string, b: string) =>
      compare(aRun(at(a)), laterRun(at(b))).differences.map(({ code, what }) => `${code} ${what}`);
    expect(codes("http://127.0.0.1:1/x?k=1", "http://127.0.0.1:2/x?k=1")).toEqual(["OTHER_SERVER options url"]);
    expect(codes("http://127.0.0.1:1/x", "http://127.0.0.1:1/y")).toContain("OTHER_REQUEST path");
    expect(codes("http://127.0.0.1:1/x?k=1", "http://127.0.0.1:1/x?k=2")).toContain("OTHER_REQUEST query");
  });
});
