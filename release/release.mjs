/**
 * What a release does with versions and with CHANGELOG.md, of the repository in the current folder. It needs no package, but `version`,
 * which needs changesets.
 *
 *     node release/release.mjs version         raises every version by what the files in .changeset say
 *     node release/release.mjs check [TAG]     fails where versions, CHANGELOG.md and the tag do not agree
 *     node release/release.mjs notes TAG       prints what CHANGELOG.md says of a version
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const LISTS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

const read = (path) => readFileSync(path, "utf8");
const readJson = (path) => JSON.parse(read(path));
const folders = () => readdirSync("packages").map((name) => `packages/${name}`);

/** What CHANGELOG.md says of a version, or of `Unreleased`, without its heading; throws where it says nothing. */
function sectionOf(version) {
  const section = read("CHANGELOG.md")
    .split(/^## /m)
    .find((one) => one.startsWith(`[${version}]`));
  const text = section?.slice(section.indexOf("\n")).trim() ?? "";
  if (text === "") throw new Error(`CHANGELOG.md: expected what changes for users under "## [${version}]".`);
  return text;
}

/** The packages raise each other; the lockfile repeats what they say, and the changelog gets a section of this day. */
function raise() {
  sectionOf("Unreleased");
  const changeset = createRequire(import.meta.url).resolve("@changesets/cli/bin.js");
  if (spawnSync(process.execPath, [changeset, "version"], { stdio: "inherit" }).status !== 0) {
    throw new Error("The versions could not be raised: see above.");
  }
  const { version } = readJson("packages/lbbench/package.json");
  const changelog = read("CHANGELOG.md");
  if (changelog.includes(`\n## [${version}]`)) {
    throw new Error(`There is a version ${version} already. Say by how much it is to be raised: npx changeset`);
  }
  const lock = readJson("package-lock.json");
  for (const folder of folders()) {
    const locked = lock.packages[folder];
    const manifest = readJson(`${folder}/package.json`);
    for (const key of ["version", ...LISTS]) if (key in locked) locked[key] = manifest[key];
  }
  writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(
    "CHANGELOG.md",
    changelog.replace("## [Unreleased]\n", `## [Unreleased]\n\n## [${version}] - ${today}\n`),
  );
  console.log(
    `Everything is ${version} now. Next: npm ci && npm run build:action; look at git diff; commit; git tag v${version}`,
  );
}

function check(tag) {
  const { version } = readJson("packages/lbbench/package.json");
  const lock = readJson("package-lock.json");
  const manifests = folders().flatMap((folder) => [
    [folder, readJson(`${folder}/package.json`)],
    [`package-lock.json: ${folder}`, lock.packages[folder]],
  ]);
  const own = new Set(manifests.map(([, { name }]) => name));
  const found = [
    ...manifests.flatMap(([place, manifest]) => [
      [`${place}: version`, manifest.version],
      ...LISTS.flatMap((list) => Object.entries(manifest[list] ?? {}))
        .filter(([name]) => own.has(name))
        .map(([name, needed]) => [`${place}: ${name}`, needed]),
    ]),
    ["CHANGELOG.md: newest section", /^## \[(\d[^\]]*)\]/m.exec(read("CHANGELOG.md"))?.[1]],
    ...(tag === undefined ? [] : [["tag", tag.replace(/^v/, "")]]),
  ];
  const others = found.filter(([, one]) => one !== version).map(([place, one]) => `  ${place}: ${one}\n`);
  if (others.length > 0)
    throw new Error(`lbbench is of version ${version}, but:\n${others.join("")}Run: npm run version`);
  sectionOf(version);
  console.log(`${version} in all ${found.length} places.`);
}

const [command, tag] = process.argv.slice(2);
try {
  if (command === "version") raise();
  else if (command === "check") check(tag);
  else if (command === "notes" && tag !== undefined) console.log(sectionOf(tag.replace(/^v/, "")));
  else throw new Error("Expected: node release/release.mjs version | check [TAG] | notes TAG");
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
