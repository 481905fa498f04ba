import fc from "fast-check";
import { expect, it } from "vitest";
import { cleanNames, cleanText } from "./clean-text.js";
import { anyName } from "./test-support/result-shapes.js";

it("a text that prints as it stands is as it was, to the last space", () => {
  for (const text of [" spaces  ", "=1", "é 😀", ""]) expect(cleanText(text)).toBe(text);
});

it("any other becomes one line, and is never empty", () => {
  expect(cleanText(" a\r\n\tb\u0000 ")).toBe("a b");
  expect(cleanText("\u0000\n")).toBe("\uFFFD");
});

it("names that differ still do, and those that need nothing stay what they are", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(anyName, fc.constantFrom("a b", "a\nb", "a b (2)", "a\tb"))), (names) => {
      const clean = cleanNames(names);
      expect(new Set(clean.values()).size).toBe(new Set(names).size);
      for (const [name, cleaned] of clean) {
        expect(cleaned).not.toMatch(/\p{Cc}/u);
        expect(cleaned === name).toBe(cleanText(name) === name);
      }
    }),
  );
});
