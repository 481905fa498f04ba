import type { ConfigFormat } from "./answers.js";

/** What a program that is to be measured is started from, as far as package.json tells. */
export interface Manifest {
  readonly name?: unknown;
  readonly main?: unknown;
  readonly scripts?: unknown;
  readonly devDependencies?: unknown;
  readonly dependencies?: unknown;
}

/** How the packages of a project are installed. */
export type PackageManager = "npm" | "npm without lockfile" | "pnpm" | "yarn";

/** What is in the folder that `lbbench init` writes to, read before anything is decided. */
export interface Folder {
  /** Absolute path. */
  readonly path: string;
  /** Its package.json, as text and read. */
  readonly manifest?: { readonly text: string; readonly content: Manifest };
  /** Names of what is in it. */
  readonly names: ReadonlySet<string>;
  /** Formats of the configs `lbbench.config.*` that are in it, as they are looked for. */
  readonly configs: readonly ConfigFormat[];
  /** The top of the git repository it is in, where that is another folder. */
  readonly repositoryAbove?: string;
}
