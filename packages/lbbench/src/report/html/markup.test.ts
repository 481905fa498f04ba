import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { embedJson } from "./embed-json.js";
import { markup, preformatted, renderContent } from "./markup.js";

const ENTITIES: readonly (readonly [string, string])[] = [
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&#39;", "'"],
  ["&#96;", "`"],
  ["&amp;", "&"],
];
const read = (html: string): string => ENTITIES.reduce((text, [entity, sign]) => text.replaceAll(entity, sign), html);

describe("markup", () => {
  test("escapes every value, and nothing of its own", () => {
    expect(renderContent(markup`<p title="${`"><b>`}">${"</p>&'`"}</p>`)).toBe(
      '<p title="&quot;&gt;&lt;b&gt;">&lt;/p&gt;&amp;&#39;&#96;</p>',
    );
  });

  test("keeps markup, joins lists and leaves nothing for nothing", () => {
    expect(renderContent(markup`${[markup`<i>${1}</i>`, "<"]}${null}${undefined}`)).toBe("<i>1</i>&lt;");
  });

  test("takes data that looks like markup for data", () => {
    const forged = JSON.parse('{"text of markup": "<b>"}') as never;
    expect(renderContent(markup`<p>${forged}</p>`)).not.toContain("<b>");
  });

  test("makes spaces of control characters, and of what turns text around", () => {
    expect(renderContent("a\u0000\u001b[31mb\u202ec\nd")).toBe("a [31mb c d");
  });

  test("shows any other text as it is, without a character that markup is made of", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const html = renderContent(text);
        expect(html).not.toMatch(/[<>"'`]/);
        expect(read(html)).toBe(text.replaceAll(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, " "));
      }),
    );
  });

  test("keeps the lines and the indents of code", () => {
    expect(renderContent(preformatted("a\r\n  <b>\n"))).toBe("a\n  &lt;b&gt;\n");
  });
});

describe("embedded JSON", () => {
  test("is what it was, and cannot end its script", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom("</script>", "<!--", "<script>", "\u2028", "]]>"), (value, text) => {
        const all = { value, text, [text]: [text] };
        const html = renderContent(embedJson("result", all));
        const [, json = ""] = /^<script type="application\/json" id="result">([^<]*)<\/script>$/.exec(html) ?? [];
        expect(json).not.toMatch(/[\u2028\u2029]/);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(all)));
      }),
    );
  });
});
