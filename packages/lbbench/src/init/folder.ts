import { existsSync } from "node:fs";
import { lstat, readdir, readFile, realpath, unlink } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { ConfigError, describeFailure, explained } from "../config/config-error.js";
import { DEFAULTS } from "../config/defaults.js";
import { CONFIG_NAMES } from "../config/modules.js";
import { parseJson, readBounded } from "../config/read-file.js";
import { makeFolder, OutputError, removeEmpty, writeWhole } from "../store/write-file.js";
import { defined } from "../stats/defined.js";

/** Languages that a config is written in. */
export type ConfigFormat = "ts" | "json";

/** What a program that is to be measured is started from, as far as package.json tells. */
export type Manifest = Readonly<
  Partial<Record<"name" | "main" | "scripts" | "devDependencies" | "dependencies", unknown>>
>;

/** What is in the folder that `lbbench init` writes to, read before anything is decided. */
export interface Folder {
  /** Absolute path. */
  readonly path: string;
  /** Its package.json, as text and read. */
  readonly manifest?: { readonly text: string; readonly content: Manifest };
  /** Names of what is in it. */
  readonly names: ReadonlySet<string>;
  /** Names of the configs `lbbench.config.*` that are in it, in any language, as they are looked for. */
  readonly configs: readonly string[];
  /** The top of the git repository it is in, where that is another folder. */
  readonly repositoryAbove?: string;
}

/** Looks at a folder. Rejects with a `ConfigError` for a package.json that is none, and an `OutputError` where it cannot be read. */
export async function readFolder(given: string): Promise<Folder> {
  const path = resolve(given);
  const unread = (why: string): string => `Expected a folder that can be read, but ${path} cannot: ${why}.`;
  const names = new Set(await explained(readdir(path), OutputError, unread));
  const file = join(path, "package.json");
  const explain = (why: string): string =>
    `${file}: expected the package.json of a project, but it could not be read: ${why}. Mend it, or move it away, and run this again.`;
  const manifest = names.has("package.json") && (await explained(readManifest(file), ConfigError, explain));
  const above = names.has(".git") ? undefined : findRepository(dirname(path));
  return {
    path,
    names,
    configs: CONFIG_NAMES.filter((name) => names.has(name)),
    ...defined({ manifest: manifest || undefined, repositoryAbove: above }),
  };
}

async function readManifest(file: string): Promise<NonNullable<Folder["manifest"]>> {
  const text = readBounded(file).bytes.toString("utf8");
  const content = parseJson(text);
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new TypeError("it is not an object");
  }
  return { text, content: content as Manifest };
}

/** The nearest folder, from this one upwards, that is the top of a git repository. */
function findRepository(folder: string): string | undefined {
  if (existsSync(join(folder, ".git"))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findRepository(parent);
}

const [ADD_NPM, COREPACK] = ["npm install --save-dev lbbench", "corepack enable &&"];
/** By lockfile: what adds lbbench to a project, and what installs its packages. Constants, so that nothing of a project gets into a shell. */
const MANAGERS: readonly (readonly [lockfile: string, add: string, install: string])[] = [
  ["pnpm-lock.yaml", "pnpm add --save-dev lbbench", `${COREPACK} pnpm install --frozen-lockfile`],
  ["yarn.lock", "yarn add --dev lbbench", `${COREPACK} yarn install --frozen-lockfile`],
  ["package-lock.json", ADD_NPM, "npm ci"],
  ["npm-shrinkwrap.json", ADD_NPM, "npm ci"],
];

/** The commands of a project's package manager, told by its lockfile; `undefined` where there is no project. */
export function packageManagerOf({ manifest, names }: Pick<Folder, "manifest" | "names">) {
  const [, add, install] = MANAGERS.find(([lockfile]) => names.has(lockfile)) ?? ["", ADD_NPM, "npm install"];
  return manifest && { add, install };
}

/** What a project is called: by its package.json, or else as its folder; without control characters. */
export function projectName({ manifest, path }: Pick<Folder, "manifest" | "path">): string {
  const name = manifest?.content.name;
  const clean = (text: string): string => text.replaceAll(/\p{Cc}/gu, " ").trim();
  return (typeof name === "string" && clean(name)) || clean(basename(path)) || DEFAULTS.name;
}

/** A file that is to be written. */
export interface PlannedFile {
  /** From the folder, with slashes. */
  readonly path: string;
  readonly content: string;
  /** `edit`: what is there stays, with something added; `create`: what is there would be lost. */
  readonly manner: "create" | "edit";
}

/**
 * The files of a plan that are there already and would be lost. Rejects with an `OutputError` for one that is no file, or that
 * a symbolic link would put outside the folder.
 */
export async function findConflicts(folder: string, files: readonly PlannedFile[]): Promise<readonly PlannedFile[]> {
  const root = await realpath(folder);
  const found = await Promise.all(files.map((file) => isThere(root, join(root, file.path))));
  return files.filter((file, index) => file.manner === "create" && found[index]);
}

async function isThere(root: string, path: string): Promise<boolean> {
  let nearest = path;
  while ((await lstat(nearest).catch(ignoreMissing)) === undefined) nearest = dirname(nearest);
  const isFile = nearest === path;
  const real = await realpath(nearest).catch(ignoreMissing);
  const found = real === undefined ? undefined : await lstat(real);
  if (real === undefined || !(isFile ? found?.isFile() : found?.isDirectory())) {
    const what = real === undefined ? "a symbolic link to nothing" : "something else";
    throw new OutputError(
      `Expected ${isFile ? "a file" : "a folder"} at ${nearest}, or nothing, got ${what}. Move it away. Nothing was written.`,
    );
  }
  const way = relative(root, real);
  if (way !== ".." && !way.startsWith(`..${sep}`)) return isFile;
  throw new OutputError(
    `Expected ${path} in the folder ${root}, but a symbolic link leads to ${real}. Remove the link, or run lbbench init there. Nothing was written.`,
  );
}

function ignoreMissing(cause: NodeJS.ErrnoException): undefined {
  // Below a file there is nothing either; the file that is in the way is told.
  if (cause.code === "ENOENT" || cause.code === "ENOTDIR") return undefined;
  const why = describeFailure(cause);
  throw new OutputError(`Expected files that can be looked at, but ${cause.path ?? ""} cannot: ${why}.`, { cause });
}

/**
 * Writes all files of a plan or none: each to a temporary file that is then renamed, and where one cannot be written the
 * others are put back. Rejects with an `OutputError` that says why.
 */
export async function writeFiles(folder: string, files: readonly PlannedFile[]): Promise<void> {
  const undo: (() => Promise<void>)[] = [];
  for (const file of files) {
    const path = join(folder, file.path);
    try {
      const before = await readFile(path).catch(() => undefined);
      const made = await makeFolder(dirname(path));
      if (made !== undefined) undo.push(() => removeEmpty(dirname(path), made));
      await writeWhole(path, file.content);
      undo.push(() => (before === undefined ? unlink(path) : writeWhole(path, before)));
    } catch (error) {
      for (const step of undo.toReversed()) await step().catch(() => {});
      throw new OutputError(
        `Expected to write ${path}, but it cannot be written: ${describeFailure(error)}. Nothing was written.`,
        { cause: error },
      );
    }
  }
}
