/**
 * Fills the marked places of the documents from what they quote: the sample report, the examples, the figures of the
 * benches. With --check it writes nothing and fails when a document is out of date.
 */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readResult, renderSummary } from "lbbench";
import { renderInstallBench, renderInstallSentence } from "../bench/install/render.mjs";
import { renderProxyBench } from "../bench/proxy/render.mjs";
import { renderReference } from "./render-reference.mjs";

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const SAMPLE_LEVELS = new Set(["50", "1,000"]);
const fence = (language, text) => `\n\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n\n`;

/** Of the summary's table the head, and the rows of a middle and of the highest level. */
async function sample() {
  const { result } = await readResult(path("reports/sample-sweep"));
  const [table = ""] = renderSummary(result).split("\n\n");
  const [head, ...rows] = table.split("\n");
  const shown = rows.filter((row) => SAMPLE_LEVELS.has(row.trim().split(/\s+/)[1]));
  return fence("text", [head, ...shown].join("\n"));
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

async function reportBench() {
  const { machine, targets, levels, trials, ms, growth } = JSON.parse(
    await readFile(path("bench/report/result.json"), "utf8"),
  );
  const rows = growth.map(({ steps, ms: time }) => `| ${steps} | ${time.median} | ${time.least} to ${time.most} |`);
  return `
Median **${ms.median} ms** (${ms.least} to ${ms.most}) for ${targets} targets x ${levels} levels x ${trials} trials, on ${machine.cores} cores of ${machine.cpu}, Node ${machine.node}.
In one process, in turn:

| steps | median, ms | from, to |
| ---: | ---: | ---: |
${rows.join("\n")}

`;
}

async function proxyBench() {
  return renderProxyBench(JSON.parse(await readFile(path("bench/proxy/result.json"), "utf8")));
}

/** What installing costs; as long as nobody has measured it, its places stay as they are. */
async function fillInstall() {
  const file = path("bench/install/result.json");
  if (!existsSync(file)) return [];
  const bench = JSON.parse(await readFile(file, "utf8"));
  return [
    ...(await fill("README.md", "install", renderInstallSentence(bench))),
    ...(await fill("bench/install/README.md", "result", renderInstallBench(bench))),
  ];
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
  ...(await fill("bench/report/README.md", "result", await reportBench())),
  ...(await fill("bench/proxy/README.md", "result", await proxyBench())),
  ...(await fillInstall()),
  ...(await fill("docs/library/reference.md", "exports", await renderReference(path(".")))),
];
if (process.argv.includes("--check") && changed.length > 0) {
  console.error(`Out of date: ${changed.join(", ")}. Run: npm run docs`);
  process.exitCode = 1;
}
