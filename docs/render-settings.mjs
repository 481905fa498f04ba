/** Renders the table of settings: as the tables of `docs/config.md`, as the inputs of the GitHub Action, and as a JSON schema for editors. */
import { stringify } from "yaml";
import * as z from "zod";
import { flagOf, SETTINGS } from "../packages/lbbench/dist/config/settings.js";
import { sweepInputSchema } from "../packages/lbbench/dist/config/sweep-input.js";

const COMMANDS = { max: "of a search", ramp: "of a ramp", faults: "of `lbbench faults`" };
const SECTIONS = {
  fields: (path) => !/[.[]/.test(path),
  target: (path) => path.startsWith("targets[]"),
  request: (path) => path.startsWith("request."),
  fault: (path) => path.startsWith("faults[]"),
  mix: (path) => path.startsWith("mix[]"),
  others: (path) => /^(engines|arrival|search|ramp)\./.test(path),
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
      { description: sentence({ about: kind === "repeat" ? `${said}; one per line` : said, default: otherwise }) },
    ];
  });
  return stringify(Object.fromEntries(rows), { lineWidth: 0 }).replaceAll(/^(?=.)/gm, "  ");
}

function describe({ about, example, page }) {
  const text = example === undefined ? about : `${about}, such as \`${example}\``;
  return page === undefined ? text : `${text} ([more](${page}))`;
}

function defaults({ default: otherwise, in: others = {} }) {
  const own = Object.entries(COMMANDS).flatMap(([command, what]) => {
    const said = others[command]?.default;
    // What the others begin with holds for this command as well.
    return said === undefined || otherwise?.startsWith(said) ? [] : [`${what} ${said}`];
  });
  return [...(otherwise === undefined ? (own.length > 0 ? ["none"] : []) : [otherwise]), ...own].join("; ");
}

/** The JSON schema of a config file, with what the table says of each field. */
export function renderConfigSchema() {
  const schema = z.toJSONSchema(sweepInputSchema, { io: "input", unrepresentable: "any", target: "draft-7" });
  const described = { title: "Config file of lbbench", ...schema };
  for (const setting of SETTINGS) {
    if (setting.path === undefined) continue;
    for (const place of placesOf(described, setting.path.split("."))) place.description = sentence(setting);
    if (!setting.path.startsWith("request.")) continue;
    const inMix = setting.path.replace("request.", "mix[].");
    for (const place of placesOf(described, inMix.split("."))) place.description = sentence(setting);
  }
  return `${JSON.stringify(described, null, 2)}\n`;
}

function sentence({ about, default: otherwise }) {
  return `${about.charAt(0).toUpperCase()}${about.slice(1)}.${otherwise === undefined || otherwise === "needed" ? "" : ` Default: ${otherwise}.`}`;
}

/** The schemas of a field, of which a union has several: `targets[]`, `name`. */
function placesOf(schema, [key, ...rest]) {
  if (key === undefined) return [schema];
  const alternatives = schema.anyOf ?? [schema];
  return alternatives.flatMap((one) => {
    const found = one.properties?.[key.replace("[]", "")];
    if (found === undefined) return [];
    return key.endsWith("[]")
      ? (found.items.anyOf ?? [found.items]).flatMap((item) => placesOf(item, rest))
      : placesOf(found, rest);
  });
}
