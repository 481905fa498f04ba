import { describe, expect, test } from "vitest";
import type { StepResult } from "../../model/result.js";
import { aSweep, failed, withFailures } from "../test-support/sample-results.js";
import { chartDefinitions } from "./chart-definitions.js";
import { cleanWords } from "./clean-words.js";

/** Turns text around, and begins a line. */
const BAD = "\u202Eevil\nname\u2066";

function failures(step: StepResult): StepResult {
  if (step.target !== "balanced") return step;
  return step.level.connections === 500 ? failed(step) : withFailures(step, 0.002);
}

describe("words from outside in a chart", () => {
  test("hold nothing that turns text around or breaks a line, wherever they stand", () => {
    const result = JSON.parse(
      JSON.stringify(aSweep({ targets: ["single", "balanced", "other"], change: failures }))
        .replaceAll('"balanced"', JSON.stringify(BAD))
        .replaceAll('"backend-1"', JSON.stringify(BAD))
        .replaceAll('"sample"', JSON.stringify(BAD)),
    ) as ReturnType<typeof aSweep>;
    const charts = chartDefinitions(result);
    const words = JSON.stringify(charts.map((chart) => ({ ...chart, note: undefined })));
    const notes = charts.flatMap(({ note = "" }) => note.split("\n"));
    expect(notes.filter((line) => line.startsWith("name"))).toEqual([]);
    expect(notes).toContain("no figure: evil name with 500 connections (failed)");
    expect(notes.join("\n")).toMatch(/^too low to be seen: (?:evil name: )?\S/m);
    expect(words).toContain("evil name");
    expect(words).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|\\n/);
    expect(JSON.stringify(charts)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });

  test("keep the lines of a note apart, and places equal to their ticks", () => {
    const chart = cleanWords({
      id: "x",
      title: BAD,
      subtitle: BAD,
      note: `one ${BAD.replace("\n", "")}\ntwo`,
      alt: BAD,
      x: { label: BAD, scale: "category", ticks: [BAD, 1], labels: [BAD, "1"] },
      y: { label: BAD, scale: "linear" },
      right: { label: BAD, scale: "linear" },
      panels: [BAD],
      series: [
        {
          name: BAD,
          shape: "bar",
          colorIndex: 0,
          dash: "solid",
          panel: 0,
          points: [
            { x: BAD, y: 1, label: BAD, tag: BAD },
            { x: 1, y: 2 },
          ],
        },
      ],
      marks: [{ panel: 0, x: 1, label: BAD }],
      rules: [{ panel: 0, y: 1, label: BAD }],
    });
    expect(chart.note).toBe("one evilname\ntwo");
    expect(chart.x.ticks).toEqual(["evil name", 1]);
    expect(chart.series[0]?.points[0]).toEqual({ x: "evil name", y: 1, label: "evil name", tag: "evil name" });
    expect(JSON.stringify({ ...chart, note: undefined })).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|\\n/);
  });
});
