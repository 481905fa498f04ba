import { expect, test } from "vitest";
import { commentMark, readMark } from "./comment-mark.js";

test("a mark is one line that its key cannot end", () => {
  expect(commentMark("CI/bench/__run", 12)).toBe("<!-- lbbench report CI%2Fbench%2F__run run 12 -->");
  expect(commentMark("a --> <b>\nc", 1)).toBe("<!-- lbbench report a%20%2D%2D%3E%20%3Cb%3E%0Ac run 1 -->");
});

test("different keys have different marks, and a mark tells its run", () => {
  const keys = ["a", "a-", "a%2D", "A", "a b", "a run 3"];
  for (const key of keys) {
    const body = `${commentMark(key, 3)}\r\ntext`;
    expect(keys.map((other) => readMark(body, other))).toEqual(keys.map((other) => (other === key ? 3 : undefined)));
  }
  expect(readMark(`> ${commentMark("a", 3)}`, "a")).toBeUndefined();
  expect(readMark(`${commentMark("a", 3)} more`, "a")).toBeUndefined();
});
