import type { Reporter } from "../plugin.js";
import { jsonReporter } from "./json.js";
import { markdownReporter } from "./markdown.js";
import { pngReporter } from "./png.js";

/** The reporters that come with lbbench, by the name of their format. */
export const REPORTERS: ReadonlyMap<string, Reporter> = new Map(
  [markdownReporter, pngReporter, jsonReporter].map((reporter) => [reporter.format, reporter]),
);
