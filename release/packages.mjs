/** What the commands of this folder know of the packages. They work on the repository in the current folder. */
import { readdir, readFile, writeFile } from "node:fs/promises";

const DEPENDENCY_LISTS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
const NUMBER = String.raw`(?:0|[1-9]\d*)`;
const WORD = String.raw`(?:${NUMBER}|\d*[A-Za-z-][\dA-Za-z-]*)`;
const VERSION = new RegExp(String.raw`^${NUMBER}\.${NUMBER}\.${NUMBER}(?:-${WORD}(?:\.${WORD})*)?$`);

/** A manifest with the folder it is in, relative to the repository: "." is the repository's own. */
export async function readManifests() {
  const names = await readdir("packages");
  const folders = [".", ...names.toSorted().map((name) => `packages/${name}`)];
  return Promise.all(folders.map(async (folder) => ({ folder, manifest: await readJson(`${folder}/package.json`) })));
}

/** Published packages, each after those it depends on. */
export function publishedInOrder(manifests) {
  const left = manifests.filter(({ manifest }) => manifest.private !== true);
  const order = [];
  while (left.length > 0) {
    const names = new Set(left.map(({ manifest }) => manifest.name));
    const next = left.findIndex(
      ({ manifest }) => !Object.keys(manifest.dependencies ?? {}).some((name) => names.has(name)),
    );
    if (next === -1) throw new Error(`Packages that depend on each other: ${[...names].join(", ")}`);
    order.push(...left.splice(next, 1));
  }
  return order;
}

/** Every place that has the common version: `{ place, version }`. */
export function versionsOf(manifests) {
  const own = new Set(manifests.map(({ manifest }) => manifest.name));
  return manifests.flatMap(({ folder, manifest }) => [
    { place: `${folder}/package.json: version`, version: manifest.version },
    ...DEPENDENCY_LISTS.flatMap((list) =>
      Object.entries(manifest[list] ?? {})
        .filter(([name]) => own.has(name))
        .map(([name, version]) => ({ place: `${folder}/package.json: ${list}.${name}`, version })),
    ),
  ]);
}

/** Puts a version into a manifest, or into a lockfile's entry of one: its own, and those of the packages named. */
export function raise(manifest, version, names) {
  manifest.version = version;
  for (const list of DEPENDENCY_LISTS) {
    for (const name of Object.keys(manifest[list] ?? {})) {
      if (names.has(name)) manifest[list][name] = version;
    }
  }
}

/** Throws when a text is no version that can be published. */
export function checkVersion(text) {
  if (!VERSION.test(text ?? ""))
    throw new Error(`Expected a version such as 0.2.0 or 0.2.0-rc.1, got "${text ?? ""}".`);
  return text;
}

/** Whether a version is one to be tried: 1.0.0-rc.1. */
export function isTrial(version) {
  return version.includes("-");
}

/** Below 0 where a version comes before another, above where after; as https://semver.org/#spec-item-11 orders them. */
export function compareVersions(a, b) {
  const [one, other] = [a, b].map(wordsOf);
  const byNumbers = compareWords(one.numbers, other.numbers);
  if (byNumbers !== 0) return byNumbers;
  // A version comes after those that it was tried by.
  if (one.trial.length === 0 || other.trial.length === 0) return other.trial.length - one.trial.length;
  return compareWords(one.trial, other.trial);
}

function wordsOf(version) {
  const [, numbers, trial] = /^([^-]*)-?(.*)$/.exec(version);
  return { numbers: numbers.split("."), trial: trial === "" ? [] : trial.split(".") };
}

function compareWords(one, other) {
  const differing = one.findIndex((word, index) => word !== other[index]);
  if (differing === -1) return one.length - other.length;
  const [a, b] = [one[differing], other[differing]];
  if (b === undefined) return 1;
  const [isNumber, isOtherNumber] = [a, b].map((word) => /^\d+$/.test(word));
  if (isNumber && isOtherNumber) return Number(a) - Number(b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a < b ? -1 : 1;
}

/** The file that `npm pack` makes of a package. */
export function packedName({ name, version }) {
  return `${name.replace(/^@/, "").replace("/", "-")}-${version}.tgz`;
}

/** What CHANGELOG.md says of a version (or of `Unreleased`), without its heading; throws where it has no such section. */
export function sectionOf(changelog, version) {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((one) => one.startsWith(`[${version}]`));
  if (section === undefined) throw new Error(`CHANGELOG.md: expected a section "## [${version}]".`);
  return section.slice(section.indexOf("\n") + 1).trim();
}

export async function readJson(path) {
  return JSON.parse(await readFile(path, "utf8"));
}

export async function writeJson(path, content) {
  await writeFile(path, `${JSON.stringify(content, null, 2)}\n`);
}

/** Runs a command, and prints what went wrong in one sentence. */
export async function attempt(command) {
  try {
    await command();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
