import { describe, expect, it } from "vitest";
import { findFailureManner } from "./failure-manner.js";
import type { FailurePoint } from "./failure-manner.js";
import { seededRandom } from "./seeded-random.js";
import { addNoise } from "./test-support/simulated-trials.js";

const TENS = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
const SECONDS = Array.from({ length: 100 }, (_, second) => second);

/** Goodput and failed requests per second at a load; in a ramp of one user per second, also of a second. */
type Shape = (load: number) => readonly [goodput: number, failed: number];

const SHAPES = {
  plateau: (load) => [Math.min(load, 30) * 10, 0],
  refusals: (load) => [Math.min(load, 30) * 10, load > 30 ? (load - 30) * 100 : 0],
  slope: (load) => [load <= 30 ? load * 10 : 300 - (load - 30) * 4, load > 30 ? (load - 30) * 4 : 0],
  collapse: (load) => (load <= 62 ? [Math.min(load, 30) * 10, 0] : [0, 500]),
} as const satisfies Readonly<Record<string, Shape>>;

function measure(shape: Shape, points: readonly number[], noise = 0, random = seededRandom(1)): FailurePoint[] {
  return points.map((at) => {
    const [ideal, failed] = shape(at);
    const goodput = addNoise(random, ideal, noise);
    return { at, ok: goodput, failed, goodput };
  });
}

function levels(...goodputs: readonly number[]): readonly FailurePoint[] {
  return goodputs.map((goodput, index) => ({ at: (index + 1) * 100, ok: goodput, failed: 0, goodput }));
}

describe("findFailureManner over levels", () => {
  it("holds when throughput grows to a plateau", () => {
    expect(findFailureManner(measure(SHAPES.plateau, TENS), "level")).toEqual({ manner: "holds" });
  });

  it("sheds when what is too much is refused and the rest served", () => {
    expect(findFailureManner(measure(SHAPES.refusals, TENS), "level")).toEqual({
      manner: "sheds",
      errors: { lastGood: 30, firstBad: 40 },
    });
  });

  it("degrades when goodput falls over several levels", () => {
    expect(findFailureManner(measure(SHAPES.slope, TENS), "level")).toMatchObject({
      manner: "degrades",
      goodput: { lastGood: 40, firstBad: 50 },
      errors: { lastGood: 30, firstBad: 40 },
      remaining: expect.closeTo(20 / 300, 9),
    });
  });

  it("degrades without errors when a server only becomes slower", () => {
    const manner = findFailureManner(levels(800, 1000, 790, 700, 400), "level");
    expect(manner).toMatchObject({ manner: "degrades", goodput: { lastGood: 200, firstBad: 300 }, remaining: 0.4 });
    expect(manner).not.toHaveProperty("errors");
  });

  it("falls off a cliff when half of goodput is gone from one level to the next", () => {
    expect(findFailureManner(measure(SHAPES.collapse, TENS), "level")).toEqual({
      manner: "cliff",
      goodput: { lastGood: 60, firstBad: 70 },
      errors: { lastGood: 60, firstBad: 70 },
      remaining: 0,
    });
    expect(findFailureManner(levels(1000, 1000, 510), "level")).toMatchObject({ manner: "degrades" });
    expect(findFailureManner(levels(1000, 1000, 490), "level")).toMatchObject({ manner: "cliff" });
  });

  it("takes levels that are close together for one step", () => {
    const near = levels(1000, 700, 300).map((point, index) => ({ ...point, at: 100 + index * 10 }));
    expect(findFailureManner(near, "level")).toMatchObject({ manner: "cliff", goodput: { lastGood: 100 } });
    expect(findFailureManner(levels(1000, 700, 300), "level")).toMatchObject({ manner: "degrades" });
  });

  it("does not mind a level that is bad by itself", () => {
    const points = levels(900, 1000, 300, 990, 1000);
    const failing = points.map((point) => (point.at === 300 ? { ...point, failed: 500 } : point));
    expect(findFailureManner(failing, "level")).toEqual({ manner: "holds" });
  });

  it("takes the median of goodput over the trials of a level, and all of their requests", () => {
    const trials = levels(1000, 1000, 100).flatMap((point) => [point, { ...point, goodput: 1000, failed: 200 }, point]);
    const manner = findFailureManner(trials.toReversed(), "level");
    expect(manner).toMatchObject({
      manner: "cliff",
      goodput: { lastGood: 200, firstBad: 300 },
      errors: { lastGood: null, firstBad: 100 },
    });
  });

  it("knows nothing of a single level, or of a target that never answered", () => {
    expect(findFailureManner(levels(5), "level")).toEqual({ manner: "unknown", reason: "TOO_FEW_POINTS" });
    expect(findFailureManner(levels(0, 0), "level")).toEqual({ manner: "unknown", reason: "NO_GOODPUT" });
  });
});

