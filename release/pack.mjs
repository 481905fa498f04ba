/**
 * Packs what is built, as it is to be published, into a folder: `node release/pack.mjs FOLDER`. The address of the repository, which
 * the packages get on the way, is that of GITHUB_REPOSITORY: npm compares it with where the provenance says that they were built.
 */
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { attempt, packedName, publishedInOrder, readManifests, writeJson } from "./packages.mjs";

await attempt(async () => {
  const [out] = process.argv.slice(2);
  if (out === undefined) throw new Error("Expected the folder to pack into: node release/pack.mjs FOLDER");
  const address = addressOf(process.env);
  await mkdir(out, { recursive: true });
  // The packages of the repository stay as they are: a copy gets the address.
  const copy = await mkdtemp(join(tmpdir(), "lbbench-pack-"));
  try {
    await cp("CHANGELOG.md", join(copy, "CHANGELOG.md"));
    for (const { folder, manifest } of publishedInOrder(await readManifests())) {
      await cp(folder, join(copy, folder), { recursive: true, filter: (path) => basename(path) !== "node_modules" });
      await writeJson(join(copy, folder, "package.json"), withAddress(manifest, folder, address));
      pack(join(copy, folder), resolve(out), packedName(manifest));
    }
  } finally {
    await rm(copy, { recursive: true });
  }
});

function pack(folder, out, name) {
  const { status } = spawnSync("npm", ["pack", "--pack-destination", out], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error(`${name} could not be packed: npm ended with ${status}.`);
  console.log(join(out, name));
}

function addressOf({ GITHUB_SERVER_URL = "https://github.com", GITHUB_REPOSITORY = "" }) {
  if (!/^[\w.-]+\/[\w.-]+$/.test(GITHUB_REPOSITORY)) {
    throw new Error(`GITHUB_REPOSITORY: expected OWNER/NAME, got "${GITHUB_REPOSITORY}".`);
  }
  return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
}

function withAddress(manifest, folder, address) {
  return {
    ...manifest,
    homepage: `${address}#readme`,
    bugs: `${address}/issues`,
    repository: { type: "git", url: `git+${address}.git`, directory: folder },
  };
}
