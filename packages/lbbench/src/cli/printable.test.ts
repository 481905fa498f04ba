import { expect, test } from "vitest";
import { toPrintable } from "./printable.js";

test("line breaks and tabs are all that is left of what a terminal acts upon", () => {
  const text = toPrintable("a \u001B[31mred\u001B[0m\tword\nand a \u0007 bell, \u009B and \u001B]0;a title\u0007 über");
  expect(text).toMatch(/^a red\tword\nand a .* bell, .* über$/);
  expect(text).not.toMatch(/[^\P{Cc}\n\t]/u);
});
