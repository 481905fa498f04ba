import { access, readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ConfigError, describeFailure } from "../config/config-error.js";
import { OutputError } from "../store/output-error.js";
import { CONFIG_FORMATS } from "./answers.js";
import type { Folder, Manifest } from "./folder.js";

/** Looks at a folder. Rejects with a `ConfigError` for a package.json that is none, and an `OutputError` where it cannot be read. */
export async function readFolder(given: string): Promise<Folder> {
  const path = resolve(given);
  const names = new Set(
    await readdir(path).catch((error: unknown) => {
      throw new OutputError(`Expected a folder that can be read, but ${path} cannot: ${describeFailure(error)}.`, {
        cause: error,
      });
    }),
  );
  const manifest = names.has("package.json") ? await readManifest(join(path, "package.json")) : undefined;
  const above = names.has(".git") ? undefined : await findRepository(dirname(path));
  return {
    path,
    names,
    configs: CONFIG_FORMATS.filter((format) => names.has(`lbbench.config.${format}`)),
    ...(manifest === undefined ? {} : { manifest }),
    ...(above === undefined ? {} : { repositoryAbove: above }),
  };
}

async function readManifest(file: string): Promise<NonNullable<Folder["manifest"]>> {
  try {
    const text = await readFile(file, "utf8");
    const content: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (typeof content !== "object" || content === null || Array.isArray(content)) {
      throw new TypeError("it is not an object");
    }
    return { text, content: content as Manifest };
  } catch (error) {
    throw new ConfigError(
      `${file}: expected the package.json of a project, but it could not be read: ${describeFailure(error)}. Mend it, or move it away, and run this again.`,
      { cause: error },
    );
  }
}

/** The nearest folder, from this one upwards, that is the top of a git repository. */
async function findRepository(folder: string): Promise<string | undefined> {
  const isTop = await access(join(folder, ".git")).then(
    () => true,
    () => false,
  );
  if (isTop) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findRepository(parent);
}
