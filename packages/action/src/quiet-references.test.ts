import { expect, test } from "vitest";
import { quietReferences } from "./quiet-references.js";

test("parts the sign from a name or a number, also where it is escaped", () => {
  expect(quietReferences("by @octocat")).toBe("by @\u200Boctocat");
  expect(quietReferences(String.raw`#12 o/r#5 \#3 GH-7 gh\-8`)).toBe(
    "#\u200B12 o/r#\u200B5 \\#\u200B3 GH-\u200B7 gh\\-\u200B8",
  );
});

test("leaves headings, characters by their number, and colours in a chart as they are", () => {
  const text = '## 1 more\n\n&#39;\n\n```mermaid\nxychart "#1f77b4"\n```';
  expect(quietReferences(text)).toBe(text);
  expect(quietReferences(`${text}\n#9`)).toBe(`${text}\n#\u200B9`);
});
