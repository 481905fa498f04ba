/** What an example leaves: the reports of its runs, made small where that is asked for, and the README that links to them. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const REPORTS = ["report.html", "report.md", "ab.md", "ab.txt", "result.json"];
/** How many pictures a small report keeps. */
const PICTURES = 2;
const PICTURE = /^!\[(.*)\]\(([\w-]+\.png)\)$/gm;

/**
 * Makes a report as small as those that the repository keeps: its Markdown, with the first pictures and in place of the others their
 * descriptions, and `result.json`, of which `lbbench report` makes all the rest again.
 *
 * @param folder of the report.
 * @param command how to get the rest, told in the Markdown.
 */
export function keepSmall(folder, command) {
  const read = (name) => readFileSync(join(folder, name), "utf8");
  const note = `The other charts are in words here. \`${command}\` draws them, and makes the page.`;
  const kept = new Set(["report.md", "result.json", "ab.md"]);
  let pictures = 0;
  const markdown = read("report.md").replaceAll(PICTURE, (picture, description, name) => {
    pictures += 1;
    if (pictures > PICTURES) return pictures === PICTURES + 1 ? `\n${note}\n\n${description}` : `\n${description}`;
    kept.add(name);
    return picture;
  });
  writeFileSync(join(folder, "report.md"), markdown);
  writeFileSync(join(folder, "result.json"), `${JSON.stringify(JSON.parse(read("result.json")))}\n`);
  for (const name of readdirSync(folder)) {
    if (!kept.has(name)) rmSync(join(folder, name), { recursive: true });
    else if (name === "ab.md") writeFileSync(join(folder, name), read(name).replaceAll("[ab.txt](ab.txt)", "`ab.txt`"));
  }
}

/**
 * Writes `README.md` into the folder of an example: what was run, and the verdict of each report as it stands there. Returns the
 * file to read first. An example of one report in that very folder needs none: its report is returned.
 */
export function writeIndex({ title, command, runs, out }) {
  if (runs.length === 1 && runs[0].folder === ".") return join(out, "report.md");
  const made = `Made by \`${command}\`; every sentence below is computed from what was measured.`;
  const file = join(out, "README.md");
  writeFileSync(file, `${[`# ${title}`, made, ...runs.flatMap((run) => describeRun(run, out))].join("\n\n")}\n`);
  return file;
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
