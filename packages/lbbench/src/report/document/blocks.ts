import type { Block, Inline, Inlines } from "./block.js";

/** Makes a heading inside a section. */
export function heading(text: string): Block {
  return { kind: "heading", level: 3, text };
}

/** Makes a paragraph. */
export function paragraph(text: Inlines): Block {
  return { kind: "paragraph", text };
}

/** Makes a list, or nothing of no lines. */
export function list(lines: readonly Inlines[]): readonly Block[] {
  return lines.length === 0 ? [] : [{ kind: "list", items: lines.map((text) => ({ text })) }];
}

/** Makes words that stand out. */
export function strong(text: string): Inline {
  return { kind: "strong", text };
}

/** Makes words that are to be read letter by letter. */
export function code(text: string): Inline {
  return { kind: "code", text };
}
