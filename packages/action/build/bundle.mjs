import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { BESIDE, ownModules } from "./own-modules.mjs";
import { renderLicences } from "./render-licences.mjs";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** What packages written for CommonJS expect to be there. */
const COMMON_JS = [
  'import { createRequire as createRequireOfBundle } from "node:module";',
  'import { dirname as dirnameOfBundle } from "node:path";',
  'import { fileURLToPath as fileURLToPathOfBundle } from "node:url";',
  "const require = createRequireOfBundle(import.meta.url);",
  "const __filename = fileURLToPathOfBundle(import.meta.url);",
  "const __dirname = dirnameOfBundle(__filename);",
].join("\n");

/** Folder of the bundle in the repository. */
export const BUNDLE_FOLDER = join(ROOT, "packages/action/bundle");

/**
 * Makes the bundle of the action from what is built: everything it needs in one file, with the few files that other programs
 * read beside it. The same on every machine with the same lockfile. Resolves with the contents by name.
 */
export async function bundle() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["packages/action/src/start.ts"],
    outfile: "packages/action/bundle/index.js",
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: { js: COMMON_JS },
    // Names stay, so that a small change is a small difference, and a stack trace can be read.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 200,
    charset: "utf8",
    legalComments: "none",
    // The way in which jiti can be bundled: its transformer is loaded when a config file is written in TypeScript.
    alias: { jiti: "jiti/static" },
    // Native code, which no bundle can hold. lbbench does without pictures and says so; nobody asks piscina for priorities.
    external: ["#chart-canvas", "@napi-rs/nice"],
    plugins: [ownModules(ROOT)],
    logLevel: "error",
  });
  const beside = [...BESIDE].map(async ([name, path]) => [name, await readFile(join(ROOT, path), "utf8")]);
  return new Map([
    ["index.js", outputFiles[0].text],
    ["LICENCES.txt", await renderLicences(Object.keys(metafile.inputs), ROOT)],
    ...(await Promise.all(beside)),
  ]);
}
