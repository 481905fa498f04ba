import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const REPORTS = ["report.html", "report.md", "ab.md", "ab.txt", "result.json"];

/**
 * Writes `README.md` into the folder of an example: what was run, and the verdict of each report as it stands there. Returns the
 * file to read first. An example of one report in that very folder needs none: its report is returned.
 */
export function writeIndex({ name, size, isSmall, title, runs, out }) {
  const [only] = runs;
  if (runs.length === 1 && only.folder === ".") return join(out, "report.md");
  const flags = [...(size === "default" ? [] : [`--${size}`]), ...(isSmall ? ["--small"] : [])];
  const command = ["npm run example", name, ...(flags.length === 0 ? [] : ["--", ...flags])].join(" ");
  const sections = runs.map((run) => describeRun(run, out));
  const text = [
    `# ${title}`,
    `Made by \`${command}\`; every sentence below is computed from what was measured.`,
    ...sections,
  ];
  const file = join(out, "README.md");
  writeFileSync(file, `${text.join("\n\n")}\n`);
  return file;
}

function describeRun({ shows, line, folder, saves }, out) {
  const parts = [`## ${shows}`, `\`\`\`sh\nnpx lbbench ${line}\n\`\`\``];
  if (folder !== undefined) parts.push(...describeReport(folder, out));
  if (saves !== undefined)
    parts.push(quoteSaved(readFileSync(join(out, saves), "utf8").trim(), saves), linkTo([saves]));
  return parts.join("\n\n");
}

/** Markdown as it is, with lower headings; what is laid out in columns keeps them. */
function quoteSaved(text, file) {
  return file.endsWith(".txt") ? `\`\`\`text\n${text}\n\`\`\`` : demote(text);
}

function describeReport(folder, out) {
  const result = JSON.parse(readFileSync(join(out, folder, "result.json"), "utf8"));
  const codes = [...new Set(result.verdict.findings.map(({ code }) => code))];
  const found = codes.length === 0 ? [] : [`Found: ${codes.map((code) => `\`${code}\``).join(", ")}.`];
  const files = REPORTS.map((file) => join(folder, file)).filter((file) => existsSync(join(out, file)));
  return [...readVerdict(join(out, folder, "report.md")), ...found, linkTo(files)];
}

/** The first section of a report is its verdict. */
function readVerdict(report) {
  if (!existsSync(report)) return [];
  const [, verdict = ""] = readFileSync(report, "utf8").split(/^(?=## )/m);
  return [demote(verdict.trim())];
}

function demote(text) {
  return text.replaceAll(/^(?=#+ )/gm, "#");
}

function linkTo(files) {
  return `Report: ${files.map((file) => `[${file}](${file.replaceAll(" ", "%20")})`).join(", ")}`;
}
