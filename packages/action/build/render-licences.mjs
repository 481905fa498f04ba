import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LICENCE = /^(?:licen[cs]e|copying|notice)/i;

/** Texts of packages that are published without: of their repositories, or of their README. */
const BY_HAND = new Map([
  // The repository at v0.19.23, licence and notice.
  ["@assemblyscript/loader 0.19.23", "assemblyscript-loader.txt"],
  ["imurmurhash 0.1.4", "imurmurhash.txt"],
]);

/**
 * Returns the licences of all packages that files are of, by name. Rejects for a package of which no text is known.
 *
 * @param files paths from `root`.
 */
export async function renderLicences(files, root) {
  const folders = new Set(files.flatMap((file) => PACKAGE.exec(file) ?? []));
  const texts = await Promise.all([...folders].map((folder) => describePackage(join(root, folder))));
  const sorted = [...new Set(texts)].toSorted((a, b) => (a < b ? -1 : 1));
  return `The bundle contains the following packages, each under its own licence.\n\n${sorted.join("\n")}`;
}

async function describePackage(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const byHand = BY_HAND.get(`${name} ${version}`);
  const own = (await readdir(folder)).filter((file) => LICENCE.test(file)).toSorted();
  const paths = own.map((file) => join(folder, file));
  if (own.length === 0 && byHand !== undefined) paths.push(join(import.meta.dirname, "licences", byHand));
  const texts = await Promise.all(paths.map((path) => readFile(path, "utf8")));
  if (texts.join("").trim() === "") {
    throw new Error(
      `expected ${folder} to have a file with its licence (${license}). Put its text into licences, and name it in ${import.meta.filename}`,
    );
  }
  const title = `${name} ${version} (${license})`;
  const shown = texts.map((text) => `${text.replaceAll("\r\n", "\n").trim()}\n`);
  return [title, "=".repeat(title.length), "", ...shown].join("\n");
}
