import { chartDefinitions } from "../charts/chart-definitions.js";
import { escapeMarkdown } from "../escape-markdown.js";
import type { Section } from "./section.js";

/** Links to the pictures that the PNG reporter draws, in the same folder, each with what is seen in words. */
export const charts: Section = (result) => {
  const images = chartDefinitions(result).map(
    ({ id, title, alt }) => `![${escapeMarkdown(`${title}. ${alt}`)}](${id}.png)`,
  );
  return images.length === 0 ? [] : ["## Charts", ...images];
};
