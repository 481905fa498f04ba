import { expect, test } from "vitest";
import { jsonReporter } from "./json.js";
import { REPORTERS } from "./reporters.js";
import { aSweep } from "./test-support/sample-results.js";

test("every reporter is found by the name of its format", () => {
  expect([...REPORTERS].map(([format, reporter]) => [format, reporter.format])).toEqual([
    ["md", "md"],
    ["png", "png"],
    ["json", "json"],
  ]);
});

test("words that are no format find nothing", () => {
  expect(REPORTERS.get("constructor")).toBeUndefined();
});

test("result.json holds the result as it is", async () => {
  const result = aSweep();
  const [file] = await jsonReporter.render(result);
  expect(file?.name).toBe("result.json");
  expect(JSON.parse(String(file?.content))).toEqual(result);
  expect(file?.content).toMatch(/^{\n {2}"version": 1,[^]*}\n$/);
});
