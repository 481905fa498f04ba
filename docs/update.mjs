/**
 * Fills the marked places of the documents from what they quote: the sample report, the examples, the figures of the
 * benches. With --check it writes nothing and fails when a document is out of date.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readResult, renderSummary } from "lbbench";
import { renderProxyBench } from "../bench/proxy/render.mjs";

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const fence = (language, text) => `\n\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n\n`;

async function sample() {
  const { result } = await readResult(path("reports/sample-sweep"));
  return fence("text", renderSummary(result));
}

async function example(file) {
  return fence("js", await readFile(path(file), "utf8"));
}

async function engineBench() {
  const { machine, connections, seconds, pairs, ratio } = JSON.parse(
    await readFile(path("bench/engine/result.json"), "utf8"),
  );
  const rows = pairs.map(
    (pair, index) => `| ${index + 1} | ${pair.autocannon} | ${pair.lbbench} | ${pair.ratio.toFixed(3)} |`,
  );
  return `
Median ratio **${ratio.median.toFixed(3)}** (${ratio.low.toFixed(3)} to ${ratio.high.toFixed(3)}), ${connections} connections, ${seconds} s each, on
${machine.cores} cores of ${machine.cpu}, Node ${machine.node}:

| pair | autocannon, requests/s | lbbench, requests/s | ratio |
| ---: | ---: | ---: | ---: |
${rows.join("\n")}

`;
}

async function proxyBench() {
  return renderProxyBench(JSON.parse(await readFile(path("bench/proxy/result.json"), "utf8")));
}

async function fill(document, marker, text) {
  const file = path(document);
  const before = await readFile(file, "utf8");
  const [open, close] = [`<!-- ${marker} -->\n`, `<!-- /${marker.split(" ")[0]} -->`];
  const from = before.indexOf(open);
  const to = before.indexOf(close, from);
  if (from === -1 || to === -1) throw new Error(`${document}: expected the markers "${open.trim()}" and "${close}"`);
  const after = before.slice(0, from + open.length) + text + before.slice(to);
  if (after === before) return [];
  if (!process.argv.includes("--check")) await writeFile(file, after);
  return [document];
}

const changed = [
  ...(await fill("README.md", "sample", await sample())),
  ...(await fill("README.md", "example examples/library/sweep.mjs", await example("examples/library/sweep.mjs"))),
  ...(await fill("bench/engine/README.md", "result", await engineBench())),
  ...(await fill("bench/proxy/README.md", "result", await proxyBench())),
];
if (process.argv.includes("--check") && changed.length > 0) {
  console.error(`Out of date: ${changed.join(", ")}. Run: npm run docs`);
  process.exitCode = 1;
}
