/**
 * Publishes what release/pack.mjs has packed, in order of dependence: `node release/publish.mjs FOLDER`. What is there in this
 * version is left out, so that it can be run again. `--without-provenance` is for publishing by hand, because only a CI can vouch for
 * where something was built; `--dry-run` publishes nothing.
 */
import { spawnSync } from "node:child_process";
import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { attempt, compareVersions, isTrial, packedName, publishedInOrder, readManifests } from "./packages.mjs";

// The first that publishes for whom a workflow vouches, without a token.
const OLDEST_NPM = [11, 5, 1];
const FLAGS = ["--dry-run", "--without-provenance"];

await attempt(async () => {
  const [folder, ...flags] = process.argv.slice(2);
  if (folder === undefined || folder.startsWith("-") || flags.some((flag) => !FLAGS.includes(flag))) {
    throw new Error(
      `Expected the folder of release/pack.mjs: node release/publish.mjs FOLDER ${FLAGS.map((flag) => `[${flag}]`).join(" ")}`,
    );
  }
  checkNpm(npm(["--version"]).stdout.trim());
  const packages = publishedInOrder(await readManifests()).map(({ manifest }) => ({
    ...manifest,
    file: resolve(join(folder, packedName(manifest))),
  }));
  for (const { file } of packages) await access(file);
  for (const { name, version, file } of packages) {
    const others = versionsPublished(name);
    if (others.includes(version)) {
      console.log(`${name}@${version} is published already.`);
      continue;
    }
    const how = ["--access", "public", "--tag", tagFor(version, others), ...lastFlags(flags)];
    const { status } = npm(["publish", file, ...how], "inherit");
    if (status !== 0) throw new Error(`${name}@${version} could not be published: npm ended with ${status}.`);
  }
});

function lastFlags(flags) {
  if (flags.includes("--dry-run")) return ["--dry-run"];
  return flags.includes("--without-provenance") ? [] : ["--provenance"];
}

/**
 * What everybody gets must not become older, and not one to be tried: npm's tag `latest` or `next` goes to the highest of its kind, and
 * what mends an older line gets a tag of that, `release-0.1`.
 */
function tagFor(version, others) {
  const isHighest = others.every((one) => isTrial(one) !== isTrial(version) || compareVersions(one, version) < 0);
  if (isHighest) return isTrial(version) ? "next" : "latest";
  const [major, minor] = version.split(".");
  return `release-${major}.${minor}${isTrial(version) ? "-next" : ""}`;
}

/** Every version of a package that the registry has; none where it does not know the package. */
function versionsPublished(name) {
  const { status, stdout } = npm(["view", name, "versions", "--json"]);
  const answer = stdout.trim() === "" ? [] : JSON.parse(stdout);
  if (status === 0) return [answer].flat();
  if (answer.error?.code === "E404") return [];
  throw new Error(`${name}: expected npm to tell which versions are published, but it ended with ${status}: ${stdout}`);
}

function npm(args, stdio = ["ignore", "pipe", "ignore"]) {
  return spawnSync("npm", args, { stdio, encoding: "utf8" });
}

function checkNpm(version) {
  const found = version.split(".").map(Number);
  const differing = OLDEST_NPM.findIndex((part, index) => part !== found[index]);
  if (differing !== -1 && found[differing] < OLDEST_NPM[differing]) {
    throw new Error(
      `Expected npm ${OLDEST_NPM.join(".")} or later, which publishes without a token; found ${version}.`,
    );
  }
}
