/**
 * What installing lbbench costs: the three packages, packed as they would be published, into an empty folder by npm alone; with and without
 * optional dependencies, with an empty and with a filled npm cache, in turn. Writes result.json beside this file.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const RUNS = 3;
const PACKAGES = ["proxy", "backends", "lbbench"];
const VARIANTS = [
  { name: "all", flags: [] },
  { name: "without optional parts", flags: ["--omit=optional"] },
];

const run = promisify(execFile);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

async function pack(name, into) {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", into], {
    cwd: here(`../../packages/${name}`),
  });
  const [{ filename, size }] = Object.values(JSON.parse(stdout));
  return { name, path: join(into, filename), bytes: size };
}

/** Installs into a new folder; resolves with what is there then, and how long it took, in seconds. */
async function install(root, cache, tarballs, flags) {
  const folder = await mkdtemp(join(root, "user-"));
  await writeFile(join(folder, "package.json"), '{ "private": true }\n');
  const startMs = performance.now();
  await run("npm", ["install", "--no-audit", "--no-fund", "--cache", cache, ...flags, ...tarballs], { cwd: folder });
  const seconds = (performance.now() - startMs) / 1000;
  const { packages } = JSON.parse(await readFile(join(folder, "node_modules/.package-lock.json"), "utf8"));
  const bytes = await sizeOf(join(folder, "node_modules"));
  await rm(folder, { recursive: true });
  return { seconds, bytes, packages: Object.keys(packages).length };
}

/** Sum of the sizes of all files below a folder. */
async function sizeOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const round = (value) => Math.round(value * 10) / 10;
  return { median: round(sorted[Math.floor(sorted.length / 2)]), least: round(sorted[0]), most: round(sorted.at(-1)) };
}

async function measure(root) {
  const packed = [];
  for (const name of PACKAGES) packed.push(await pack(name, root));
  const tarballs = packed.map(({ path }) => path);
  const figures = new Map(VARIANTS.map(({ name }) => [name, { cold: [], warm: [] }]));
  for (let index = 0; index < RUNS; index += 1) {
    for (const { name, flags } of index % 2 === 0 ? VARIANTS : VARIANTS.toReversed()) {
      const cache = join(root, "cache");
      await mkdir(cache);
      const figure = figures.get(name);
      figure.cold.push(await install(root, cache, tarballs, flags));
      figure.warm.push(await install(root, cache, tarballs, flags));
      await rm(cache, { recursive: true });
    }
  }
  const variants = [...figures].map(([name, { cold, warm }]) => ({
    name,
    packages: cold[0].packages,
    bytes: cold[0].bytes,
    coldSeconds: spread(cold.map(({ seconds }) => seconds)),
    warmSeconds: spread(warm.map(({ seconds }) => seconds)),
  }));
  return { runs: RUNS, tarballs: packed.map(({ name, bytes }) => ({ name, bytes })), variants };
}

const root = await mkdtemp(join(tmpdir(), "lbbench-install-"));
try {
  const npm = (await run("npm", ["--version"])).stdout.trim();
  const machine = { cpu: cpus()[0]?.model ?? "", cores: cpus().length, node: process.version, npm };
  const platform = `${process.platform}-${process.arch}`;
  const result = { ...(await measure(root)), machine: { ...machine, platform } };
  console.log(JSON.stringify(result, null, 2));
  await writeFile(here("result.json"), `${JSON.stringify(result, null, 2)}\n`);
} finally {
  await rm(root, { recursive: true, force: true });
}
