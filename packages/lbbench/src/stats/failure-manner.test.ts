import { describe, expect, it } from "vitest";
import { findFailureManner } from "./failure-manner.js";
import type { FailurePoint } from "./failure-manner.js";

const TENS = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];

/** Goodput and failed requests per second at a load. */
type Shape = (load: number) => readonly [goodput: number, failed: number];

const SHAPES = {
  plateau: (load) => [Math.min(load, 30) * 10, 0],
  refusals: (load) => [Math.min(load, 30) * 10, load > 30 ? (load - 30) * 100 : 0],
  slope: (load) => [load <= 30 ? load * 10 : 300 - (load - 30) * 4, load > 30 ? (load - 30) * 4 : 0],
  collapse: (load) => (load <= 62 ? [Math.min(load, 30) * 10, 0] : [0, 500]),
} as const satisfies Readonly<Record<string, Shape>>;

function measure(shape: Shape): readonly FailurePoint[] {
  return TENS.map((at) => {
    const [goodput, failed] = shape(at);
    return { at, ok: goodput, failed, goodput };
  });
}

function levels(...goodputs: readonly number[]): readonly FailurePoint[] {
  return goodputs.map((goodput, index) => ({ at: (index + 1) * 100, ok: goodput, failed: 0, goodput }));
}

const place = (lastGood: number | null, firstBad: number) => ({ lastGood, firstBad });

describe("findFailureManner over levels", () => {
  it.each<[string, readonly FailurePoint[], object]>([
    ["holds on a plateau", measure(SHAPES.plateau), { manner: "holds" }],
    [
      "sheds when what is too much is refused and the rest served",
      measure(SHAPES.refusals),
      { manner: "sheds", errors: place(30, 40) },
    ],
    [
      "degrades when goodput falls over several levels",
      measure(SHAPES.slope),
      { manner: "degrades", goodput: place(40, 50), errors: place(30, 40), remaining: expect.closeTo(20 / 300, 9) },
    ],
    [
      "degrades without errors when a server only becomes slower",
      levels(800, 1000, 790, 700, 400),
      { manner: "degrades", goodput: place(200, 300), remaining: 0.4 },
    ],
    [
      "falls off a cliff when goodput is gone from one level to the next",
      measure(SHAPES.collapse),
      { manner: "cliff", goodput: place(60, 70), errors: place(60, 70), remaining: 0 },
    ],
    [
      "degrades by less than half",
      levels(1000, 1000, 510),
      { manner: "degrades", goodput: place(200, 300), remaining: 0.51 },
    ],
    [
      "falls by more than half",
      levels(1000, 1000, 490),
      { manner: "cliff", goodput: place(200, 300), remaining: 0.49 },
    ],
    [
      "takes levels that are close together for one step",
      levels(1000, 700, 300).map((point, index) => ({ ...point, at: 100 + index * 10 })),
      { manner: "cliff", goodput: place(100, 110), remaining: 0.3 },
    ],
    [
      "and others for several",
      levels(1000, 700, 300),
      { manner: "degrades", goodput: place(100, 200), remaining: 0.3 },
    ],
    [
      "does not mind a level that is bad by itself",
      levels(900, 1000, 300, 990, 1000).map((point) => (point.at === 300 ? { ...point, failed: 500 } : point)),
      { manner: "holds" },
    ],
    [
      "takes the median of goodput over the trials of a level, and all of their requests",
      levels(1000, 1000, 100)
        .flatMap((point) => [point, { ...point, goodput: 1000, failed: 200 }, point])
        .toReversed(),
      { manner: "cliff", goodput: place(200, 300), errors: place(null, 100), remaining: 0.1 },
    ],
    ["knows nothing of a single level", levels(5), { manner: "unknown", reason: "TOO_FEW_POINTS" }],
    ["nor of a target that never answered", levels(0, 0), { manner: "unknown", reason: "NO_GOODPUT" }],
    [
      "knows nginx that loses two thirds, then answers with errors, then resets",
      [
        { at: 100, ok: 50_000, failed: 0, goodput: 5569 },
        { at: 200, ok: 50_000, failed: 0, goodput: 1827 },
        { at: 300, ok: 38_408, failed: 11_592, goodput: 1500 },
        { at: 400, ok: 0, failed: 29, goodput: 0 },
      ],
      { manner: "cliff", goodput: place(100, 200), errors: place(200, 300), remaining: 0 },
    ],
    [
      "knows a pool with a bounded queue that drops the newest, of 1000 requests 97 percent, at full speed",
      TENS.map((at) => {
        const failed = at <= 20 ? 0 : Math.min(970, (at - 20) * 20);
        return { at, ok: 1000 - failed, failed, goodput: at < 20 ? 600 : 800 };
      }),
      { manner: "sheds", errors: place(20, 30) },
    ],
  ])("%s", (_, points, expected) => {
    expect(findFailureManner(points, "level")).toEqual(expected);
  });
});
