import { access, constants, mkdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import writeFileAtomic from "write-file-atomic";
import type { ReportFile } from "../plugin.js";
import { OutputError } from "./output-error.js";

/** A folder that reports are written to. */
export interface ReportFolder {
  /** Absolute path. */
  readonly path: string;
  /** Writes files whole or not at all: to a temporary file that is then renamed. Resolves with their paths. */
  readonly write: (files: readonly ReportFile[]) => Promise<readonly string[]>;
}

/** Makes sure that a folder exists and can be written to; rejects with an {@link OutputError} that says why not. */
export async function openReportFolder(path: string): Promise<ReportFolder> {
  const folder = resolve(path);
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw cannotWrite(folder, error);
  }
  return {
    path: folder,
    write: (files) =>
      Promise.all(
        files.map(async ({ name, content }) => {
          if (name !== basename(name) || name === "" || name === "." || name === "..") {
            throw new OutputError(`Expected the plain name of a file from a reporter, but got "${name}"`);
          }
          const file = join(folder, name);
          try {
            await writeFileAtomic(file, typeof content === "string" ? content : Buffer.from(content));
          } catch (error) {
            throw cannotWrite(file, error);
          }
          return file;
        }),
      ),
  };
}

function cannotWrite(path: string, error: unknown): OutputError {
  const why = error instanceof Error ? error.message : String(error);
  return new OutputError(
    `Expected to be able to write to ${path}, but: ${why}. Choose another folder with --out DIR.`,
    {
      cause: error,
    },
  );
}
