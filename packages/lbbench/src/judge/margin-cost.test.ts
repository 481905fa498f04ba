import { beforeEach, describe, expect, it, vi } from "vitest";
import { permutationTest } from "../stats/permutation-test.js";
import { judgeResult } from "./judge-result.js";
import { aRun, steady } from "./test-support/compare-samples.js";

vi.mock(import("../stats/permutation-test.js"), async (importOriginal) => {
  const original = await importOriginal();
  return { ...original, permutationTest: vi.fn<typeof original.permutationTest>(original.permutationTest) };
});

beforeEach(() => {
  vi.mocked(permutationTest).mockClear();
});

/** How many tests it takes to judge a run of two targets at three levels. */
function countTests(margin: number | null, finishedAt: string | null): number {
  const run = aRun({
    targets: ["single", "balanced"],
    connections: [1, 50, 100],
    trials: 9,
    speed: (trial, _, target) => steady(target === "single" ? 1 : 0.97)(trial),
    scenario: { reference: "single", margin },
  });
  vi.mocked(permutationTest).mockClear();
  judgeResult({ ...run, finishedAt });
  return vi.mocked(permutationTest).mock.calls.length;
}

const FINISHED = "2026-11-05T11:00:00.000Z";

describe("the tests that judging a run takes", () => {
  it("are no more with a margin while it is under way, and then for every level its own and those of its intervals", () => {
    const without = countTests(null, FINISHED);
    expect(countTests(0.05, null)).toBe(without);
    const finished = countTests(0.05, FINISHED);
    expect(finished).toBeGreaterThan(without);
    // Of each of 4 metrics at each of 3 levels: the difference, the margin, whether there is an interval, 12 halvings for each end.
    expect(finished - without).toBeLessThanOrEqual(4 * 3 * (1 + 1 + 1 + 2 * 12));
  });

  it("are none of a verdict that says pass: of a run under way with a margin it is not known", () => {
    const run = aRun({ targets: ["single", "balanced"], scenario: { reference: "single", margin: 0.05 } });
    expect(judgeResult({ ...run, finishedAt: null }).status).toBe("inconclusive");
    expect(judgeResult(run).status).toBe("pass");
  });
});
