import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { cleanNames, cleanText } from "./clean-text.js";
import { codeBlock, escapeMarkdown, inlineCode } from "./escape-markdown.js";
import { elapsedBetweenMs, formatTimestamp } from "./iso-time.js";
import { knownDigits, knownMs, knownSeconds } from "./known-digits.js";
import { isLong, messageLine } from "./message-line.js";
import { shortenName } from "./shorten-name.js";
import { anyName } from "./test-support/result-shapes.js";
import { cutToWidth, padToWidth, shortenToWidth, textWidth } from "./text-width.js";
import { wrapWords } from "./wrap-words.js";

describe("words from outside", () => {
  it.each([
    ["HTML", "<img src=x onerror=alert(1)>", String.raw`\<img src=x onerror=alert(1)\>`],
    ["bars", String.raw`a|b a\|b`, String.raw`a\|b a\\\|b`],
    ["code", "`x`", "\\`x\\`"],
    ["emphasis", "**x** _y_ ~z~", String.raw`\*\*x\*\* \_y\_ \~z\~`],
    ["links and pictures", "[x](javascript:1) ![x](y)", String.raw`\[x\](javascript:1) \!\[x\](y)`],
    ["entities", "&lt;", String.raw`\&lt;`],
    ["addresses", "http://x/ www.x.y", String.raw`http:\//x/ www\.x.y`],
    ["headings", "# x", String.raw`\# x`],
    ["lists", "12. x", String.raw`12\. x`],
    ["formulas", "$x$", String.raw`\$x\$`],
    ["lines and control characters", "a\r\nb\u2028c\u001b[31m\u202ed", String.raw`a b c \[31m d`],
    [
      "nothing that is plain",
      "backend-1 TOO_SHORT 10.0.0.1:8080 (R) @ 2.0GHz",
      "backend-1 TOO_SHORT 10.0.0.1:8080 (R) @ 2.0GHz",
    ],
  ])("are made plain in Markdown: %s", (_, text, markdown) => {
    expect(escapeMarkdown(text)).toBe(markdown);
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

  it("of a long message are the line that says why, not its stack", () => {
    const stack = [
      "It ended; it last printed:",
      "  node:internal:93",
      "        ^",
      "  SyntaxError: bad",
      ...Array.from({ length: 9 }, () => `      at read (${"x".repeat(30)})`),
    ];
    expect(messageLine(stack.join("\n"))).toBe("It ended; it last printed: SyntaxError: bad");
    expect([isLong(stack.join("\n")), messageLine("x".repeat(300))]).toEqual([true, "x".repeat(300)]);
    expect(messageLine(`It is gone.\n${"more ".repeat(60)}`)).toBe("It is gone.");
  });
});

describe("figures for other programs", () => {
  it.each([
    [0.36683797100000015, 0.366838],
    [7323.662472851946, 7323.66],
    [1_234_567.891, 1_234_568],
    [-0.1 - 0.2, -0.3],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [0, 0],
  ])("have of %d six digits, or all before the point: %d", (value, known) => {
    expect(knownDigits(value)).toBe(known);
  });

  it("are times to the microsecond", () => {
    expect([knownMs(23.49523099999968), knownMs(86_400_000.1234)]).toEqual([23.495, 86_400_000.123]);
    expect([knownSeconds(0.02349523), knownSeconds(3)]).toEqual([0.023495, 3]);
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
  ];
  const ODD = [
    "한글".normalize("NFD"),
    "a\u200bb\u2060c\ufeff",
    "soft\u00adhyphen",
    "1\ufe0f\u20e3 and ❤\ufe0f and ❤",
    "🇩🇪 ©",
    "▁▂█ · × – … µ ~ →",
  ];

  it.each([...TEXTS, ...ODD])("is what another library, which is slower to load, says: %j", (text) => {
    expect(textWidth(text)).toBe(stringWidth(text));
  });

  it.each([
    [cutToWidth, "plain", 4, "pla…"],
    [cutToWidth, "负载均衡器", 9, "负载均衡…"],
    [cutToWidth, "负载", 0, ""],
    [shortenToWidth, "http://127.0.0.1:8080/index.html", 15, "http://…ex.html"],
    [shortenToWidth, "负载均衡器", 7, "负…衡器"],
    [shortenToWidth, "ab", 1, "…"],
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
