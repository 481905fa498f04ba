/**
 * Fills the marked places of the documents from what they quote: the sample report, the examples, the figures of the
 * benches. With --check it writes nothing and fails when a document is out of date.
 */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readResult, renderSummary } from "lbbench";
import { renderInstallBench, renderInstallSentence } from "../bench/install/render.mjs";
import { renderContenders } from "../bench/benches/proxy.mjs";
import { renderTable } from "../bench/table.mjs";
import { renderReference } from "./render-reference.mjs";
import { renderConfigSchema, renderSettings } from "./render-settings.mjs";

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const SAMPLE_LEVELS = new Set(["50", "1,000"]);
const fence = (language, text) => `\n\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n\n`;

/** Of the summary's table the head, and the rows of a middle and of the highest level. */
async function sample() {
  const { result } = await readResult(path("reports/sample-sweep"));
  const [table = ""] = renderSummary(result).split("\n\n");
  const [head, ...rows] = table.split("\n");
  const shown = rows.filter((row) => SAMPLE_LEVELS.has(row.trim().split(/\s{2,}/)[1]));
  return fence("text", [head, ...shown].join("\n"));
}

async function example(file) {
  return fence("js", await readFile(path(file), "utf8"));
}

const describeMachine = ({ date, version, machine: { cores, cpu, kernel, node } }) =>
  `Version ${version}, on ${cores} cores of ${cpu}, ${kernel}, Node ${node}, ${date}.`;

/** The rows of all benches that were measured, and on what; as long as none was, their place stays as it is. */
async function fillBenches() {
  const file = path("bench/result.json");
  if (!existsSync(file)) return [];
  const { proxy, ...others } = JSON.parse(await readFile(file, "utf8"));
  const measured = Object.values(others);
  const machines = measured.map(describeMachine);
  const table = renderTable(measured.flatMap(({ rows }) => rows));
  return [
    ...(await fill("bench/README.md", "result", `\n${[...new Set(machines)].join("\n")}\n\n${table}\n\n`)),
    ...(await fillProxy(proxy)),
  ];
}

/** The balancer beside others; as long as it was not measured, its place stays as it is. */
async function fillProxy(measured) {
  if (measured === undefined) return [];
  const { rows, rounds } = measured;
  const text = `${describeMachine(measured)} Medians of ${rounds.length} rounds.\n\n${renderTable(rows)}\n\n${renderContenders(rounds)}`;
  return fill("bench/proxy/README.md", "result", `\n${text}\n\n`);
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

/** The tables of `docs/config.md` and the schema for editors, from the table of settings. */
async function fillSettings() {
  const tables = [];
  for (const section of ["fields", "target", "request", "mix", "others"]) {
    tables.push(...(await fill("docs/config.md", section, `\n${renderSettings(section)}\n`)));
  }
  const schema = "packages/lbbench/config.schema.json";
  return [...new Set(tables), ...(await write(schema, renderConfigSchema()))];
}

async function fill(document, marker, text) {
  const before = await readFile(path(document), "utf8");
  const [open, close] = [`<!-- ${marker} -->\n`, `<!-- /${marker.split(" ")[0]} -->`];
  const from = before.indexOf(open);
  const to = before.indexOf(close, from);
  if (from === -1 || to === -1) throw new Error(`${document}: expected the markers "${open.trim()}" and "${close}"`);
  return write(document, before.slice(0, from + open.length) + text + before.slice(to));
}

async function write(document, text) {
  const file = path(document);
  if (existsSync(file) && (await readFile(file, "utf8")) === text) return [];
  if (!process.argv.includes("--check")) await writeFile(file, text);
  return [document];
}

const changed = [
  ...(await fill("README.md", "sample", await sample())),
  ...(await fill("README.md", "example examples/library/sweep.mjs", await example("examples/library/sweep.mjs"))),
  ...(await fillBenches()),
  ...(await fillInstall()),
  ...(await fillSettings()),
  ...(await fill("docs/library/reference.md", "exports", await renderReference(path(".")))),
];
if (process.argv.includes("--check") && changed.length > 0) {
  console.error(`Out of date: ${changed.join(", ")}. Run: npm run docs`);
  process.exitCode = 1;
}
