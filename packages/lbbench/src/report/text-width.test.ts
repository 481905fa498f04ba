import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { cutToWidth, padToWidth, shortenToWidth, textWidth } from "./text-width.js";

const TEXTS = [
  "plain words",
  "负载均衡器 东京",
  "😀😀😀 smiles",
  "e\u0301te\u0301 à la mer",
  "mixed 東京 and 👩‍👩‍👧 family",
  "",
];

describe("cutToWidth", () => {
  it.each([
    ["plain", 5, "plain"],
    ["plain", 4, "pla…"],
    ["负载均衡器", 10, "负载均衡器"],
    ["负载均衡器", 9, "负载均衡…"],
    ["负载均衡器", 8, "负载均…"],
    ["负载", 1, "…"],
    ["负载", 0, ""],
    ["👩‍👩‍👧 family", 4, "👩‍👩‍👧 …"],
  ])("cuts %s to %i columns: %s", (text, columns, cut) => {
    expect(cutToWidth(text, columns)).toBe(cut);
  });
});

describe("shortenToWidth", () => {
  it.each([
    ["http://127.0.0.1:8080/index.html", 15, "http://…ex.html"],
    ["负载均衡器", 7, "负…衡器"],
    ["😀😀😀😀😀", 5, "😀…😀"],
    ["ab", 1, "…"],
    ["ab", 0, ""],
  ])("keeps the beginning and the end of %s in %i columns: %s", (text, columns, short) => {
    expect(shortenToWidth(text, columns)).toBe(short);
  });
});

it.each([
  ...TEXTS,
  "한글".normalize("NFD"),
  "a\u200bb\u2060c\ufeff",
  "soft\u00adhyphen",
  "1\ufe0f\u20e3 and ❤\ufe0f and ❤",
  "🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ©",
  "▁▂▃▄▅▆▇█ · × – … µ ~ →",
])("is as wide as another library, which is slower to load, says: %j", (text) => {
  expect(textWidth(text)).toBe(stringWidth(text));
});

it.each(TEXTS)("never takes more columns than there are, and all where it fits: %s", (text) => {
  for (let columns = 0; columns < 40; columns += 1) {
    for (const fit of [cutToWidth, shortenToWidth]) {
      const short = fit(text, columns);
      expect(textWidth(short)).toBeLessThanOrEqual(columns);
      expect(short === text).toBe(textWidth(text) <= columns);
    }
    expect(textWidth(padToWidth(text, columns))).toBe(Math.max(columns, textWidth(text)));
  }
});

it("fills up on the side that is not aligned", () => {
  expect([padToWidth("东", 4), padToWidth("东", 4, "right")]).toEqual(["东  ", "  东"]);
});
