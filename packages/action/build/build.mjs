// Writes the bundle of the action; with --check it only says whether the one that is committed is what would be written.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BUNDLE_FOLDER, bundle } from "./bundle.mjs";

const files = await bundle();
if (process.argv[2] === "--check") {
  const present = await readdir(BUNDLE_FOLDER);
  const stale = present.filter((name) => !files.has(name));
  for (const [name, text] of files) {
    if (!present.includes(name) || (await readFile(join(BUNDLE_FOLDER, name), "utf8")) !== text) stale.push(name);
  }
  if (stale.length > 0) {
    process.stderr.write(
      `packages/action/bundle: expected what the sources make, but ${stale.join(", ")} differs. Run npm run build:action and commit it.\n`,
    );
    process.exitCode = 1;
  }
} else {
  await rm(BUNDLE_FOLDER, { recursive: true, force: true });
  await mkdir(BUNDLE_FOLDER, { recursive: true });
  for (const [name, text] of files) await writeFile(join(BUNDLE_FOLDER, name), text);
}
