/** What an example leaves: the reports of its runs, made small where that is asked for, and the README that links to them. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const REPORTS = ["report.html", "report.md", "ab.md", "ab.txt", "result.json"];
/** How many pictures a small report keeps. */
const PICTURES = 2;
const PICTURE = /^!\[(.*)\]\(([\w-]+\.png)\)$/gm;

/** The words after `lbbench` of a run: its own, those of the size asked for, and the folder of its report below `out`. */
export function commandLine(run, size, out) {
  const folder = run.folder === undefined ? [] : [`--out ${join("{out}", run.folder)}`];
  return [run.lbbench, ...(run[size] === undefined ? [] : [run[size]]), ...folder]
    .join(" ")
    .replaceAll(/\{out\}(\S*)/g, (_, rest) => quote(`${out}${rest}`));
}

function quote(path) {
  return /^[\w./-]+$/.test(path) ? path : `"${path}"`;
}

/** How to get what a small report leaves out. */
export const commandForRest = (folder) => `npx lbbench report ${folder}`;

/**
 * Shortens the texts of a report to what the repository keeps: Markdown has its first pictures, and in place of the others their
 * descriptions. Returns the texts by name, and the names of the pictures that they show.
 *
 * @param files texts by name.
 * @param command how to get the rest, told in the Markdown.
 */
export function shorten({ "report.md": markdown, "ab.md": ab, ...others }, command) {
  const note = `The other charts are in words here. \`${command}\` draws them, and makes the page.`;
  const pictures = [];
  let seen = 0;
  const short = markdown.replaceAll(PICTURE, (picture, description, name) => {
    seen += 1;
    if (seen > PICTURES) return seen === PICTURES + 1 ? `\n${note}\n\n${description}` : `\n${description}`;
    pictures.push(name);
    return picture;
  });
  const ofAb = ab === undefined ? {} : { "ab.md": ab.replaceAll("[ab.txt](ab.txt)", "`ab.txt`") };
  return { texts: { ...others, ...ofAb, "report.md": short }, pictures };
}

/** Makes a report as small as those that the repository keeps; `lbbench report` makes all the rest again of `result.json`. */
export function keepSmall(folder, command) {
  const names = readdirSync(folder);
  const read = (name) => readFileSync(join(folder, name), "utf8");
  const given = ["report.md", "ab.md"].filter((name) => names.includes(name)).map((name) => [name, read(name)]);
  const { texts, pictures } = shorten(Object.fromEntries(given), command);
  const result = `${JSON.stringify(JSON.parse(read("result.json")))}\n`;
  for (const [name, text] of Object.entries({ ...texts, "result.json": result }))
    writeFileSync(join(folder, name), text);
  const kept = new Set([...Object.keys(texts), ...pictures, "result.json"]);
  for (const name of names) if (!kept.has(name)) rmSync(join(folder, name), { recursive: true });
}

/**
 * Writes `README.md` into the folder of an example. Returns the file to read first. An example of one report in that very folder needs
 * none: its report is returned.
 */
export function writeIndex({ runs, out, ...example }) {
  if (runs.length === 1 && runs[0].folder === ".") return join(out, "report.md");
  const file = join(out, "README.md");
  writeFileSync(file, renderIndex({ ...example, runs, out }));
  return file;
}

/** What was run, and the verdict of each report as it stands there, as Markdown. */
export function renderIndex({ title, command, runs, out }) {
  const made = `Made by \`${command}\`; every sentence below is computed from what was measured.`;
  return `${[`# ${title}`, made, ...runs.flatMap((run) => describeRun(run, out))].join("\n\n")}\n`;
}

function describeRun({ shows, line, folder, saves }, out) {
  return [
    `## ${shows}`,
    `\`\`\`sh\nnpx lbbench ${line}\n\`\`\``,
    ...(folder === undefined ? [] : describeReport(folder, out)),
    ...(saves === undefined ? [] : [quoteSaved(readFileSync(join(out, saves), "utf8").trim(), saves), linkTo([saves])]),
  ];
}

/** Markdown as it is, with lower headings; what is laid out in columns keeps them. */
function quoteSaved(text, file) {
  return file.endsWith(".txt") ? `\`\`\`text\n${text}\n\`\`\`` : demote(text);
}

function describeReport(folder, out) {
  const files = REPORTS.map((file) => join(folder, file)).filter((file) => existsSync(join(out, file)));
  const { verdict } = JSON.parse(readFileSync(join(out, folder, "result.json"), "utf8"));
  const codes = new Set(verdict.findings.map(({ code }) => `\`${code}\``));
  // The first section of a report is its verdict.
  const [, section = ""] = readFileSync(join(out, folder, "report.md"), "utf8").split(/^(?=## )/m);
  const found = codes.size === 0 ? [] : [`Found: ${[...codes].join(", ")}.`];
  return [demote(section.trim()), ...found, linkTo(files)];
}

function demote(text) {
  return text.replaceAll(/^(?=#+ )/gm, "#");
}

function linkTo(files) {
  return `Report: ${files.map((file) => `[${file}](${file.replaceAll(" ", "%20")})`).join(", ")}`;
}
