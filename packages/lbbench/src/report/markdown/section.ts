import type { Result } from "../../model/result.js";

/** A part of the report: paragraphs, tables and headings in Markdown; none when it has nothing to say. */
export type Section = (result: Result) => readonly string[];
