import { expect, test } from "vitest";
import { mainReport } from "./main-report.js";

test.each([
  [["out/throughput.png", "out/report.md", "out/report.html"], "out/report.html"],
  [["out/throughput.png", "out/report.md"], "out/report.md"],
  [["out/throughput.png", "out/result.json"], "out"],
  [[], "out"],
])("of %j a reader is sent to %s", (files, report) => {
  expect(mainReport(files, "out")).toBe(report);
});
