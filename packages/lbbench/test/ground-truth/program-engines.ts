import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { abEngine } from "../../src/engines/ab/engine.js";
import { heyEngine } from "../../src/engines/hey/engine.js";
import { wrkEngine } from "../../src/engines/wrk/engine.js";
import type { Engine } from "../../src/plugin.js";

/** The engines that drive a program. */
export const PROGRAM_ENGINES: readonly Engine[] = [abEngine, wrkEngine, heyEngine];

/** Programs that are not installed; in CI none is missing, so that tests fail there instead of being left out. */
export function isMissing(program: string): boolean {
  if (process.env["CI"] !== undefined) return false;
  return !(process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** What the title of tests ends with that are left out. */
export function noteOn(program: string): string {
  return isMissing(program) ? ` (skipped: ${program} is not installed)` : "";
}
