import { basename } from "node:path";
import { DEFAULTS } from "../config/defaults.js";
import type { Folder } from "./folder.js";

/** What a project is called: by its package.json, or else as its folder; without control characters. */
export function projectName({ manifest, path }: Pick<Folder, "manifest" | "path">): string {
  const name = manifest?.content.name;
  const clean = (text: string): string => text.replaceAll(/\p{Cc}/gu, " ").trim();
  return (typeof name === "string" && clean(name)) || clean(basename(path)) || DEFAULTS.name;
}
