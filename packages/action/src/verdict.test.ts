import { expect, test } from "vitest";
import { worstVerdict } from "./verdict.js";

test("the worst verdict counts", () => {
  expect(worstVerdict(["pass", "fail", "inconclusive"])).toBe("fail");
  expect(worstVerdict(["inconclusive", "pass"])).toBe("inconclusive");
  expect(worstVerdict([])).toBe("pass");
});
