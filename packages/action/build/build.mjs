/**
 * Writes the bundle of the action from what is built: everything it needs, minified, with the few files that are read beside it. It is the
 * same on every machine with the same lockfile. With --check it only says whether the one that is committed is what would be written.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { renderLicences } from "./render-licences.mjs";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const FOLDER = join(ROOT, "packages/action/bundle");

/**
 * Modules that run as processes and threads of their own. Whoever starts one names it by its path from itself; in the bundle all files
 * lie in one folder, so that it is found beside whoever starts it, as long as no two of them have one name.
 */
const STARTED = [
  "packages/backends/dist/cluster-worker.js",
  "packages/backends/dist/pool-thread.js",
  "packages/lbbench/dist/doctor/responder-process.js",
  "packages/lbbench/dist/engines/generator-process.js",
  "packages/lbbench/dist/engines/ticker-thread.js",
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
const COMMON_JS =
  'import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);' +
  "const __filename = import.meta.filename;const __dirname = import.meta.dirname;";

/** What a package of ours reads of its own folder is elsewhere in the bundle: it says so in a module of its own, which is another here. */
const OWN_PACKAGES = {
  name: "own-package",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/own-package\.js$/ }, ({ resolveDir }) => {
      const [, owner] = /[\\/]packages[\\/](\w+)[\\/]dist\b/.exec(resolveDir);
      return { path: join(import.meta.dirname, "own-package", `${owner}.mjs`) };
    }),
};

/** The contents of the bundle by name; rejects where a module of ours names a file that is not in it. */
async function bundle() {
  const started = STARTED.map((path) => ({ in: path, out: basename(path, ".js") }));
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [{ in: "packages/action/src/main.ts", out: "index" }, ...started],
    outdir: FOLDER,
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
    },
    // Native code, which no bundle can hold. lbbench does without pictures and says so; nobody asks piscina for priorities.
    external: ["#chart-canvas", "@napi-rs/nice", "@lbbench/worker"],
    plugins: [OWN_PACKAGES],
    logLevel: "error",
  });
  const inputs = Object.keys(metafile.inputs);
  const files = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  files.set("LICENCES.txt", await renderLicences(inputs, ROOT));
  for (const path of COPIED) files.set(basename(path), await readFile(join(ROOT, path), "utf8"));
  for (const path of inputs.filter((input) => input.startsWith("packages/"))) {
    for (const [, ...named] of (await readFile(join(ROOT, path), "utf8")).matchAll(NAMED)) {
      const name = basename(named.find(Boolean));
      if (!files.has(name))
        throw new Error(`${path}: expected ${name} to be in the bundle. Add it in ${import.meta.filename}`);
    }
  }
  return files;
}

const files = await bundle();
if (process.argv[2] === "--check") {
  const present = await readdir(FOLDER);
  const stale = present.filter((name) => !files.has(name));
  for (const [name, text] of files) {
    if (!present.includes(name) || (await readFile(join(FOLDER, name), "utf8")) !== text) stale.push(name);
  }
  if (stale.length > 0) {
    process.stderr.write(
      `packages/action/bundle: expected what the sources make, but ${stale.join(", ")} differs. Run npm run build:action and commit it.\n`,
    );
    process.exitCode = 1;
  }
} else {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  for (const [name, text] of files) await writeFile(join(FOLDER, name), text);
}
