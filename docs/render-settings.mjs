/** Renders the table of settings: as the tables of `docs/config.md`, as the inputs of the GitHub Action, and as a JSON schema for editors. */
import { compile } from "json-schema-to-typescript";
import { stringify } from "yaml";
import * as z from "zod";
import { flagOf, sentenceOf } from "../packages/lbbench/dist/config/field.js";
import { sweepInputSchema } from "../packages/lbbench/dist/config/schema.js";
import { SETTINGS } from "../packages/lbbench/dist/config/settings.js";

const COMMANDS = ["faults", "policies", "max", "ramp", "hold"];
const SECTIONS = {
  fields: (path) => !/[.[]/.test(path),
  target: (path) => path.startsWith("targets[]"),
  request: (path) => path.startsWith("request."),
  fault: (path) => path.startsWith("faults[]"),
  mix: (path) => path.startsWith("mix[]"),
  policies: (path) => path.startsWith("policies."),
  others: (path) => /^(engines|tls|arrival|search|ramp|hold)\./.test(path),
};

/** The rows of a section of `docs/config.md`. */
export function renderSettings(section) {
  const rows = SETTINGS.filter(({ path }) => path !== undefined && SECTIONS[section](path)).map((setting) => [
    `\`${setting.path}\``,
    describe(setting),
    flagOf(setting).replaceAll(/--?[\w-]+/g, "`$&`") || (setting.path === "targets" ? "`-t`, or a URL" : ""),
    defaults(setting),
  ]);
  return markdownTable(["field", "meaning", "flag", "default"], rows);
}

/** A table of Markdown, with a line break at its end. */
export function markdownTable(head, rows) {
  const lines = [head, head.map(() => ":--"), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`).join("");
}

/** The inputs of the GitHub Action that are settings, as YAML. */
export function renderActionInputs() {
  const rows = SETTINGS.filter(({ action }) => action !== undefined).map(({ action, in: others = {}, ...setting }) => {
    const { about, default: otherwise, kind, example } = { ...setting, ...others.action };
    const said = about.replace(/^repeatable; /, "") + (example === undefined ? "" : `, such as \`${example}\``);
    return [
      action,
      { description: sentenceOf({ about: kind === "repeat" ? `${said}; one per line` : said, default: otherwise }) },
    ];
  });
  return stringify(Object.fromEntries(rows), { lineWidth: 0 }).replaceAll(/^(?=.)/gm, "  ");
}

function describe({ about, example, page }) {
  const text = example === undefined ? about : `${about}, such as \`${example}\``;
  return page === undefined ? text : `${text} ([more](${page}))`;
}

function defaults({ default: otherwise, in: others = {} }) {
  const commands = new Map();
  for (const command of COMMANDS) {
    const said = others[command]?.default;
    // What the others begin with holds for this command as well.
    if (said === undefined || otherwise?.startsWith(said)) continue;
    commands.set(said, [...(commands.get(said) ?? []), `\`${command}\``]);
  }
  const own = [...commands].map(([said, names]) => `${names.join(", ")} ${said}`);
  return own.length === 0 ? (otherwise ?? "") : [otherwise ?? "none", ...own].join("; ");
}

/** The JSON schema of a config file. */
export function renderConfigSchema() {
  const schema = z.toJSONSchema(sweepInputSchema, { io: "input", unrepresentable: "any", target: "draft-7" });
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** The type of what a config file may say, with what each setting is as its comment, which editors show. */
export async function renderInputType() {
  const type = await compile(JSON.parse(renderConfigSchema()), "config", {
    additionalProperties: false,
    bannerComment: "// Made of the table in settings.ts by `npm run docs`.",
    customName: ({ title }) => (title === undefined ? undefined : "SweepInput"),
    ignoreMinAndMaxItems: true,
    style: { printWidth: 120 },
  });
  // A setting may be given as undefined, which is as if it were left out.
  return type.replaceAll(/\?:\s*\|?\s*/g, "?: undefined | ");
}
