import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes `lbbench.config.json` into a folder. */
export function writeConfig(folder: string, content: unknown): void {
  writeFileSync(join(folder, "lbbench.config.json"), JSON.stringify(content));
}
