import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { renderLicences } from "./render-licences.mjs";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const HERE = import.meta.dirname;

/** The action itself. */
const ACTION = { in: "packages/action/src/main.ts", out: "index" };

/**
 * Modules that run as processes and threads of their own. Whoever starts one names it by its path from itself; in the bundle all files
 * lie in one folder, so that it is found beside whoever starts it, as long as no two of them have one name.
 */
const STARTED = [
  "packages/backends/dist/cluster-worker.js",
  "packages/backends/dist/pool-thread.js",
  "packages/lbbench/dist/doctor/responder-process.js",
  "packages/lbbench/dist/engines/generator-process.js",
  "packages/lbbench/dist/engines/undici/ticker-thread.js",
  "packages/lbbench/dist/servers/backend-process.js",
  "packages/lbbench/dist/servers/balancer-process.js",
  "packages/lbbench/dist/system/supervisor-process.js",
  "packages/proxy/dist/workers/worker-process.js",
  // What piscina starts its threads with, which import one of ours.
  "node_modules/piscina/dist/worker.js",
];

/** Files that are read as they are. */
const COPIED = ["packages/lbbench/dist/system/preload.cjs", "packages/backends/proto/work.proto"];

/** How a module of ours names a file that it starts or reads. */
const NAMED =
  /import\.meta\.url, "(\.[^"]+)"|"(\.[^"]+)", import\.meta\.url|createRequire\(import\.meta\.url\)\("(\.[^"]+)"/g;

/** What packages written for CommonJS expect to be there. */
const COMMON_JS = [
  'import { createRequire as createRequireOfBundle } from "node:module";',
  'import { dirname as dirnameOfBundle } from "node:path";',
  'import { fileURLToPath as fileURLToPathOfBundle } from "node:url";',
  "const require = createRequireOfBundle(import.meta.url);",
  "const __filename = fileURLToPathOfBundle(import.meta.url);",
  "const __dirname = dirnameOfBundle(__filename);",
].join("");

/** Folder of the bundle in the repository. */
export const BUNDLE_FOLDER = join(ROOT, "packages/action/bundle");

/**
 * Makes the bundle of the action from what is built: everything it needs, minified, with the few files that are read beside it. The same
 * on every machine with the same lockfile. Resolves with the contents by name; rejects where a module of ours names a file that is not in it.
 */
export async function bundle() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [ACTION, ...STARTED.map((path) => ({ in: path, out: basename(path, ".js") }))],
    outdir: BUNDLE_FOLDER,
    bundle: true,
    splitting: true,
    chunkNames: "part-[hash]",
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: { js: COMMON_JS },
    minify: true,
    lineLimit: 2000,
    charset: "utf8",
    legalComments: "none",
    alias: {
      // The way in which it can be bundled: its transformer is loaded when a config file is written in TypeScript.
      jiti: "jiti/static",
      // That of lbbench for all, though npm may install it several times, and an older one for what the action does not do.
      undici: createRequire(join(ROOT, "packages/lbbench/package.json")).resolve("undici"),
    },
    // Native code, which no bundle can hold. lbbench does without pictures and says so; nobody asks piscina for priorities.
    external: ["#chart-canvas", "@napi-rs/nice"],
    plugins: [{ name: "own-package", setup: replaceOwnPackages }],
    logLevel: "error",
  });
  const texts = outputFiles.map(({ path, text }) => [basename(path), text]);
  const copied = COPIED.map(async (path) => [basename(path), await readFile(join(ROOT, path), "utf8")]);
  const inputs = Object.keys(metafile.inputs);
  const files = new Map([
    ...texts,
    ["LICENCES.txt", await renderLicences(inputs, ROOT)],
    ...(await Promise.all(copied)),
  ]);
  await checkNames(inputs, files);
  return files;
}

/** What a package of ours reads of its own folder is elsewhere in the bundle: it says so in a module of its own, which is another here. */
function replaceOwnPackages({ onResolve }) {
  onResolve({ filter: /\/own-package\.js$/ }, ({ resolveDir }) => {
    const [, owner] = /[\\/]packages[\\/](\w+)[\\/]dist\b/.exec(resolveDir);
    return { path: join(HERE, "own-package", `${owner}.mjs`) };
  });
}

/** Rejects where a module of ours names a file that is not in the bundle. */
async function checkNames(inputs, files) {
  const ours = inputs.filter((path) => path.startsWith("packages/"));
  for (const path of ours) {
    for (const [, first, second, third] of (await readFile(join(ROOT, path), "utf8")).matchAll(NAMED)) {
      const name = basename(first ?? second ?? third);
      if (!files.has(name))
        throw new Error(`${path}: expected ${name} to be in the bundle. Add it in ${import.meta.filename}`);
    }
  }
}
