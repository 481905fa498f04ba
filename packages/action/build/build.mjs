// Writes the bundle of the action; with --check it only says whether the one that is committed is what would be written.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BUNDLE_FOLDER, bundle } from "./bundle.mjs";

const isCheck = process.argv[2] === "--check";
const files = await bundle();
const stale = [];
await mkdir(BUNDLE_FOLDER, { recursive: true });
for (const [name, text] of files) {
  const path = join(BUNDLE_FOLDER, name);
  if (!isCheck) await writeFile(path, text);
  else if ((await readFile(path, "utf8").catch(() => undefined)) !== text) stale.push(name);
}
if (stale.length > 0) {
  process.stderr.write(
    `packages/action/bundle: expected what the sources make, but ${stale.join(", ")} differs. Run npm run build:action and commit it.\n`,
  );
  process.exitCode = 1;
}
