/**
 * What installing lbbench brings along: its packages, packed as they would be published, in an empty folder by npm alone; with and
 * without optional dependencies. Writes install.json beside this file.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "lbbench-install-"));
const npm = (cwd, ...args) => execFileSync("npm", args, { cwd, encoding: "utf8" });

/** Packages that are there after an installation with these flags, and the sum of the sizes of all files. */
function install(name, tarballs, ...flags) {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  npm(folder, "install", "--no-audit", "--no-fund", ...flags, ...tarballs);
  const modules = join(folder, "node_modules");
  const { packages } = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8"));
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const sizes = files.map((entry) => statSync(join(entry.parentPath, entry.name)).size);
  return { packages: Object.keys(packages).length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

try {
  const tarballs = ["wire", "proxy", "backends", "lbbench"].map((name) => {
    const folder = join(import.meta.dirname, "../packages", name);
    const [{ filename }] = Object.values(JSON.parse(npm(folder, "pack", "--json", "--pack-destination", root)));
    return join(root, filename);
  });
  const result = { all: install("all", tarballs), sparing: install("sparing", tarballs, "--omit=optional") };
  writeFileSync(join(import.meta.dirname, "install.json"), `${JSON.stringify(result, null, 2)}\n`);
} finally {
  rmSync(root, { recursive: true });
}
