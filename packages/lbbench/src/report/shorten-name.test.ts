import { expect, test } from "vitest";
import { shortenName } from "./shorten-name.js";

test("a name that fits stays, in one line", () => {
  expect(shortenName("a\n b", 10)).toBe("a b");
});

test("a longer name keeps its beginning and its end", () => {
  expect(shortenName("http://127.0.0.1:8080/index.html", 15)).toBe("http://…ex.html");
});

test("characters beyond the basic plane are never cut in two", () => {
  expect(shortenName("😀😀😀😀😀", 3)).toBe("😀…😀");
});