describe("findFailureManner over seconds", () => {
  it.each([
    ["plateau", { manner: "holds" }],
    ["refusals", { manner: "sheds", errors: { lastGood: 30, firstBad: 31 } }],
    // The plateau is the median of 270 to 300 going up and down again: 284; four fifths of it are 227.
    ["slope", { manner: "degrades", goodput: { lastGood: 48, firstBad: 49 } }],
    ["collapse", { manner: "cliff", goodput: { lastGood: 62, firstBad: 63 } }],
  ] as const)("knows a %s", (name, expected) => {
    expect(findFailureManner(measure(SHAPES[name], SECONDS), "second")).toMatchObject(expected);
  });

  it("knows a cliff by the second that it falls into, which is half good", () => {
    const shape: Shape = (second) => (second < 63 ? [300, 0] : second === 63 ? [180, 90] : [0, 500]);
    expect(findFailureManner(measure(shape, SECONDS), "second")).toMatchObject({
      manner: "cliff",
      goodput: { lastGood: 62, firstBad: 63 },
    });
  });

  it("does not mind pauses, nor the last second, which is cut off", () => {
    const shape: Shape = (second) => [second === 40 || second === 41 || second >= 98 ? 20 : 300, 0];
    expect(findFailureManner(measure(shape, SECONDS), "second")).toEqual({ manner: "holds" });
  });
});

describe("findFailureManner with 5 % of noise", () => {
  it.each([
    ["plateau", "level", "holds"],
    ["refusals", "level", "sheds"],
    ["slope", "level", "degrades"],
    ["collapse", "level", "cliff"],
    ["plateau", "second", "holds"],
    ["refusals", "second", "sheds"],
    ["slope", "second", "degrades"],
    ["collapse", "second", "cliff"],
  ] as const)("knows at least 190 of 200 of %s by %s as %s", (name, unit, expected) => {
    const random = seededRandom(6);
    const points = unit === "level" ? TENS : SECONDS;
    const manners = Array.from({ length: 200 }, () =>
      findFailureManner(measure(SHAPES[name], points, 0.05, random), unit),
    );
    expect(manners.filter(({ manner }) => manner === expected).length).toBeGreaterThanOrEqual(190);
  });
});

describe("findFailureManner on shapes from practice", () => {
  it("nginx that loses two thirds, then answers with errors, then resets", () => {
    const points = [
      { at: 100, ok: 50_000, failed: 0, goodput: 5569 },
      { at: 200, ok: 50_000, failed: 0, goodput: 1827 },
      { at: 300, ok: 38_408, failed: 11_592, goodput: 1500 },
      { at: 400, ok: 0, failed: 29, goodput: 0 },
    ];
    expect(findFailureManner(points, "level")).toEqual({
      manner: "cliff",
      goodput: { lastGood: 100, firstBad: 200 },
      errors: { lastGood: 200, firstBad: 300 },
      remaining: 0,
    });
  });

  it("a gRPC server that refuses all from some number of users on", () => {
    // One more user each second; refusals are quicker than answers, so there are more of them.
    const shape: Shape = (second) => (second <= 63 ? [Math.min(second, 40) * 50, 0] : [0, 3500]);
    expect(findFailureManner(measure(shape, SECONDS, 0.05), "second")).toMatchObject({
      manner: "cliff",
      goodput: { lastGood: 63, firstBad: 64 },
      remaining: 0,
    });
  });

  it("a pool with a bounded queue that drops the newest, of 1000 requests 97 percent, at full speed", () => {
    const points = TENS.map((at) => {
      const failed = at <= 20 ? 0 : Math.min(970, (at - 20) * 20);
      return { at, ok: 1000 - failed, failed, goodput: at < 20 ? 600 : 800 };
    });
    expect(findFailureManner(points, "level")).toEqual({ manner: "sheds", errors: { lastGood: 20, firstBad: 30 } });
  });

  it("a pool that blocks its acceptor, free of errors up to its maximum", () => {
    const points = TENS.map((at) => ({
      at,
      ok: 1000 - Math.max(0, at - 60) * 5,
      failed: Math.max(0, at - 60) * 5,
      goodput: 560,
    }));
    expect(findFailureManner(points, "level")).toEqual({ manner: "sheds", errors: { lastGood: 60, firstBad: 70 } });
  });
});
