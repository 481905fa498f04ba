import { expect, test } from "vitest";
import { cutLines } from "./cut-lines.js";

const shorterThan = (most: number) => (text: string) => text.length < most;

test("keeps whole lines from the first, as many as fit", () => {
  expect(cutLines("one\ntwo\nthree", shorterThan(100))).toBe("one\ntwo\nthree");
  expect(cutLines("one\ntwo\nthree", shorterThan(10))).toBe("one\ntwo");
  expect(cutLines("one\ntwo", shorterThan(1))).toBe("");
});

test("cuts no block of code in two", () => {
  const text = "a\n````\nx\n```\ny\n````\nb";
  expect(cutLines(text, shorterThan(text.length - 2))).toBe("a");
  expect(cutLines(text, shorterThan(text.length))).toBe("a\n````\nx\n```\ny\n````");
});
