import { describe, expect, it } from "vitest";
import type { FindingArgs, FindingCode } from "../model/finding.js";
import { seededRandom } from "../stats/seeded-random.js";
import { addNoise, drawNormal, fewestByChance, mostByChance } from "../stats/test-support/simulated-trials.js";
import { compareResults } from "./compare-results.js";
import { compareWithReference } from "./compare-targets.js";
import { aPair, aRun, MARGINS } from "./test-support/compare-samples.js";
import type { RunShape } from "./test-support/compare-samples.js";

const NOISE = 0.03;
const PAIRS = 50;
const SIX = [1, 50, 100, 250, 500, 1000];

interface Experiment {
  readonly trials: number;
  readonly connections: readonly number[];
  /** Throughput of B as a part of that of A. */
  readonly factor: number;
  readonly margin?: number;
}

/** A finding in every step of a target, or of all. */
const findingsOf = (code: FindingCode, of?: string, args: FindingArgs = {}): RunShape => ({
  findings: (_, __, name) => (of === undefined || name === of ? [{ code, severity: "warning", args }] : []),
});
const FULL = findingsOf("MACHINE_SATURATED", undefined, { ofTarget: 0.9 });

type Compared = Pick<ReturnType<typeof compareResults>, "status" | "targets">;
type Compare = (experiment: Experiment, random: () => number) => Compared;

const twoResults: Compare = ({ trials, connections, factor, margin = 0.05 }, random) => {
  const run = (center: number) => aRun({ trials, connections, speed: () => addNoise(random, center, NOISE) });
  return compareResults(run(1), run(factor), { ...MARGINS, margin });
};
const twoTargets: Compare = ({ trials, connections, factor, margin = 0.05 }, random) =>
  compareWithReference(
    aPair(factor, {
      trials,
      connections,
      speed: (_trial, _connections, target) => addNoise(random, target === "single" ? 1 : factor, NOISE),
    }),
    { ...MARGINS, margin },
  );

/** What is said of pairs with 3 % of noise: how often it fails and passes, and the verdicts of throughput of each pair. */
function simulate(compare: Compare, experiment: Experiment) {
  const random = seededRandom(experiment.connections.length);
  const said = Array.from({ length: PAIRS }, () => compare(experiment, random));
  const count = (status: string): number => said.filter((one) => one.status === status).length;
  const verdicts = said.map(({ targets }) =>
    targets.flatMap(({ levels }) => levels.map(({ throughput }) => throughput.verdict)),
  );
  return { fail: count("fail"), pass: count("pass"), verdicts };
}

describe.each([
  // Measured with 2000 pairs: 87 % of 4 trials, 98.9 % of 5, 100 % of 10.
  ["two results", twoResults, 4, [50], 0.85],
  ["two results", twoResults, 5, [50], 0.95],
  ["two results", twoResults, 10, [50], 0.95],
  ["two results", twoResults, 10, SIX, 0.95],
  ["two targets of one run", twoTargets, 5, SIX, 0.95],
] as const)("simulated pairs: %s, %i trials at %j connections", (_, compare, trials, connections, power) => {
  it("are called different by mistake in at most one pair of twenty, and never worse beyond the margin", () => {
    const { fail, verdicts } = simulate(compare, { trials, connections, factor: 1 });
    const different = verdicts.filter((ofPair) => ofPair.some((verdict) => verdict !== "~"));
    expect(different.length).toBeLessThanOrEqual(mostByChance(PAIRS, 0.05));
    expect(fail).toBe(0);
  });

  it("of which one is slower by a tenth are found", () => {
    const all = simulate(compare, { trials, connections, factor: 0.9 }).verdicts.flat();
    expect(all).toHaveLength(PAIRS * connections.length);
    const slower = all.filter((verdict) => verdict === "slower");
    expect(slower.length).toBeGreaterThanOrEqual(fewestByChance(all.length, power));
    expect(all).not.toContain("faster");
  });
});

