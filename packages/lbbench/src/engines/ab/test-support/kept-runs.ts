import { existsSync, readFileSync } from "node:fs";
import type { Load } from "../../../plugin.js";
import type { CountedLine } from "../../../system/output.js";
import type { ProgramEnd } from "../../../system/supervisor-process.js";

/** A run of ab whose output was kept. */
export interface KeptRun {
  readonly load: Load;
  readonly interrupted?: boolean;
}

/** What ab left in a run, from its files in the folder `output`. */
export function readKeptRun(name: string): ProgramEnd {
  const read = (extension: string): string | undefined => {
    const file = new URL(`./output/${name}.${extension}`, import.meta.url);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  };
  const percentiles = read("csv");
  return {
    code: 0,
    signal: null,
    elapsedMs: 0,
    stdout: read("txt") ?? "",
    stderr: countLines(read("stderr") ?? ""),
    files: percentiles === undefined ? {} : { "percentiles.csv": percentiles },
  };
}

function countLines(text: string): readonly CountedLine[] {
  const counts = new Map<string, number>();
  for (const line of text.split("\n").filter(Boolean)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, count]) => ({ line, count }));
}
