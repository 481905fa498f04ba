import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Makes an empty folder that is removed when the test has finished; returns its absolute path. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "lbbench-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
