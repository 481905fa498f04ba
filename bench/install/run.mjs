/**
 * What installing lbbench costs: the three packages, packed as they would be published, into an empty folder by npm alone with an empty
 * cache; with and without optional dependencies, in turn. Writes result.json beside this file.
 */
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { execFile } from "node:child_process";
import { makeFolder, timeOf, toJson } from "../rounds.mjs";
import { summarize } from "../table.mjs";

const RUNS = 3;
const VARIANTS = { all: [], "without optional parts": ["--omit=optional"] };

const npm = async (cwd, ...args) => (await promisify(execFile)("npm", args, { cwd })).stdout;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

async function pack(name, into) {
  const printed = await npm(here(`../../packages/${name}`), "pack", "--json", "--pack-destination", into);
  const [{ filename, size }] = Object.values(JSON.parse(printed));
  return { name, path: join(into, filename), bytes: size };
}

/** Installs into a new folder with an empty cache; resolves with what is there then, and how long it took. */
async function install(root, flags) {
  const folder = join(root, "user");
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), '{ "private": true }\n');
  const ms = await timeOf(() =>
    npm(folder, "install", "--no-audit", "--no-fund", "--cache", join(folder, "cache"), ...flags),
  );
  const modules = join(folder, "node_modules");
  const { packages } = JSON.parse(await readFile(join(modules, ".package-lock.json"), "utf8"));
  const entries = await readdir(modules, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => stat(join(entry.parentPath, entry.name)));
  const bytes = (await Promise.all(files)).reduce((sum, { size }) => sum + size, 0);
  await rm(folder, { recursive: true });
  return { seconds: ms / 1000, bytes, packages: Object.keys(packages).length };
}

const endings = [];
const root = await makeFolder((end) => endings.push(end));
try {
  const packed = [];
  for (const name of ["proxy", "backends", "lbbench"]) packed.push(await pack(name, root));
  const tarballs = packed.map(({ path }) => path);
  const installed = Object.entries(VARIANTS).map(([name, flags]) => ({ name, flags, runs: [] }));
  for (let index = 0; index < RUNS; index += 1) {
    for (const { flags, runs } of index % 2 === 0 ? installed : installed.toReversed()) {
      runs.push(await install(root, [...flags, ...tarballs]));
    }
  }
  const machine = {
    cpu: cpus()[0]?.model ?? "",
    cores: cpus().length,
    platform: `${process.platform}-${process.arch}`,
    node: process.version,
    npm: (await npm(root, "--version")).trim(),
  };
  const result = {
    runs: RUNS,
    tarballs: packed.map(({ name, bytes }) => ({ name, bytes })),
    variants: installed.map(({ name, runs }) => ({
      name,
      packages: runs[0].packages,
      bytes: runs[0].bytes,
      seconds: summarize(runs.map(({ seconds }) => seconds)),
    })),
    machine,
  };
  await writeFile(here("result.json"), `${toJson(result, 2)}\n`);
} finally {
  for (const end of endings) await end();
}
