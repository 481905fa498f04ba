import { expect, it } from "vitest";
import { findFailureManner } from "./failure-manner.js";
import type { FailurePoint } from "./failure-manner.js";

/** Levels that lie so far apart, the first at 100, with these goodputs. */
function levels(goodputs: readonly number[], apart = 100): readonly FailurePoint[] {
  return goodputs.map((goodput, index) => ({ at: 100 + index * apart, ok: goodput, failed: 0, goodput }));
}

const place = (lastGood: number | null, firstBad: number) => ({ lastGood, firstBad });
const bad = (remaining: number, goodput = place(200, 300)) => ({ goodput, remaining });

it.each<[string, readonly FailurePoint[], object]>([
  ["degrades by less than half", levels([1000, 1000, 510]), { manner: "degrades", ...bad(0.51) }],
  ["falls by more than half", levels([1000, 1000, 490]), { manner: "cliff", ...bad(0.49) }],
  ["degrades over several levels", levels([800, 1000, 790, 700, 400]), { manner: "degrades", ...bad(0.4) }],
  [
    "takes levels that are close together for one step",
    levels([1000, 700, 300], 10),
    { manner: "cliff", ...bad(0.3, place(100, 110)) },
  ],
  ["and others for several", levels([1000, 700, 300]), { manner: "degrades", ...bad(0.3, place(100, 200)) }],
  [
    "does not mind a level that is bad by itself",
    levels([900, 1000, 300, 990, 1000]).map((point) => (point.at === 300 ? { ...point, failed: 500 } : point)),
    { manner: "holds" },
  ],
  [
    "takes the median of goodput over the trials of a level, and all of their requests",
    levels([1000, 1000, 100])
      .flatMap((point) => [point, { ...point, goodput: 1000, failed: 200 }, point])
      .toReversed(),
    { manner: "cliff", ...bad(0.1), errors: place(null, 100) },
  ],
  [
    "sheds, at the lowest level with nine tenths of its best",
    levels([1000, 1000, 900, 950]).map((point) => ({ ...point, failed: point.at > 200 ? 500 : 0 })),
    { manner: "sheds", errors: place(200, 300), remaining: 0.9 },
  ],
  ["knows nothing of a single level", levels([5]), { manner: "unknown" }],
  ["nor of a target that never answered", levels([0, 0]), { manner: "unknown" }],
  [
    "knows nginx that loses two thirds, then answers with errors, then resets",
    [
      { at: 100, ok: 50_000, failed: 0, goodput: 5569 },
      { at: 200, ok: 50_000, failed: 0, goodput: 1827 },
      { at: 300, ok: 38_408, failed: 11_592, goodput: 1500 },
      { at: 400, ok: 0, failed: 29, goodput: 0 },
    ],
    { manner: "cliff", ...bad(0, place(100, 200)), errors: place(200, 300) },
  ],
])("how a target fails with more load: it %s", (_, points, expected) => {
  expect(findFailureManner(points, "level")).toEqual(expected);
});
