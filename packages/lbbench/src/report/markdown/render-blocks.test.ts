import { expect, test } from "vitest";
import type { Block } from "../document/block.js";
import { renderBlocks } from "./render-blocks.js";

const render = (block: Block): string => renderBlocks([block]).join("\n\n");

test.each<readonly [what: string, block: Block, markdown: string]>([
  ["a heading", { kind: "heading", level: 3, text: "# a *b*" }, String.raw`### \# a \*b\*`],
  ["a paragraph that looks like a list", { kind: "paragraph", text: "- x" }, String.raw`\- x`],
  [
    "a paragraph of several pieces, with the spaces between them",
    { kind: "paragraph", text: ["a ", { kind: "strong", text: "b|*" }, " and ", { kind: "code", text: "c`d" }, "."] },
    "a **b\\|\\*** and ``c`d``.",
  ],
  [
    "a link whose address cannot end it",
    { kind: "paragraph", text: [{ kind: "link", text: "a]b", url: "https://x.test/a b>(c)" }] },
    String.raw`[a\]b](<https://x.test/a%20b%3E(c)>)`,
  ],
  [
    "a list with points below a point",
    { kind: "list", items: [{ text: "1. x", items: ["+ y", "z"] }, { text: "w" }] },
    "- 1\\. x\n  - \\+ y\n  - z\n- w",
  ],
  [
    "what others fold, below a line that says what it is",
    { kind: "folded", summary: "All of *a*", blocks: [{ kind: "paragraph", text: "x" }] },
    "All of \\*a\\*:\n\nx",
  ],
  ["code", { kind: "code", language: "sh", text: "a\n```" }, "````sh\na\n```\n````"],
  [
    "a table whose cells cannot end it",
    {
      kind: "table",
      caption: "not shown",
      lead: "> Lead:",
      columns: [
        { head: "a|b", align: "left" },
        { head: "n", align: "right" },
      ],
      rows: [[{ text: [{ kind: "code", text: "x|y" }] }, { text: "-1", value: -1 }]],
    },
    "\\> Lead:\n\n| a\\|b |  n |\n| :--- | -: |\n| x\\|y | -1 |",
  ],
  [
    "facts",
    { kind: "facts", head: "Name", facts: [["a", [{ kind: "strong", text: "b" }]]] },
    "| Name |       |\n| :--- | :---- |\n| a    | **b** |",
  ],
  [
    "a tilde alone as it is, and one that would cross out as text",
    { kind: "paragraph", text: "~ and ~x~" },
    String.raw`~ and \~x\~`,
  ],
])("renders %s", (_, block, markdown) => {
  expect(render(block)).toBe(markdown);
});

test("renders findings as a heading for what they mean and a point for each code", () => {
  const kind = { code: "A_B", title: "T*", texts: ["one", "- two"], cause: "c", remedy: "r" };
  const groups = [{ head: "Errors: x", severity: "error" as const, isFailure: false, kinds: [kind] }];
  expect(render({ kind: "findings", groups })).toBe(
    "### Errors: x\n\n- **T\\*** (`A_B`):\n  - one\n  - \\- two\n  - Cause: c\n  - What to do: r",
  );
});
