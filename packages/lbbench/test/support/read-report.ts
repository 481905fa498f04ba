import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../../src/model/result.js";
import { resultSchema } from "../../src/model/result-schema.js";

/** The result in a report's folder; throws when it is not one that a later command could read. */
export function readStoredResult(folder: string): Result {
  return resultSchema.parse(JSON.parse(readFileSync(join(folder, "result.json"), "utf8")));
}

/** The text of a report's Markdown. */
export function readMarkdown(folder: string): string {
  return readFileSync(join(folder, "report.md"), "utf8");
}

/** Names of the pictures that a text of Markdown shows. */
export function picturesIn(markdown: string): readonly string[] {
  return [...markdown.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}
