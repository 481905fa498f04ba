import { describe, expect, it } from "vitest";
import { judgeReadings } from "./judge-readings.js";
import { renderDiagnosis } from "./render-diagnosis.js";
import { aCalibration, someReadings } from "./test-support/sample-readings.js";

const BAD = judgeReadings(
  someReadings({
    nodeVersion: "v18.0.0",
    governor: "powersave",
    network: { ...someReadings().network, ephemeralPorts: 100 },
    calibration: aCalibration(),
  }),
);

describe("renderDiagnosis", () => {
  it("says in one line what a check found, and below it what to do", () => {
    expect(renderDiagnosis({ ...BAD, checks: BAD.checks.filter(({ id }) => id === "node" || id === "memory") })).toBe(
      [
        "problem  Node.js        v18.0.0",
        "                        → Install Node.js 20.19 or later.",
        "ok       Memory         12.0 GiB available of 16.0 GiB",
        "",
        "1 problem: solve the problems before you measure.",
        "",
      ].join("\n"),
    );
  });

  it.each([undefined, 66, 80, 100, 20, 300])("wraps sentences for a terminal of %s columns", (columns) => {
    const width = Math.min(100, Math.max(66, columns ?? 80));
    const lines = renderDiagnosis(BAD, columns).split("\n");
    expect(lines.filter((line) => line.length > width)).toEqual([]);
    expect(lines.filter((line) => line !== line.trimEnd())).toEqual([]);
  });

  it("keeps a command in one line, to be copied", () => {
    expect(renderDiagnosis(BAD, 66)).toContain('\n         sudo sysctl -w net.ipv4.ip_local_port_range="1024 65535"\n');
  });

  it("paints the status and nothing else", () => {
    const painted = renderDiagnosis(BAD, 80, (text, status) => `<${status}>${text}</>`);
    expect(painted).toContain("<problem>problem  </>Node.js");
    expect(painted.replaceAll(/<[/\w]*>/g, "")).toBe(renderDiagnosis(BAD));
  });

  it.each<[Parameters<typeof someReadings>[0], string]>([
    [{}, "This machine is fit for measuring."],
    [{ steal: 0.5 }, "1 warning: lbbench can measure here, within these bounds."],
    [
      { steal: 0.5, loadAverage: 9, nodeVersion: "v18.0.0", descriptors: { soft: 9, hard: 9 } },
      "2 problems, 2 warnings: solve the problems before you measure.",
    ],
  ])("counts what was found of %j", (readings, ending) => {
    expect(
      renderDiagnosis(judgeReadings(someReadings(readings)))
        .trimEnd()
        .split("\n")
        .at(-1),
    ).toBe(ending);
  });
});
