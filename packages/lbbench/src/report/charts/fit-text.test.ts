import { expect, test } from "vitest";
import { fitText } from "./fit-text.js";

/** Every character is 10 wide, and `W` twice as much. */
const measuring = {
  measureText: (text: string) => ({ width: Array.from(text).reduce((sum, one) => sum + (one === "W" ? 20 : 10), 0) }),
};

test.each([
  ["what fits stays", "abcdef", 60, "abcdef"],
  ["what does not loses its middle", "abcdefghij", 60, "abc…ij"],
  ["wide characters are fewer", "WWWWWWWWWW", 60, "W…W"],
  ["no room leaves a sign that there was a name", "abcdef", 0, "…"],
  ["nothing stays nothing", "", 0, ""],
])("%s", (_, text, width, fitted) => {
  expect(fitText(measuring, text, width)).toBe(fitted);
});
