import { expect, it } from "vitest";
import { FORMAT_NAMES } from "../config/settings.js";
import { REPORTERS } from "./reporters.js";
import { aSweep } from "./test-support/sample-results.js";

it("every reporter is found by the name of its format, and by no other word", () => {
  expect([...REPORTERS.values()].map(({ format }) => format)).toEqual(FORMAT_NAMES);
  expect([...REPORTERS.keys()]).toEqual(FORMAT_NAMES);
  expect(REPORTERS.get("constructor")).toBeUndefined();
});

it("result.json holds the result as it is", async () => {
  const files = await REPORTERS.get("json")?.render(aSweep(), { charts: "none" });
  expect(files?.map(({ name }) => name)).toEqual(["result.json"]);
  expect(JSON.parse(String(files?.[0]?.content))).toEqual(aSweep());
  expect(files?.[0]?.content).toMatch(/^{\n {2}"version": 1,[^]*}\n$/);
});
