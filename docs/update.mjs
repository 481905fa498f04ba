/**
 * Fills the marked places of the documents from what they quote: the sample report, the examples, the tables of settings and of findings, the
 * figures of the benches. Kept reports say what lbbench says of their results today. With --check it writes nothing and fails when a document is out of date;
 * with --but-kept it leaves the kept reports out, which take longest.
 */
import { existsSync, readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readResult, renderReport, renderSummary } from "lbbench";
import { parse } from "yaml";
import { ENGINES } from "../packages/lbbench/dist/config/settings.js";
import { judgeResult } from "../packages/lbbench/dist/judge/judge-result.js";
import { judgeStep } from "../packages/lbbench/dist/judge/judge-step.js";
import { createReportModel } from "../packages/lbbench/dist/report/report-model.js";
import { commandForRest, commandLine, renderIndex, shorten } from "../examples/reports.mjs";
import { renderAlarms, sayAlarms } from "../bench/alarms/tally.mjs";
import { readRounds } from "../bench/benches/alarms.mjs";
import { renderContenders } from "../bench/benches/proxy.mjs";
import { renderNoise } from "../bench/noise-parts.mjs";
import { renderTable } from "../bench/table.mjs";
import { renderFindings } from "./render-findings.mjs";
import {
  markdownTable,
  renderActionInputs,
  renderConfigSchema,
  renderInputType,
  renderSettings,
} from "./render-settings.mjs";

const isCheck = process.argv.includes("--check");
const changed = new Set();
const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const read = (relative) => readFile(path(relative), "utf8");
const fence = (language, text) => `\n\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n\n`;

async function write(document, text) {
  if ((await read(document)) === text) return;
  changed.add(document);
  if (!isCheck) await writeFile(path(document), text);
}

/** Puts a text between the markers of a place: comments with its name, in YAML as in Markdown. */
async function fill(document, place, text) {
  const before = await read(document);
  const comment = document.endsWith(".yml") ? (words) => `# ${words}` : (words) => `<!-- ${words} -->`;
  const [open, close] = [`${comment(place)}\n`, comment(`/${place.split(" ")[0]}`)];
  const from = before.indexOf(open);
  const to = before.indexOf(close, from);
  if (from === -1 || to === -1) throw new Error(`${document}: expected the markers "${open.trim()}" and "${close}"`);
  await write(document, before.slice(0, from + open.length) + text + before.slice(to));
}

/** Of the summary the first screen, and of its table the head, and the rows of the highest level. */
async function sample() {
  const { result } = await readResult(path("reports/sample-sweep"));
  const [screen, table] = renderSummary(result).split("\n\n", 2);
  const [head, ...rows] = table.split("\n");
  const shown = rows.filter((row) => row.trim().split(/\s{2,}/)[1] === "1,000");
  return fence("text", [screen, "", head, ...shown].join("\n"));
}

/** What was noticed while a step was run, which its figures do not show. */
const NOTICED = new Set(["START_REPEATED", "STEP_REPEATED", "TLS_NOT_VERIFIED"]);

/** The texts of a report, with their formats. */
const TEXTS = { "report.md": "md", "ab.md": "ab", "report.html": "html" };

/** Judges a kept result and its steps anew. Returns the texts of its report by name, all of whose pictures are taken to be there. */
async function renderTexts(folder) {
  const { result: kept } = await readResult(path(folder));
  const { scenario, environment } = kept;
  const judged = kept.steps.map((step) => {
    const noticed = step.findings.filter(({ code }) => NOTICED.has(code));
    return { ...step, findings: [...judgeStep(step, scenario, environment), ...noticed] };
  });
  const result = { ...kept, steps: judged, verdict: judgeResult({ ...kept, steps: judged }) };
  const file = `${folder}/result.json`;
  const text = await read(file);
  const isSmall = text.split("\n", 2)[1] === "";
  const stored = JSON.parse(text);
  const steps = stored.steps.map((step, index) => ({ ...step, findings: judged[index].findings }));
  await write(file, `${JSON.stringify({ ...stored, steps, verdict: result.verdict }, null, isSmall ? 0 : 2)}\n`);
  const present = createReportModel(result).charts.map(({ id }) => `${id}.png`);
  const formats = Object.entries(TEXTS).flatMap(([name, format]) =>
    existsSync(path(`${folder}/${name}`)) ? format : [],
  );
  const { files } = await renderReport(result, formats, { present });
  return Object.fromEntries(files.filter(({ name }) => name in TEXTS).map(({ name, content }) => [name, content]));
}

