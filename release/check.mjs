/**
 * Checks that all versions agree, and with the newest section of CHANGELOG.md; given a tag, with that as well:
 * `node release/check.mjs v0.2.0`.
 */
import { readFile } from "node:fs/promises";
import { attempt, checkVersion, readJson, readManifests, sectionOf, versionsOf } from "./packages.mjs";

await attempt(async () => {
  const [tag] = process.argv.slice(2);
  const version = checkVersion((await readJson("package.json")).version);
  const changelog = await readFile("CHANGELOG.md", "utf8");
  const [newest = "none"] = /^## \[\d[^\]]*\]/m.exec(changelog) ?? [];
  const found = [
    ...versionsOf(await readManifests()),
    ...versionsOf(await lockedManifests()).map(({ place, version: locked }) => ({
      place: `package-lock.json: ${place}`,
      version: locked,
    })),
    { place: "CHANGELOG.md: newest section", version: newest.replace(/^## \[|\]$/g, "") },
    ...(tag === undefined ? [] : [{ place: "tag", version: tag.replace(/^v/, "") }]),
  ];
  const others = found.filter((one) => one.version !== version);
  if (others.length > 0) {
    const list = others.map((one) => `  ${one.place}: ${one.version}`).join("\n");
    throw new Error(`package.json is of version ${version}, but:\n${list}\nRun: npm run version -- VERSION`);
  }
  if (sectionOf(changelog, version) === "") throw new Error(`CHANGELOG.md: the section of ${version} is empty.`);
  console.log(`${version} in all ${found.length} places.`);
});

/** The packages as the lockfile has them. */
async function lockedManifests() {
  const { packages } = await readJson("package-lock.json");
  return Object.entries(packages)
    .filter(([folder]) => folder === "" || /^packages\/[^/]+$/.test(folder))
    .map(([folder, manifest]) => ({ folder: folder || ".", manifest }));
}
