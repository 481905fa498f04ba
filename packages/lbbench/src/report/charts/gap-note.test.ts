import { describe, expect, test } from "vitest";
import type { Result } from "../../model/result.js";
import { aSweep, failed } from "../test-support/sample-results.js";
import { collectCurves } from "./curves.js";
import { gapNote, untriedNote } from "./gap-note.js";

function noteOf(result: Result): string | undefined {
  return gapNote(collectCurves(result), ({ measurements }) => measurements.length > 0).note;
}

describe("levels without a figure", () => {
  test("are named with the reason, together for targets that are alike", () => {
    const change = (step: Parameters<typeof failed>[0]): ReturnType<typeof failed> =>
      (step.level.connections ?? 0) >= 500 ? failed(step) : step;
    expect(noteOf(aSweep({ change }))).toBe("no figure: single, balanced with 500 / 1,000 connections (failed)");
  });

  test("are not listed where a target has none at all", () => {
    expect(noteOf(aSweep({ change: (step) => (step.target === "single" ? failed(step) : step) }))).toBe(
      "no figure: single (failed)",
    );
  });

  test("are not spoken of where there are none", () => {
    expect(noteOf(aSweep())).toBeUndefined();
  });

  test("are other than those that were answered without an ok response", () => {
    expect(gapNote(collectCurves(aSweep({ connections: [1] })), () => false).note).toBe(
      "no figure: single, balanced (no ok response)",
    );
  });
});

test("levels that one target was tried at and another was not leave empty places", () => {
  const result = aSweep({ connections: [1, 10] });
  expect(untriedNote(collectCurves(result))).toEqual({});
  const steps = result.steps.filter(({ target, level }) => target === "single" || level.connections === 1);
  expect(untriedNote(collectCurves({ ...result, steps }))).toEqual({
    note: "empty places: levels that were not tried",
  });
});
