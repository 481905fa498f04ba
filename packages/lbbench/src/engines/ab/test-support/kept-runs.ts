import { existsSync, readFileSync } from "node:fs";
import type { CountedLine } from "../../../system/output.js";
import type { ProgramEnd } from "../../../system/supervisor-process.js";

/** What ab left in a run, from its files in the folder `output`; with the percentiles of `good` where nothing is special about its own. */
export function readKeptRun(name: string): ProgramEnd {
  const read = (file: string): string => {
    const url = new URL(`./output/${file}`, import.meta.url);
    return existsSync(url) ? readFileSync(url, "utf8") : "";
  };
  return {
    code: 0,
    signal: null,
    elapsedMs: 0,
    stdout: read(`${name}.txt`),
    stderr: countLines(read(`${name}.stderr`)),
    files: { "percentiles.csv": read(`${name}.csv`) || read("good.csv") },
  };
}

function countLines(text: string): readonly CountedLine[] {
  const counts = new Map<string, number>();
  for (const line of text.split("\n").filter(Boolean)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, count]) => ({ line, count }));
}
