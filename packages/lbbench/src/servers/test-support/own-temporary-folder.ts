import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, vi } from "vitest";

/** A folder in which this process and its children put what is temporary, for the length of a test. */
export interface OwnTemporaryFolder {
  /** Names of what is in it now. */
  readonly content: () => readonly string[];
}

/** Gives each test of a file, or of a `describe`, such a folder of its own. */
export function useOwnTemporaryFolder(): OwnTemporaryFolder {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "lbbench-test-"));
    vi.stubEnv("TMPDIR", folder);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  return { content: () => readdirSync(folder) };
}
