// Bundles the script and the style of the HTML report into one module of two texts, which the reporter puts into the page.
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const { outputFiles } = await build({
  entryPoints: { script: at("report-page.ts"), style: at("report-page.css") },
  outdir: at("../dist/page"),
  bundle: true,
  write: false,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "eof",
  logLevel: "warning",
});
const textOf = (end) => outputFiles.find(({ path }) => path.endsWith(end)).text.trim();
const hashOf = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;
const texts = { SCRIPT: textOf(".js"), STYLE: textOf(".css") };
for (const [name, text] of Object.entries(texts)) {
  // What would end its element inside the page.
  if (/<\/(?:script|style)/i.test(text)) throw new Error(`The page's ${name} contains a closing tag; split that text.`);
}
await mkdir(at("../dist/page"), { recursive: true });
await writeFile(
  at("../dist/page/report-page.js"),
  Object.entries(texts)
    .flatMap(([name, text]) => [
      `export const ${name} = ${JSON.stringify(text)};\n`,
      `export const ${name}_HASH = ${JSON.stringify(hashOf(text))};\n`,
    ])
    .join(""),
);
