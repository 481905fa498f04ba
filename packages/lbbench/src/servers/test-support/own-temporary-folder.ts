import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, vi } from "vitest";

/** Gives each test of a file, or of a `describe`, a folder of its own in which this process and its children put what is temporary. */
export function useOwnTemporaryFolder() {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "lbbench-test-"));
    vi.stubEnv("TMPDIR", folder);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  return { content: (): readonly string[] => readdirSync(folder) };
}
