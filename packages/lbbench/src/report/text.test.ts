import fc from "fast-check";
import stringWidth from "string-width";
import { codeBlock, escapeRun, inlineCode } from "./escape-markdown.js";
import {
  formatChange,
  formatCount,
  formatCounts,
  formatDuration,
  formatPercent,
  formatRate,
  formatTime,
  pickByteUnit,
} from "../stats/format-number.js";
import { elapsedBetweenMs, formatTimestamp } from "../stats/iso-time.js";
import { cleanNames, cleanText, shortenName } from "./plain-line.js";
import { anyName } from "./test-support/result-shapes.js";
import { cutToWidth, padToWidth, shortenToWidth, textWidth, wrapWords } from "./text-layout.js";
import { describe, expect, it } from "vitest";

describe("words from outside", () => {
  it.each([
    ["emphasis", "**x** _y_ ~z~", String.raw`\*\*x\*\* \_y\_ \~z\~`],
    ["addresses", "http://x/ www.x.y", String.raw`http:\//x/ www\.x.y`],
    ["formulas", "$x$", String.raw`\$x\$`],
    ["lines and control characters", "a\r\nb\u2028c\u001b[31m\u202e\u061cd", String.raw`a b c \[31m d`],
    [
      "nothing that is plain",
      "backend-1 TOO_SHORT 10.0.0.1:8080 (R) @ 2.0GHz",
      "backend-1 TOO_SHORT 10.0.0.1:8080 (R) @ 2.0GHz",
    ],
  ])("are made plain in Markdown: %s", (_, text, markdown) => {
    expect(escapeRun(text)).toBe(markdown);
  });

  it("cannot end the code that they stand in", () => {
    expect(inlineCode("a``b`c")).toBe("```a``b`c```");
    expect([inlineCode("`x`"), inlineCode("\n")]).toEqual(["`` `x` ``", ""]);
    expect(codeBlock("lbbench sweep\n```\n  <b>", "sh")).toBe("````sh\nlbbench sweep\n```\n  <b>\n````");
  });

  it("stay as they are where they print as they stand, else become one line, and differ as before", () => {
    for (const text of [" spaces  ", "=1", "é 😀", ""]) expect(cleanText(text)).toBe(text);
    expect([cleanText(" a\r\n\tb\u0000 "), cleanText("\u0000\n")]).toEqual(["a b", "\uFFFD"]);
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

  it("keep their beginning and end where they are too long, and no character is cut in two", () => {
    expect(shortenName("a\n b", 10)).toBe("a b");
    expect(shortenName("http://127.0.0.1:8080/index.html", 15)).toBe("http://…ex.html");
    expect(shortenName("😀😀😀😀😀", 3)).toBe("😀…😀");
  });
});

it.each([
  ["2026-11-05T10:00:00.000Z", "2026-11-05T10:01:12.345Z", 72_345],
  ["2023-12-31T23:59:59Z", "2024-01-01T00:00:01Z", 2000],
  ["2024-02-28T00:00:00Z", "2024-03-01T00:00:00Z", 2 * 86_400_000],
])("from %s to %s it is %d ms", (from, to, elapsedMs) => {
  expect(elapsedBetweenMs(from, to)).toBeCloseTo(elapsedMs, 3);
  expect([elapsedBetweenMs("yesterday", to), formatTimestamp("yesterday")]).toEqual([null, "yesterday"]);
  expect(formatTimestamp("2026-11-05T10:07:59.123Z")).toBe("2026-11-05 10:07 UTC");
});

describe("the width of a text in a terminal", () => {
  const TEXTS = [
    "plain words",
    "负载均衡器 东京",
    "😀😀😀 smiles",
    "e\u0301te\u0301 à la mer",
    "mixed 東京 and 👩‍👩‍👧 family",
    "",
    "한글".normalize("NFD"),
    "a\u200bb\u2060c\ufeff",
    "soft\u00adhyphen",
    "1\ufe0f\u20e3 and ❤\ufe0f and ❤",
    "🇩🇪 ©",
    "▁▂█ · × – … µ ~ →",
  ];

  it.each(TEXTS)("is what another library, which is slower to load, says: %j", (text) => {
    expect(textWidth(text)).toBe(stringWidth(text));
  });

  it.each([
    [cutToWidth, "plain", 4, "pla…"],
    [cutToWidth, "负载均衡器", 9, "负载均衡…"],
    [shortenToWidth, "http://127.0.0.1:8080/index.html", 15, "http://…ex.html"],
    [shortenToWidth, "负载均衡器", 7, "负…衡器"],
  ])("by %o of %s in %i columns leaves %s", (fit, text, columns, short) => {
    expect(fit(text, columns)).toBe(short);
  });

  it.each(TEXTS)("is never more than there are columns, and all where it fits: %s", (text) => {
    for (let columns = 0; columns < 40; columns += 1) {
      for (const fit of [cutToWidth, shortenToWidth]) {
        expect(textWidth(fit(text, columns))).toBeLessThanOrEqual(columns);
        expect(fit(text, columns) === text).toBe(textWidth(text) <= columns);
      }
      expect(textWidth(padToWidth(text, columns))).toBe(Math.max(columns, textWidth(text)));
    }
  });

  it("breaks between words, indents what follows, and leaves a word whole that is too long", () => {
    expect(wrapWords("one two three four", 9, "  ")).toEqual(["one two", "  three", "  four"]);
    expect(wrapWords("a https://example.org/ b", 5)).toEqual(["a", "https://example.org/", "b"]);
    expect([padToWidth("东", 4), padToWidth("东", 4, "right")]).toEqual(["东  ", "  东"]);
  });
});

it.each([
  [formatTime, "0 is 0; 0.0004 is 0.000; 0.184 is 0.184; 9.8 is 9.80; 12.34 is 12.3; 999.6 is 1,000; 1234.4 is 1,234"],
  [formatRate, "0 is 0; 4.567 is 4.57; 832.4 is 832; 12345.6 is 12,346"],
  [formatPercent, "0 is 0.0; 0.00004 is 0.004; 0.123 is 12.3; 1.04 is 104.0"],
  [formatChange, "0.1234 is +12.3 %; -0.04 is -4.0 %; 0 is +0.0 %"],
  [formatCount, "1234567 is 1,234,567"],
  [formatDuration, "850 is 850 ms; 1000 is 1 s; 3500 is 3.5 s; 59960 is 60 s; 60000 is 1 min; 125000 is 2 min 5 s"],
])("figures are shown with the digits that mean something, by %o: %s", (format, cases) => {
  const shown = cases.split("; ").map((one) => one.split(" is ")[0] ?? "");
  expect(shown.map((value) => `${value} is ${format(Number(value))}`).join("; ")).toBe(cases);
});

it("the numbers of a list have their thousands apart, and words stay", () => {
  expect(["500, 1000", "12000", "?", ""].map((list) => formatCounts(list))).toEqual(["500, 1,000", "12,000", "?", ""]);
});

it("the unit of a column of bytes fits its largest value", () => {
  const columns = [[], [9999], [10, 10_000], [12_000_000], [3e10]];
  expect(columns.map((values) => pickByteUnit(values).name)).toEqual(["B", "B", "kB", "MB", "GB"]);
});
