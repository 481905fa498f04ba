import { expect, test } from "vitest";
import { FORMAT_NAMES } from "../config/format-names.js";
import { jsonReporter } from "./json.js";
import { REPORTERS } from "./reporters.js";
import { aSweep } from "./test-support/sample-results.js";

test("every reporter is found by the name of its format", () => {
  expect([...REPORTERS.values()].map(({ format }) => format)).toEqual([...REPORTERS.keys()]);
  expect([...REPORTERS.keys()]).toEqual(FORMAT_NAMES);
});

test("words that are no format find nothing", () => {
  expect(REPORTERS.get("constructor")).toBeUndefined();
});

test("result.json holds the result as it is", async () => {
  const result = aSweep();
  const [file] = await jsonReporter.render(result, { charts: "png" });
  expect(file?.name).toBe("result.json");
  expect(JSON.parse(String(file?.content))).toEqual(result);
  expect(file?.content).toMatch(/^{\n {2}"version": 1,[^]*}\n$/);
});
