import fc from "fast-check";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { describe, expect, it } from "vitest";
import type { ChartStyle } from "../plugin.js";
import { renderMarkdown } from "./markdown.js";
import { aSweep, failed, withFailures } from "./test-support/sample-results.js";

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly url?: string;
  readonly lang?: string | null;
  readonly children?: readonly Node[];
}

/** All nodes of a document as GitHub's dialect reads it. */
function nodesOf(markdown: string): readonly Node[] {
  const all = (node: Node): readonly Node[] => [node, ...(node.children ?? []).flatMap(all)];
  return all(fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }) as Node);
}

/** How many rows and columns each table has, and how many there are of everything else that a name could make more of. */
function shapeOf(markdown: string): unknown {
  const nodes = nodesOf(markdown);
  const count = (type: string): number => nodes.filter((node) => node.type === type).length;
  return {
    tables: nodes
      .filter(({ type }) => type === "table")
      .map(({ children = [] }) => children.map((row) => row.children?.length)),
    headings: count("heading"),
    images: nodes.flatMap(({ type, url }) => (type === "image" ? [url] : [])),
    code: nodes.flatMap(({ type, lang }) => (type === "code" ? [lang] : [])),
    lists: count("list"),
    quotations: count("blockquote"),
    rules: count("thematicBreak"),
    html: nodes.flatMap(({ type, value }) => (type === "html" ? [value] : [])),
    // GitHub makes links of addresses wherever they stand; such a link shows where it leads.
    links: nodes.filter((node) => node.type === "link" && !isPlainAddress(node)).length,
  };
}

function isPlainAddress({ url, children = [] }: Node): boolean {
  const text = children.map(({ value }) => value ?? "").join("");
  return url !== undefined && [text, `http://${text}`, `mailto:${text}`].includes(decodeURI(url));
}

function reportOf(first: string, second: string, charts: ChartStyle): string {
  const result = aSweep({
    targets: [first, second],
    connections: [1, 50, 100],
    trials: 2,
    change: (step) => {
      if (step.level.connections !== 100) return step;
      const changed = step.target === first ? withFailures(step, 0.1) : failed(step);
      return changed.error === undefined
        ? changed
        : { ...changed, error: { code: changed.error.code, message: `${first} ${second}` } };
    },
  });
  return renderMarkdown({ ...result, scenario: { ...result.scenario, name: first } }, { charts });
}

const WORDS = fc.oneof(
  fc.constantFrom(
    "|",
    "||",
    "`",
    "```",
    "~~~",
    "\n",
    "\r\n\n",
    "\t",
    "<",
    "-->",
    "</details>",
    "<!--",
    "&amp;",
    "&#124;",
  ),
  fc.constantFrom(
    "# ",
    "- ",
    "1. ",
    "> ",
    "---",
    "===",
    "[x](y)",
    "![x](y)",
    "[^1]: ",
    "**",
    "__",
    "\\",
    "\\|",
    "$$",
    ":---:",
  ),
  fc.constantFrom("http://x.yz", "www.x.yz", "a@b.cd", "@someone", "#1", "\u2028", "\u0000", "\u202e", "日本", "🟦"),
  fc.string({ unit: "grapheme", maxLength: 8 }),
);
const NAMES = fc.array(WORDS, { minLength: 1, maxLength: 6 }).map((words) => words.join(""));

describe("the structure of a report", () => {
  it.each(["png", "mermaid", "none"] as const)(
    "is the same whatever the names contain, with charts as %s",
    (charts) => {
      const usual = shapeOf(reportOf("name a", "name b", charts));
      fc.assert(
        fc.property(NAMES, NAMES, (first, second) => {
          expect(shapeOf(reportOf(`a${first}`, `b${second}`, charts))).toEqual(usual);
        }),
        { numRuns: 25 },
      );
    },
  );

  it("has tables, pictures of charts, and none of the names as HTML", () => {
    const nodes = nodesOf(reportOf("<b>a</b>", "b|c", "png"));
    expect(nodes.filter(({ type }) => type === "table").length).toBeGreaterThan(3);
    expect(nodes.filter(({ type }) => type === "image").length).toBeGreaterThan(2);
    expect(nodes.flatMap(({ type, value }) => (type === "html" ? [value] : []))).toEqual([
      expect.stringMatching(/^<details>\n<summary>\d+ more charts<\/summary>$/),
      "</details>",
    ]);
    expect(nodes.some(({ type, value }) => type === "text" && value === "b|c")).toBe(true);
  });

  it("has Mermaid blocks in place of pictures where these are asked for", () => {
    const nodes = nodesOf(reportOf("a", "b", "mermaid"));
    expect(nodes.filter(({ type }) => type === "image")).toEqual([]);
    expect(nodes.filter(({ lang }) => lang === "mermaid").length).toBeGreaterThan(3);
  });
});
