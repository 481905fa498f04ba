import { expect, test } from "vitest";
import { conceal, concealable } from "./conceal.js";

test("hides secrets wherever they stand, also where one is a part of another, and no ordinary words", () => {
  const secrets = concealable(["abcd", "Bearer abcd", "a", "abcd"]);
  expect(secrets).toEqual(["Bearer abcd", "abcd"]);
  expect(conceal("Bearer abcd, (abcd) a", secrets)).toBe("***, (***) a");
});
