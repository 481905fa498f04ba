/** Prints what CHANGELOG.md says of a version, for its release: `node release/notes.mjs 0.2.0`; a tag does as well. */
import { readFile } from "node:fs/promises";
import { attempt, checkVersion, sectionOf } from "./packages.mjs";

await attempt(async () => {
  const version = checkVersion(process.argv[2]?.replace(/^v/, ""));
  console.log(sectionOf(await readFile("CHANGELOG.md", "utf8"), version));
});
