import { existsSync, readFileSync } from "node:fs";
import type { Load } from "../../../plugin.js";
import type { CountedLine } from "../../../system/output.js";
import type { ProgramEnd } from "../../../system/supervisor-process.js";

/** A run of a program whose output was kept. */
export interface KeptRun {
  readonly load: Load;
  readonly interrupted?: boolean;
}

/** What a program left in a run, from its files in the folder `output`. */
export function readKeptRun(program: string, name: string, files: Readonly<Record<string, string>>): ProgramEnd {
  const read = (extension: string): string | undefined => {
    const file = new URL(`./output/${program}/${name}.${extension}`, import.meta.url);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  };
  return {
    code: 0,
    signal: null,
    elapsedMs: 0,
    stdout: read("txt") ?? "",
    stderr: countLines(read("stderr") ?? ""),
    files: Object.fromEntries(
      Object.entries(files).flatMap(([file, extension]) => {
        const content = read(extension);
        return content === undefined ? [] : [[file, content]];
      }),
    ),
  };
}

function countLines(text: string): readonly CountedLine[] {
  const counts = new Map<string, number>();
  for (const line of text.split("\n").filter(Boolean)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, count]) => ({ line, count }));
}
