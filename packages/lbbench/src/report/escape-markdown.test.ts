import { describe, expect, test } from "vitest";
import { codeBlock, escapeMarkdown, inlineCode } from "./escape-markdown.js";

describe("escapeMarkdown", () => {
  test.each([
    ["HTML", "<img src=x onerror=alert(1)>", String.raw`\<img src=x onerror=alert(1)\>`],
    ["bars", "a|b", String.raw`a\|b`],
    ["bars after a backslash", String.raw`a\|b`, String.raw`a\\\|b`],
    ["code", "`x`", "\\`x\\`"],
    ["emphasis", "**x** _y_ ~z~", String.raw`\*\*x\*\* \_y\_ \~z\~`],
    ["links", "[x](javascript:alert(1))", String.raw`\[x\](javascript:alert(1))`],
    ["pictures", "![x](y)", String.raw`\!\[x\](y)`],
    ["entities", "&lt;", String.raw`\&lt;`],
    ["addresses", "http://x/ www.x.y", String.raw`http:\//x/ www\.x.y`],
    ["headings", "# x", String.raw`\# x`],
    ["bullets", "- x", String.raw`\- x`],
    ["numbered lists", "12. x", String.raw`12\. x`],
    ["quotations", "> x", String.raw`\> x`],
    ["formulas", "$x$", String.raw`\$x\$`],
  ])("makes text of %s", (_, text, markdown) => {
    expect(escapeMarkdown(text)).toBe(markdown);
  });

  test("keeps everything in one line, without control characters", () => {
    expect(escapeMarkdown("a\r\nb\u2028c\u001b[31m\u202ed")).toBe(String.raw`a b c \[31m d`);
  });

  test.each(["backend-1", "TOO_SHORT", "14.9 GiB", "10.0.0.1:8080", "Sample CPU (R) @ 2.0GHz"])(
    "leaves %s readable as plain text",
    (text) => {
      expect(escapeMarkdown(text)).toBe(text);
    },
  );
});

describe("inlineCode", () => {
  test("uses a longer fence than any run of backticks in the text", () => {
    expect(inlineCode("a``b`c")).toBe("```a``b`c```");
  });

  test("keeps backticks at the ends apart from the fence", () => {
    expect(inlineCode("`x`")).toBe("`` `x` ``");
  });

  test("is nothing for nothing", () => {
    expect(inlineCode("\n")).toBe("");
  });
});

test("nothing in a block of code can end it", () => {
  expect(codeBlock("lbbench sweep\n```\n  <b>", "sh")).toBe("````sh\nlbbench sweep\n```\n  <b>\n````");
});