describe("one trial of six levels, over all of them", () => {
  const THREE = ["single", "cluster", "balanced"] as const;
  interface Simulated extends RunShape {
    readonly noise?: (connections: number) => number;
    /** Of what the others make otherwise they make this part with 1 connection. */
    readonly alone?: number;
  }
  /** What is said of cluster and balanced, which make these parts of the throughput of single, with 3 % of noise or as much as a level has. */
  const overall = (
    factors: readonly number[],
    random: () => number,
    { noise = () => NOISE, alone = 1, ...shape }: Simulated = {},
  ) =>
    compareWithReference(
      aRun({
        targets: THREE,
        connections: SIX,
        trials: 1,
        scenario: { reference: "single" },
        ...shape,
        speed: (_, connections, name) =>
          ([1, ...factors][THREE.indexOf(name as "single")] ?? 1) *
          (name === "single" || connections > 1 ? 1 : alone) *
          Math.exp(noise(connections) * drawNormal(random)),
      }),
      null,
    ).targets.map((target) => target.overall?.verdict);

  it.each([
    [1, 1, {}],
    [1, 0.5, {}],
    [1, 0.5, FULL],
    [1, 1, { noise: () => 0.3 }],
    [1, 1, { noise: (connections: number) => (connections === 1 ? 0.5 : connections / 5000) }],
    // Just what the second question allows, beside a loss with 1 connection that leaves the first without an answer.
    [1.1, 1.1, { alone: 0.5 }],
    [1.1, 1.1, { alone: 0.5, noise: () => 0.1 }],
  ] as const)(
    "call targets different by mistake in at most one run of twenty, beside factors of %d and %d",
    (one, two, shape) => {
      const random = seededRandom(6);
      const said = Array.from({ length: 4 * PAIRS }, () => overall([one, two], random, shape));
      const wrong = said.filter((verdicts) =>
        [one, two].some((factor, at) => factor !== 0.5 && (verdicts[at] ?? "~") !== "~"),
      );
      expect(wrong.length).toBeLessThanOrEqual(mostByChance(4 * PAIRS, 0.05));
    },
  );

  it("tell three targets apart that everybody sees to be apart, and say by how much", () => {
    expect(overall([2, 0.2], seededRandom(1))).toEqual(["faster", "slower"]);
    // Of two that cannot be told from one another each can be told from the reference, as in the default sweep of a full machine.
    expect(overall([1.5, 1.45], seededRandom(1), FULL)).toEqual(["faster", "faster"]);
    expect(overall([1.05, 1.5], seededRandom(1), FULL)).toEqual([undefined, "faster"]);
    const run = aPair(0.21, { trials: 1, connections: SIX });
    expect(compareWithReference(run, null).targets[0]?.overall).toEqual({
      metric: "throughput",
      isAboveOne: false,
      change: expect.closeTo(-0.79, 9),
      isAtLeast: false,
      pValue: 2 / 64,
      verdict: "slower",
      levels: 6,
      of: 6,
    });
    // Three levels of one trial tell nothing.
    expect(
      compareWithReference(aPair(0.21, { trials: 1, connections: SIX.slice(3) }), null).targets[0],
    ).not.toHaveProperty("overall");
  });

  it.each<[string, RunShape, object]>([
    [
      "a doubt that explains less",
      findingsOf("MACHINE_SATURATED", undefined, { ofTarget: 0.5 }),
      { verdict: "slower", isAtLeast: true, change: expect.closeTo(-0.5, 9) },
    ],
    ["a generator that limits the faster one", findingsOf("GENERATOR_SATURATED", "single"), { verdict: "slower" }],
    ["failures, as ok responses are compared", findingsOf("NON_2XX"), { verdict: "slower", isAtLeast: false }],
  ])("stand beside %s", (_, shape, expected) => {
    const run = aPair(0.25, { trials: 1, connections: SIX, ...shape });
    expect(compareWithReference(run, null).targets[0]?.overall).toMatchObject(expected);
  });

  const RATES = { levels: SIX.slice(1).map((rate) => ({ rate, durationMs: 3000 })) };
  it.each<[string, readonly number[], object, RunShape?]>([
    ["1 connection points another way", [0.8, 1.6, 1.7, 1.9, 1.8, 1.6], { isAboveOne: true, verdict: "faster", of: 5 }],
    ["it is far slower there", [0.1, 1.6, 1.7, 1.9, 1.8, 1.6], { isAboveOne: true, verdict: "faster" }],
    ["another level goes the other way", [1.2, 1.6, 1.7, 1.9, 1.8, 0.5], { isAboveOne: false, verdict: "~" }],
    ["levels above 1 lie close to it", [0.8, 1.09, 1.08, 1.09, 1.08, 1.09], { verdict: "~" }],
    ["all point one way", [1.1, 1.6, 1.7, 1.9, 1.8, 1.6], { isAboveOne: false, verdict: "faster" }],
    ["they are rates", [0, 1.6, 1.7, 1.9, 1.8, 1.6], { metric: "p50", isAboveOne: false, of: 5 }, { scenario: RATES }],
  ])("tell of the levels above 1 connection where %s", (_, factors, expected, shape: RunShape = {}) => {
    const run = aPair(1, {
      trials: 1,
      connections: SIX,
      speed: (__, connections, name) => (name === "single" ? 1 : (factors[SIX.indexOf(connections)] ?? 1)),
      ...shape,
    });
    expect(compareWithReference(run, null).targets[0]?.overall).toMatchObject(expected);
  });

  it("claim nothing beside a generator that limits the slower one", () => {
    const run = aPair(0.25, { trials: 1, connections: SIX, ...findingsOf("GENERATOR_SATURATED", "balanced") });
    expect(compareWithReference(run, null).targets[0]).not.toHaveProperty("overall");
  });
});

describe("simulated pairs of results", () => {
  it.each<[string, Experiment]>([
    ["there is no margin and nothing changed", { trials: 5, connections: [50], factor: 1, margin: 0 }],
    ["nothing changed at three levels, by no margin", { trials: 10, connections: [1, 50, 100], factor: 1, margin: 0 }],
    ["one is worse just by the margin", { trials: 10, connections: [50], factor: 0.95 }],
  ])("fail in at most one of twenty when %s", (_, experiment) => {
    expect(simulate(twoResults, experiment).fail).toBeLessThanOrEqual(mostByChance(PAIRS, 0.05));
  });

  it("of 10 trials fail in 95 of 100 by a loss of a tenth, and never pass; without one 85 of 100 pass", () => {
    const { fail, pass } = simulate(twoResults, { trials: 10, connections: [50], factor: 0.9 });
    expect(fail).toBeGreaterThanOrEqual(fewestByChance(PAIRS, 0.95));
    expect(pass).toBe(0);
    const same = simulate(twoResults, { trials: 10, connections: [50], factor: 1 });
    expect(same.pass).toBeGreaterThanOrEqual(fewestByChance(PAIRS, 0.85));
  });
});
