import { expect, it } from "vitest";
import { defaultReportFolder } from "./sweep.js";

const START = new Date("2026-11-21T14:03:12.057Z");

it("names the folder after the run and its start, to the millisecond", () => {
  expect(defaultReportFolder("nightly", START)).toBe("reports/nightly-20261121-140312-057");
});

it.each([
  ["../../etc", "etc"],
  ["a b/c|d", "a-b-c-d"],
  ["...", "sweep"],
])("keeps the name %j inside the folder of reports", (name, safe) => {
  expect(defaultReportFolder(name, START)).toBe(`reports/${safe}-20261121-140312-057`);
});
