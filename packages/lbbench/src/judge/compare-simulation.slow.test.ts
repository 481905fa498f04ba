import { describe, expect, it } from "vitest";
import { median } from "../stats/descriptive.js";
import { seededRandom } from "../stats/seeded-random.js";
import { addNoise, drawNormal, fewestByChance, mostByChance } from "../stats/test-support/simulated-trials.js";
import { compareResults } from "./compare-results.js";
import { compareWithReference, intervalOf, verdictOf } from "./compare-targets.js";
import { aPair, aRun, MARGINS } from "./test-support/compare-samples.js";
import type { RunShape } from "./test-support/compare-samples.js";

const NOISE = 0.03;
const PAIRS = 30;
const SIX = [1, 50, 100, 250, 500, 1000];

interface Experiment {
  readonly trials: number;
  readonly connections: readonly number[];
  /** Throughput of B as a part of that of A. */
  readonly factor: number;
  readonly margin?: number;
}

type Compared = Pick<ReturnType<typeof compareResults>, "status" | "targets">;
type Compare = (experiment: Experiment, random: () => number) => Compared;

const twoResults: Compare = ({ trials, connections, factor, margin = 0.05 }, random) => {
  // What a session finds is in all its trials.
  const run = (center: number) => {
    const found = addNoise(random, center, NOISE);
    return aRun({ trials, connections, speed: () => addNoise(random, found, NOISE) });
  };
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
    targets.flatMap(({ levels }) => levels.map(({ throughput }) => verdictOf(throughput))),
  );
  return { fail: count("fail"), pass: count("pass"), verdicts };
}

describe.each([
  ["two results", twoResults, 0.75, 5, [50], 0.9],
  ["two results", twoResults, 0.75, 10, [50], 0.95],
  ["two results", twoResults, 0.75, 10, SIX, 0.95],
  ["two targets of one run", twoTargets, 0.9, 4, [50], 0.85],
  ["two targets of one run", twoTargets, 0.9, 5, SIX, 0.95],
] as const)(
  "simulated pairs: %s, a part of %d, %i trials at %j connections",
  (_, compare, factor, trials, connections, power) => {
    it("are called different by mistake in at most one pair of twenty, and never worse beyond the margin", () => {
      const { fail, verdicts } = simulate(compare, { trials, connections, factor: 1 });
      const different = verdicts.filter((ofPair) => ofPair.some((verdict) => verdict !== "~"));
      expect(different.length).toBeLessThanOrEqual(mostByChance(PAIRS, 0.05));
      expect(fail).toBeLessThanOrEqual(compare === twoTargets ? 0 : mostByChance(PAIRS, 0.02));
    });

    it("of which one is slower are found", () => {
      const all = simulate(compare, { trials, connections, factor }).verdicts.flat();
      expect(all).toHaveLength(PAIRS * connections.length);
      const slower = all.filter((verdict) => verdict === "slower");
      expect(slower.length).toBeGreaterThanOrEqual(fewestByChance(all.length, power));
      expect(all).not.toContain("faster");
    });
  },
);

