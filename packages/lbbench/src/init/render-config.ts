import { wrapWords } from "../report/wrap-words.js";
import type { ConfigFormat } from "./answers.js";
import { toPlain, type ConfigDraft, type ConfigEntry, type ConfigValue } from "./config-entry.js";

const WIDTH = 100;

/**
 * The text of a config. Types are imported as types alone, so that it can be read where lbbench is not installed and is run
 * by `npx`. JSON has neither types nor comments.
 */
export function renderConfig({ about, entries }: ConfigDraft, format: ConfigFormat): string {
  if (format === "json") return `${JSON.stringify(toPlain(entries), null, 2)}\n`;
  const head = about.flatMap((paragraph) => comment(paragraph, ""));
  const body = renderEntries(entries, "  ");
  const lines =
    format === "ts"
      ? [
          ...head,
          `import type { SweepInput } from "lbbench";`,
          "",
          "export default {",
          ...body,
          "} satisfies SweepInput;",
        ]
      : [...head, "", `/** @type {import("lbbench").SweepInput} */`, "export default {", ...body, "};"];
  return `${lines.join("\n")}\n`;
}

function comment(text: string, indent: string): readonly string[] {
  return wrapWords(text, WIDTH - indent.length - 3).map((line) => `${indent}// ${line.trim()}`);
}

function renderEntries(entries: readonly ConfigEntry[], indent: string): readonly string[] {
  return entries.flatMap((entry, index) => {
    const lines = [...(entry.about === undefined ? [] : comment(entry.about, indent)), ...renderEntry(entry, indent)];
    return index > 0 && entry.about !== undefined ? ["", ...lines] : lines;
  });
}

function renderEntry(entry: ConfigEntry, indent: string): readonly string[] {
  const key = renderKey(entry.key);
  if ("entries" in entry) return [`${indent}${key}: {`, ...renderEntries(entry.entries, `${indent}  `), `${indent}},`];
  if ("list" in entry) {
    const items = entry.list.flatMap((item) => [
      `${indent}  {`,
      ...renderEntries(item, `${indent}    `),
      `${indent}  },`,
    ]);
    return [`${indent}${key}: [`, ...items, `${indent}],`];
  }
  return [`${indent}${entry.isExample === true ? "// " : ""}${key}: ${renderValue(entry.value)},`];
}

function renderKey(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
}

function renderValue(value: ConfigValue): string {
  if (Array.isArray(value)) return `[${value.map(renderValue).join(", ")}]`;
  if (typeof value === "object") {
    const pairs = Object.entries(value).map(([key, one]) => `${renderKey(key)}: ${renderValue(one as ConfigValue)}`);
    return `{ ${pairs.join(", ")} }`;
  }
  return JSON.stringify(value);
}
