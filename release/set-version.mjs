/**
 * Raises the version everywhere it stands: `npm run version -- 0.2.0`. What CHANGELOG.md has under Unreleased becomes the section
 * of this version, of today.
 */
import { readFile, writeFile } from "node:fs/promises";
import {
  attempt,
  checkVersion,
  compareVersions,
  raise,
  readJson,
  readManifests,
  sectionOf,
  writeJson,
} from "./packages.mjs";

await attempt(async () => {
  const version = checkVersion(process.argv[2]);
  const changelog = await readFile("CHANGELOG.md", "utf8");
  if (sectionOf(changelog, "Unreleased") === "") {
    throw new Error('CHANGELOG.md: nothing stands under "## [Unreleased]"; write there what changes for users.');
  }
  if (changelog.includes(`\n## [${version}]`))
    throw new Error(`CHANGELOG.md: there is a section of ${version} already.`);
  const { version: present } = await readJson("package.json");
  if (compareVersions(version, present) <= 0) throw new Error(`Expected a version above ${present}, got ${version}.`);

  const manifests = await readManifests();
  const names = new Set(manifests.map(({ manifest }) => manifest.name));
  const lock = await readJson("package-lock.json");
  lock.version = version;
  for (const { folder, manifest } of manifests) {
    raise(manifest, version, names);
    await writeJson(`${folder}/package.json`, manifest);
    const locked = lock.packages[folder === "." ? "" : folder];
    if (locked !== undefined) raise(locked, version, names);
  }
  await writeJson("package-lock.json", lock);
  const today = new Date().toISOString().slice(0, 10);
  await writeFile(
    "CHANGELOG.md",
    changelog.replace("## [Unreleased]\n", `## [Unreleased]\n\n## [${version}] - ${today}\n`),
  );
  console.log(
    `Everything is ${version} now. Next: npm ci && npm run build:action; look at git diff; commit; git tag v${version}`,
  );
});
