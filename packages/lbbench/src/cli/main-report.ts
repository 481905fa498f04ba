import { basename } from "node:path";

/** What is read of a report, the best first. */
const READ_FIRST = ["report.html", "report.md"] as const;

/** Returns the file that a reader of a report opens first; its folder where there is none to read, `null` where nothing was written. */
export function mainReport(files: readonly string[], folder: string | null): string | null {
  return READ_FIRST.flatMap((name) => files.find((file) => basename(file) === name) ?? [])[0] ?? folder;
}
