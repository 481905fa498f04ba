import { expect, test } from "vitest";
import { aResult } from "../../test-support/fixtures.js";
import { introduce } from "./introduction.js";

test.each([
  [1, ", interrupted and resumed once, "],
  [2, ", interrupted and resumed 2 times, "],
])("a run that was resumed says how often: %i", (count, words) => {
  const resumedAt = Array.from({ length: count }, () => "2026-01-01T00:00:00.000Z");
  expect(introduce(aResult({ resumedAt })).introduction.at(-1)).toContain(words);
});
