import { describe, expect, it } from "vitest";
import { wrapWords } from "./wrap-words.js";

describe("wrapWords", () => {
  it("breaks between words and indents what follows", () => {
    expect(wrapWords("one two three four", 9)).toEqual(["one two", "three", "four"]);
    expect(wrapWords("one two three four", 9, "  ")).toEqual(["one two", "  three", "  four"]);
  });

  it("leaves a word whole that is too long, and a text that is short enough as it is", () => {
    expect(wrapWords("a https://example.org/ b", 5)).toEqual(["a", "https://example.org/", "b"]);
    expect(wrapWords("short", 99)).toEqual(["short"]);
    expect(wrapWords("", 9)).toEqual([""]);
  });
});