/** Judges and renders kept reports anew, and what is quoted of them; their pictures stay as they were drawn. */
async function renderKept() {
  for (const [name, text] of Object.entries(await renderTexts("reports/sample-sweep")))
    await write(`reports/sample-sweep/${name}`, text);
  for (const name of readdirSync(path("reports")).filter((one) => existsSync(path(`reports/${one}/README.md`)))) {
    const out = `reports/${name}`;
    const { title, runs } = JSON.parse(await read(`examples/${name}/example.json`));
    for (const { folder } of runs.filter((run) => run.folder !== undefined)) {
      const report = `${out}/${folder}`;
      const { texts } = shorten(await renderTexts(report), commandForRest(report));
      for (const [file, text] of Object.entries(texts)) await write(`${report}/${file}`, text);
    }
    const [, command] = /^Made by `(.*)`;/m.exec(await read(`${out}/README.md`));
    const size = command.includes("--full") ? "full" : "default";
    const made = runs.map((run) => ({ ...run, line: commandLine(run, size, out) }));
    await write(`${out}/README.md`, renderIndex({ title, command, runs: made, out: path(out) }));
  }
}

function describeMachine({ date, version, machine: { cores, cpu, kernel, node } }) {
  return `Version ${version}, on ${cores} cores of ${cpu}, ${kernel}, Node ${node}, ${date}.`;
}

async function fillBenches() {
  const { proxy, noise, "noise-neighbour": besideNeighbour, ...others } = JSON.parse(await read("bench/result.json"));
  const measured = Object.values(others);
  const machines = [...new Set(measured.map(describeMachine))].join("\n");
  const table = renderTable(measured.flatMap(({ rows }) => rows));
  await fill("bench/README.md", "result", `\n${machines}\n\n${table}\n\n`);
  await fill("bench/README.md", "alarms", `\n${renderAlarms(await readRounds())}\n\n`);
  const tables = [noise, besideNeighbour].flatMap((measured, index) =>
    measured === undefined
      ? []
      : `${index === 0 ? "" : "Beside a neighbour. "}${describeMachine(measured)}\n\n${renderNoise(measured.parts)}\n\n`,
  );
  await fill("bench/README.md", "noise", `\n${tables.join("")}`);
  const { rows, contenders } = proxy;
  await fill(
    "bench/proxy/README.md",
    "result",
    `\n${describeMachine(proxy)}\n\n${renderTable(rows)}\n\nMedians:\n\n${renderContenders(contenders)}\n\n`,
  );
  const { all, sparing } = JSON.parse(await read("bench/install.json"));
  const megabytes = ({ bytes }) => `${Math.round(bytes / 1e6)} MB`;
  const size = `brings ${all.packages} packages, ${megabytes(all)}; without what draws pictures (\`--omit=optional\`) it is ${megabytes(sparing)}.`;
  await fill("README.md", "install", `\n\`npm install lbbench\` ${size}\n`);
}

async function fillAction() {
  await fill("action.yml", "settings", `${renderActionInputs()}  `);
  const { inputs, outputs } = parse(await read("action.yml"));
  const rowsOf = (described) =>
    Object.entries(described).map(([name, { description, default: usual }]) => [
      `\`${name}\``,
      description,
      ...(described === outputs ? [] : [usual === undefined ? "" : `\`${usual}\``]),
    ]);
  const table = (head, rows) => `\n${markdownTable(head, rows)}\n`;
  await fill("docs/github-action.md", "inputs", table(["input", "meaning", "default"], rowsOf(inputs)));
  await fill("docs/github-action.md", "outputs", table(["output", "meaning"], rowsOf(outputs)));
}

if (!process.argv.includes("--but-kept")) await renderKept();
await fill("README.md", "sample", await sample());
await fill("README.md", "alarms", `  ${sayAlarms(await readRounds())}\n  `);
await fill("README.md", "example examples/library/sweep.mjs", fence("js", await read("examples/library/sweep.mjs")));
await fillBenches();
for (const section of ["fields", "target", "request", "mix", "fault", "others"]) {
  await fill("docs/config.md", section, `\n${renderSettings(section)}\n`);
}
await fill("docs/policies.md", "policies", `\n${renderSettings("policies")}\n`);
await write("packages/lbbench/config.schema.json", renderConfigSchema());
await write("packages/lbbench/src/config/sweep-input.ts", await renderInputType());
const engines = ENGINES.map(([name, when]) => [`\`${name}\``, when]);
await fill("docs/engines.md", "engines", `\n${markdownTable(["engine", "when to take it"], engines)}\n`);
await fill("docs/findings.md", "findings", `\n${renderFindings()}\n`);
await fillAction();
if (isCheck && changed.size > 0) {
  console.error(`Out of date: ${[...changed].join(", ")}. Run: npm run docs`);
  process.exitCode = 1;
}
