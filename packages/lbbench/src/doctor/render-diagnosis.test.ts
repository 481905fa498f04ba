import { describe, expect, it } from "vitest";
import { judgeReadings } from "./checks.js";
import { renderDiagnosis } from "./render-diagnosis.js";
import { someReadings } from "./test-support/sample-readings.js";

const BAD = judgeReadings(
  someReadings({ nodeVersion: "v18.0.0", network: { ...someReadings().network, ephemeralPorts: 100 } }),
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

  it.each([undefined, 66, 100, 20, 300])("wraps sentences for a terminal of %s columns, but no command", (columns) => {
    const width = Math.min(100, Math.max(66, columns ?? 80));
    const text = renderDiagnosis(BAD, columns);
    expect(text.split("\n").filter((line) => line.length > width)).toEqual([]);
    expect(text).toContain('\n         sudo sysctl -w net.ipv4.ip_local_port_range="1024 65535"\n');
  });

  it("paints the status and nothing else", () => {
    const painted = renderDiagnosis(BAD, 80, (text, status) => `<${status}>${text}</>`);
    expect(painted).toContain("<problem>problem  </>Node.js");
    expect(painted.replaceAll(/<[/\w]*>/g, "")).toBe(renderDiagnosis(BAD));
  });
});