describe("levels together, of starts whose levels have their noise in common", () => {
  const THREE = ["single", "cluster", "balanced"] as const;
  interface Simulated extends RunShape {
    /** How alike the levels of a start are: the correlation of their noise. */
    readonly alike?: number;
    readonly noise?: number;
  }
  /** What is said of cluster and balanced, which make these parts of the throughput of single. */
  const compare = (
    factors: readonly number[],
    random: () => number,
    { alike = 0.14, noise = 0.1, trials = 6, ...shape }: Simulated = {},
  ) => {
    const starts = new Map<string, number>();
    const { steps, scenario } = aRun({
      targets: THREE,
      connections: SIX.slice(1, 4),
      trials,
      ...shape,
      scenario: { reference: "single" },
      speed: (trial, _, name) => {
        const start = `${trial} ${name}`;
        if (!starts.has(start)) starts.set(start, drawNormal(random));
        const drawn = Math.sqrt(alike) * (starts.get(start) ?? 0) + Math.sqrt(1 - alike) * drawNormal(random);
        return ([1, ...factors][THREE.indexOf(name as "single")] ?? 1) * Math.exp(noise * drawn);
      },
    });
    return compareWithReference({ steps, scenario }, null).targets;
  };

  /** Whether of any target, over all levels or at one, in any metric, a difference is claimed. */
  const claimsAnything = (targets: ReturnType<typeof compare>): boolean =>
    targets.some(
      (target) =>
        target.overall?.verdict !== "~" ||
        target.levels.some(({ throughput, p50, p90, p99, errors }) =>
          [throughput, p50, p90, p99, errors].some((figures) => verdictOf(figures) !== "~"),
        ),
    );

  // 0.14 was measured; with 1 a start is all that there is.
  it.each([
    [5, 0.14],
    [6, 0.5],
    [7, 1],
  ])("call targets different by mistake in at most one run of twenty: %i trials, alike by %d", (trials, alike) => {
    const random = seededRandom(trials);
    const said = Array.from({ length: PAIRS }, () => compare([1, 1], random, { trials, alike }));
    expect(said.filter(claimsAnything).length).toBeLessThanOrEqual(mostByChance(PAIRS, 0.05));
  });

  it("are told apart in most runs where one target makes a fifth less, though the noise of a level is 10 %", () => {
    const random = seededRandom(3);
    const said = Array.from(
      { length: PAIRS },
      () => compare([0.8, 1], random, { trials: 8, alike: 0.5 })[0]?.overall?.verdict,
    );
    expect(said.filter((verdict) => verdict === "slower").length).toBeGreaterThanOrEqual(fewestByChance(PAIRS, 0.8));
    expect(said).not.toContain("faster");
  });

  it("say by how much, with an interval that holds the truth in 95 of 100 runs", () => {
    const random = seededRandom(7);
    const intervals = Array.from({ length: 2 * PAIRS }, () => {
      const speed = (_: number, __: number, name: string): number =>
        (name === "single" ? 1 : 0.5) * Math.exp(0.1 * drawNormal(random));
      const run = aPair(1, { trials: 6, connections: SIX, speed });
      return compareWithReference(run, null).targets[0]?.overall?.interval;
    });
    const holding = intervals.filter((interval) => interval && interval.low <= -0.5 && interval.high >= -0.5);
    expect(holding.length).toBeGreaterThanOrEqual(fewestByChance(2 * PAIRS, 0.95));
  });
});

describe("a level of targets that were measured in turn, on a machine that drifts by half of its speed", () => {
  const RUNS = 4 * PAIRS;
  const compareAt = (factor: number, trials: number, random: () => number) =>
    compareWithReference(
      aPair(factor, {
        trials,
        speed: (trial, _, target) =>
          addNoise(random, (1 + trial / (2 * trials)) * (target === "single" ? 1 : factor), NOISE),
      }),
      MARGINS,
    );

  it.each([6, 8, 14])("has an interval that holds the truth in 95 of 100 runs, of %i trials", (trials) => {
    const random = seededRandom(trials);
    const intervals = Array.from(
      { length: RUNS },
      () => compareAt(0.9, trials, random).targets[0]?.levels[0]?.throughput,
    ).map((figures) => intervalOf(figures));
    const holding = intervals.filter((interval) => interval && interval.low <= -0.1 && interval.high >= -0.1);
    expect(holding.length).toBeGreaterThanOrEqual(fewestByChance(RUNS, 0.95));
    // Without the drift: 3 % of noise on both sides.
    const widths = intervals.map((interval) => (interval ? interval.high - interval.low : NaN));
    expect(median(widths)).toBeLessThan((8 * NOISE) / Math.sqrt(trials));
  });

  it.each([6, 8, 14])(
    "fails in at most one of twenty where one is worse just by the margin, of %i trials",
    (trials) => {
      const random = seededRandom(trials);
      const said = Array.from({ length: RUNS }, () => compareAt(0.95, trials, random).status);
      expect(said.filter((status) => status === "fail").length).toBeLessThanOrEqual(mostByChance(RUNS, 0.05));
      expect(said.filter((status) => status === "pass").length).toBeLessThanOrEqual(mostByChance(RUNS, 0.05));
    },
  );
});

describe("simulated pairs of results", () => {
  it.each<[string, Experiment]>([
    ["there is no margin and nothing changed", { trials: 5, connections: [50], factor: 1, margin: 0 }],
    ["nothing changed at three levels, by no margin", { trials: 10, connections: [1, 50, 100], factor: 1, margin: 0 }],
    ["one is worse just by the margin", { trials: 10, connections: [50], factor: 0.95 }],
  ])("fail in at most one of twenty when %s", (_, experiment) => {
    expect(simulate(twoResults, experiment).fail).toBeLessThanOrEqual(mostByChance(PAIRS, 0.05));
  });

  it("of 10 trials fail in 95 of 100 by a loss of a quarter, and never pass; without one most pass", () => {
    const { fail, pass } = simulate(twoResults, { trials: 10, connections: [50], factor: 0.75 });
    expect(fail).toBeGreaterThanOrEqual(fewestByChance(PAIRS, 0.95));
    expect(pass).toBe(0);
    const same = simulate(twoResults, { trials: 10, connections: [50], factor: 1 });
    expect(same.pass).toBeGreaterThanOrEqual(fewestByChance(PAIRS, 0.6));
  });
});
