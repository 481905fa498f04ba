import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import type { Result } from "../../model/result.js";
import { renderMarkdown } from "../markdown.js";

/** A node of a document as GitHub's dialect reads it. */
export interface MarkdownNode {
  readonly type: string;
  readonly value?: string;
  readonly url?: string;
  readonly alt?: string;
  readonly depth?: number;
  readonly lang?: string | null;
  readonly children?: readonly MarkdownNode[];
}

/** Returns what stands at the top of a Markdown document, in order. */
export function readMarkdown(markdown: string): readonly MarkdownNode[] {
  const root = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }) as MarkdownNode;
  return root.children ?? [];
}

/** Returns a node and all that is in it. */
export function allNodes(node: MarkdownNode): readonly MarkdownNode[] {
  return [node, ...(node.children ?? []).flatMap(allNodes)];
}

/** Returns the words that a reader sees of a node. */
export function wordsOf({ value, children = [] }: MarkdownNode): string {
  return value ?? children.map(wordsOf).join("");
}

/** Returns the tables of the Markdown report of a result. */
export function tablesOf(result: Result) {
  return readTables(renderMarkdown(result, { charts: "none" }));
}

/**
 * Returns the tables of a Markdown document as people see them: the headings that each stands under, outermost first, what stands right
 * before it (empty for a heading), and its rows.
 */
export function readTables(markdown: string) {
  const nodes = readMarkdown(markdown);
  let under: readonly string[] = [];
  return nodes.flatMap((node, at) => {
    if (node.type === "heading") under = [...under.slice(0, (node.depth ?? 1) - 1), wordsOf(node)];
    if (node.type !== "table") return [];
    const before = nodes[at - 1];
    const [head = [], ...rows] = (node.children ?? []).map((row) => (row.children ?? []).map(wordsOf));
    return [{ under, lead: before?.type === "paragraph" ? wordsOf(before) : "", head, rows }];
  });
}

/** Returns the rows of the table with such a column, of those under a heading where one is given, as what stands in each column. */
export function rowsWith(result: Result, column: string, under?: string): readonly Readonly<Record<string, string>>[] {
  const found = tablesOf(result).filter(
    (table) => table.head.includes(column) && (under === undefined || table.under.includes(under)),
  );
  if (found.length === 0) throw new Error(`expected a table with a column ${column}`);
  return found.flatMap(({ head, rows }) =>
    rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ""]))),
  );
}

/** Returns what is said under a heading of the second level, without tables: a line for each paragraph and each point of a list. */
export function linesUnder(result: Result, heading: RegExp): readonly string[] {
  const sections = renderMarkdown(result, { charts: "none" }).split(/^## /m);
  const section = sections.find((one) => heading.test(one)) ?? "";
  return readMarkdown(section.slice(section.indexOf("\n")))
    .flatMap(allNodes)
    .filter(({ type }) => type === "paragraph")
    .map(wordsOf);
}

/** What no text may have: the rest of a value that nobody wrote, or one of something in the plural, as in `1 backends`. */
export const NO_WORDS =
  /undefined|NaN|Infinity|\[object|(?<![\d.,/] ?)\b1 (?:answers|backends|connections|cores|errors|levels|processes|requests|seconds|steps|targets|trials|users|warnings|workers)\b/;
