import { readdirSync } from "node:fs";
import { fromMarkdown } from "mdast-util-from-markdown";
import { inRepository, readDocument } from "./repository.js";

/** A command that a document shows. */
export interface ShownCommand {
  readonly document: string;
  readonly command: string;
}

const ROOTS = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"];
const FOLDERS = ["docs", "examples", "packages", "bench", "reports"];
/** Not written by us, or not for readers. */
const PASSED_OVER = /(^|\/)(node_modules|dist|bundle|__snapshots__)\/|^reports\/[^/]+\/|CHANGELOG\.md$/;

/** Paths of all documents of the repository, reports left out. */
export function allDocuments(): readonly string[] {
  const found = FOLDERS.flatMap((folder) =>
    readdirSync(inRepository(folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  return [...ROOTS, ...found.filter((path) => path.endsWith(".md") && !PASSED_OVER.test(path)).toSorted()];
}

/** The commands in the blocks of a document that are marked `sh`: without comments, one for each line and each `&&`. */
export function shellCommands(document: string): readonly ShownCommand[] {
  return codeBlocks(document)
    .filter(({ lang }) => lang === "sh")
    .flatMap(({ value }) => value.replaceAll("\\\n", " ").split("\n"))
    .flatMap((line) => line.replace(/(^|\s)#\s.*$/, "").split("&&"))
    .map((command) => ({ document, command: command.trim().replace(/\s+/g, " ") }))
    .filter(({ command }) => command !== "");
}

function codeBlocks(document: string): readonly { readonly lang: string | null; readonly value: string }[] {
  const blocks: { lang: string | null; value: string }[] = [];
  const visit = (node: { type: string; lang?: string | null; value?: string; children?: readonly unknown[] }): void => {
    if (node.type === "code") blocks.push({ lang: node.lang ?? null, value: node.value ?? "" });
    for (const child of node.children ?? []) visit(child as typeof node);
  };
  visit(fromMarkdown(readDocument(document)));
  return blocks;
}
