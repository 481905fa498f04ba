import { describe, expect, it } from "vitest";
import type { FindingCode } from "../model/finding.js";
import { seededRandom } from "../stats/seeded-random.js";
import { addNoise } from "../stats/test-support/simulated-trials.js";
import { compareResults } from "./compare-results.js";
import { compareWithReference } from "./compare-with-reference.js";

import { aRun, MARGINS } from "./test-support/compare-samples.js";
import type { RunShape } from "./test-support/compare-samples.js";

const NOISE = 0.03;
const PAIRS = 300;

/** What is few: 5 % of 300 pairs, and what chance adds in 39 of 40 such experiments: P(B(300, 0.05) > 23) = 2 %. */
const MOST_FALSE = 23;

interface Experiment {
  readonly trials: number;
  readonly connections: readonly number[];
  /** Throughput of B as a part of that of A. */
  readonly factor: number;
  readonly margin: number;
}

/** In how many of the pairs of results with 3 % of noise B is called worse, and not worse. */
function simulate({ trials, connections, factor, margin }: Experiment): {
  readonly fail: number;
  readonly pass: number;
} {
  const random = seededRandom(1);
  const run = (center: number) => aRun({ trials, connections, speed: () => addNoise(random, center, NOISE) });
  const outcomes = Array.from(
    { length: PAIRS },
    () => compareResults(run(1), run(factor), { ...MARGINS, margin }).status,
  );
  const count = (status: string): number => outcomes.filter((one) => one === status).length;
  return { fail: count("fail"), pass: count("pass") };
}

describe("compareResults on 300 pairs of results with 3 % of noise", () => {
  it.each([
    { trials: 5, connections: [50] },
    { trials: 10, connections: [50] },
    { trials: 10, connections: [1, 50, 100] },
  ])("calls none worse beyond the margin when nothing changed: $trials trials at $connections", (shape) => {
    expect(simulate({ ...shape, factor: 1, margin: 0.05 }).fail).toBe(0);
  });

  it.each([
    { trials: 5, connections: [50] },
    { trials: 10, connections: [50] },
    { trials: 10, connections: [1, 50, 100] },
  ])("calls few worse with no margin at all when nothing changed: $trials trials at $connections", (shape) => {
    expect(simulate({ ...shape, factor: 1, margin: 0 }).fail).toBeLessThanOrEqual(MOST_FALSE);
  });

  it("calls few worse when B is worse just by the margin", () => {
    const shape = { trials: 10, connections: [50], factor: 0.95, margin: 0.05 };
    expect(simulate(shape).fail).toBeLessThanOrEqual(MOST_FALSE);
  });

  it("finds 10 % in at least 95 % of results with 10 trials", () => {
    const { fail, pass } = simulate({ trials: 10, connections: [50], factor: 0.9, margin: 0.05 });
    expect(fail).toBeGreaterThanOrEqual(0.95 * PAIRS);
    expect(pass).toBe(0);
  });

  it("lets at least 85 % pass when nothing changed, with 10 trials", () => {
    expect(simulate({ trials: 10, connections: [50], factor: 1, margin: 0.05 }).pass).toBeGreaterThanOrEqual(
      0.85 * PAIRS,
    );
  });
});

/** None may pass, so that a few are enough. */
const FAULTS = 40;

describe("compareResults on 40 pairs of results with 3 % of noise and a fault at one level of three", () => {
  const connections = [1, 50, 100];
  const simulateFault = (fault: (b: RunShape) => RunShape): readonly string[] => {
    const random = seededRandom(3);
    const speed = () => addNoise(random, 1, NOISE);
    return Array.from(
      { length: FAULTS },
      () => compareResults(aRun({ connections, speed }), aRun(fault({ connections, speed })), MARGINS).status,
    );
  };
  const finding = (code: FindingCode): NonNullable<RunShape["findings"]> => {
    return (_, at) => (at === 100 ? [{ code, severity: "error", args: {} }] : []);
  };

  it.each<[string, (b: RunShape) => RunShape]>([
    ["B died there", (b) => ({ ...b, findings: finding("TARGET_DIED") })],
    ["the machine was saturated there", (b) => ({ ...b, findings: finding("MACHINE_SATURATED") })],
    ["B was not measured there", (b) => ({ ...b, connections: [1, 50] })],
    [
      "B is slower by a quarter there",
      (b) => ({ ...b, speed: (_, at) => addNoise(() => 0.3, at === 100 ? 0.75 : 1, NOISE) }),
    ],
  ])("lets none pass when %s", (_, fault) => {
    expect(simulateFault(fault)).not.toContain("pass");
  });
});

/** Pairs of 200, as a user would see them: 5 %, and what chance adds in 39 of 40 experiments: P(B(200, 0.05) > 16) = 2.4 %. */
const SEEN = { pairs: 200, mostFalse: 16 };
const LEVELS = [1, 50, 100, 250, 500, 1000];

describe("what is said of 200 pairs with 3 % of noise and 10 trials", () => {
  const sayOfResults = (random: () => number, connections: readonly number[], factor: number) => {
    const run = (center: number) => aRun({ trials: 10, connections, speed: () => addNoise(random, center, NOISE) });
    return compareResults(run(1), run(factor), MARGINS).targets;
  };
  const sayOfTargets = (random: () => number, connections: readonly number[], factor: number) =>
    compareWithReference(
      aRun({
        targets: ["single", "other"],
        trials: 10,
        connections,
        scenario: { reference: "single" },
        speed: (_trial, _connections, target) => addNoise(random, target === "single" ? 1 : factor, NOISE),
      }),
      MARGINS,
    ).targets;

  describe.each([
    ["two results", sayOfResults],
    ["two targets of one run", sayOfTargets],
  ])("of %s", (_, say) => {
    /** For each pair, what is said of the throughput at its levels. */
    const simulate = (connections: readonly number[], factor: number): readonly (readonly string[])[] => {
      const random = seededRandom(connections.length);
      return Array.from({ length: SEEN.pairs }, () =>
        say(random, connections, factor).flatMap(({ levels }) => levels.map(({ throughput }) => throughput.verdict)),
      );
    };

    it.each([[[50]], [LEVELS]])("at %j connections: at most 5 percent are called different when none is", (levels) => {
      const different = simulate(levels, 1).filter((verdicts) => verdicts.some((verdict) => verdict !== "~"));
      expect(different.length).toBeLessThanOrEqual(SEEN.mostFalse);
    });

    it.each([[[50]], [LEVELS]])("at %j connections: a tenth less is found in at least 95 percent", (levels) => {
      const pairs = simulate(levels, 0.9);
      const verdicts = pairs.flat();
      expect(verdicts).toHaveLength(SEEN.pairs * levels.length);
      expect(verdicts.filter((verdict) => verdict === "slower").length).toBeGreaterThanOrEqual(0.95 * verdicts.length);
      expect(verdicts).not.toContain("faster");
    });
  });
});
