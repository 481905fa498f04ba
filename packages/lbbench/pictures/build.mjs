/**
 * Bundles chart.js and chartjs-node-canvas into one module of the build, with the font beside it. Installed as a dependency, the latter would
 * bring `canvas`, whose install script downloads or compiles; bundled, it takes the canvas that find-canvas.cjs finds.
 */
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const require = createRequire(import.meta.url);
const out = at("../dist/pictures");

const ownCanvas = {
  name: "own-canvas",
  setup: ({ onResolve }) => onResolve({ filter: /\/freshRequire$/ }, () => ({ path: at("fresh-require.cjs") })),
};
await mkdir(out, { recursive: true });
const { metafile } = await build({
  entryPoints: [at("chart-canvas.cjs")],
  outfile: join(out, "chart-canvas.cjs"),
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  minify: true,
  charset: "utf8",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
  plugins: [ownCanvas],
});
if (!Object.keys(metafile.inputs).some((path) => path.endsWith("fresh-require.cjs"))) {
  throw new Error("chartjs-node-canvas no longer loads `canvas` by freshRequire; find out how, and stand for that.");
}

const font = dirname(require.resolve("@expo-google-fonts/inter/package.json"));
await copyFile(join(font, "400Regular/Inter_400Regular.ttf"), join(out, "Inter_400Regular.ttf"));
await copyFile(join(font, "700Bold/Inter_700Bold.ttf"), join(out, "Inter_700Bold.ttf"));
await writeFile(join(out, "LICENSES.txt"), await licences(metafile));

/** Licences of what is in this folder but not ours, each after the name of its package. */
async function licences({ inputs }) {
  const folders = Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const texts = [...new Set(folders)]
    .toSorted()
    .map(async (folder) => `${folder.split("node_modules/").at(-1)}\n\n${await licenceOf(resolve(folder))}`);
  texts.push(readFile(join(font, "LICENSE_FONT"), "utf8").then((text) => `Inter (*.ttf)\n\n${text}`));
  return (await Promise.all(texts)).map((text) => `${text.trimEnd()}\n`).join(`\n${"=".repeat(80)}\n\n`);
}

async function licenceOf(folder) {
  for (const name of ["LICENSE", "LICENSE.md", "LICENSE.txt"]) {
    const text = await readFile(join(folder, name), "utf8").catch(() => undefined);
    if (text !== undefined) return text;
  }
  throw new Error(`${folder}: expected a licence`);
}
