import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, release, type } from "node:os";
import { dirname, join } from "node:path";
import { PINNED } from "./processes.mjs";

/** What the bench ran on. */
export function describeMachine() {
  return {
    cpu: cpus()[0].model,
    cores: cpus().length,
    kernel: `${type()} ${release()}`,
    node: process.version,
    pinned: PINNED ?? false,
  };
}

/** Version of an installed program, as it tells it. */
export function programVersion(program) {
  if (program === "node") return process.versions.node;
  const { stdout, stderr } = spawnSync(program, ["-v"], { encoding: "utf8" });
  return /\d+\.\d+[.\d]*/.exec(`${stdout}${stderr}`)?.[0] ?? "unknown";
}

function packageVersion(name) {
  // Not every package lets its package.json be resolved, so it is looked for above the file that is.
  const fromOurs = createRequire(import.meta.resolve("@lbbench/proxy"));
  for (let folder = dirname(fromOurs.resolve(name)); ; folder = dirname(folder)) {
    try {
      const found = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      if (found.name === name) return found.version;
    } catch {
      if (folder === dirname(folder)) return "unknown";
    }
  }
}

function ourVersion() {
  const own = JSON.parse(readFileSync(new URL("../../packages/proxy/package.json", import.meta.url), "utf8"));
  return own.version;
}

/** Version of what a contender runs. */
export function contenderVersion({ native, ours, package: name }) {
  if (native) return programVersion(native);
  return ours ? ourVersion() : packageVersion(name);
}
