import { spawnSync } from "node:child_process";
import { withServerFolders } from "../../child/missing-program.js";

/** Whether tests of a program run. */
export interface ProgramTests {
  readonly run: boolean;
  /** What the title of the tests ends with, so that those who do not run say so: ` (skipped: nginx is not installed)`. */
  readonly note: string;
}

/** Tests of a program run where it is installed; in CI always, so that they fail where it is missing. */
export function testsOf(program: string): ProgramTests {
  const isInstalled = spawnSync(program, ["-v"], { env: { ...process.env, ...withServerFolders({}) } }).status === 0;
  const run = isInstalled || process.env["CI"] !== undefined;
  return { run, note: run ? "" : ` (skipped: ${program} is not installed)` };
}
