import { dirname } from "node:path";
import {
  ConfigError,
  defaultReportFolder,
  fitLevels,
  loadConfigFile,
  mergeInput,
  parseSweepInput,
  SETTINGS,
  type ParsedSweepInput,
  type Setting,
} from "lbbench";
import type { Charts } from "./report-text.js";

/** From best to worst; the words of the output `verdict`. */
const VERDICTS = ["pass", "inconclusive", "fail"] as const;
/** What a run says in the end. */
export type Verdict = (typeof VERDICTS)[number];

/** The worst of several verdicts; `pass` of none. */
export function worstVerdict(verdicts: readonly Verdict[]): Verdict {
  return VERDICTS.findLast((verdict) => verdicts.includes(verdict)) ?? "pass";
}

/** Inputs that are a field of the config file. */
const OF_SETTINGS = SETTINGS.filter(({ action, path }) => action !== undefined && path !== undefined);

/** Reads what the comment on a pull request needs; throws as {@link readInputs} does. */
export function readCommentInputs(getInput: (name: string) => string) {
  const given = (name: string): string | undefined => getInput(name).trim() || undefined;
  return {
    comments: readComment(given("comment") ?? "auto"),
    commentKey: given("comment-key"),
    token: given("token"),
  };
}

/**
 * Reads and checks the inputs. Throws a `ConfigError` that names the input.
 *
 * @param getInput gives the value of an input, empty for one that was not given.
 */
export function readInputs(getInput: (name: string) => string) {
  const given = (name: string): string | undefined => getInput(name).trim() || undefined;
  const said = OF_SETTINGS.flatMap((setting) => {
    const text = given(setting.action ?? "");
    return text === undefined ? [] : [[setting.path ?? "", readSetting(text, setting)] as const];
  });
  const nameInput = ([path]: readonly PropertyKey[]): string =>
    OF_SETTINGS.find((setting) => setting.path === path)?.action ?? "inputs";
  return {
    /** Where the config file is looked for and relative paths begin. */
    workingDirectory: given("working-directory") ?? ".",
    config: given("config"),
    /** URLs and names of targets, instead of the config file's. */
    targets: [...linesOf(given("url")), ...linesOf(given("targets"))],
    /** What is said over the config file. */
    settings: parseSweepInput(Object.fromEntries(said), nameInput),
    /** Those of the settings, as they are written. */
    connections: given("connections"),
    /** An earlier result or its folder. */
    baseline: given("baseline"),
    ...readCommentInputs(getInput),
    /** The verdicts that fail the step. */
    failOn: readFailOn(given("fail-on") ?? "fail,inconclusive"),
  };
}

/** What {@link readInputs} returns. */
export type ActionInputs = Readonly<ReturnType<typeof readInputs>>;

/** What {@link readCommentInputs} returns. */
export type CommentInputs = Readonly<ReturnType<typeof readCommentInputs>>;

/** What the text of an input says of a setting. A word that is no number stays as it is, for the check to complain about. */
function readSetting(text: string, { kind, flags = "<text>" }: Setting): unknown {
  if (kind === "repeat") return linesOf(text);
  if (kind === "list") return text.split(",").map((part) => part.trim());
  if (kind === "number" && /^\d+$/.test(text)) return Number(text);
  // A flag without words is a switch.
  if (!flags.includes("<") && (text === "true" || text === "false")) return text === "true";
  return text;
}

function linesOf(text: string = ""): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function readComment(text: string): boolean {
  if (text === "auto" || text === "never") return text === "auto";
  throw new ConfigError(`comment: expected auto or never, got "${text}".`);
}

function readFailOn(text: string): ReadonlySet<Verdict> {
  if (text === "never") return new Set();
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  const verdicts = VERDICTS.filter((verdict) => verdict !== "pass" && words.includes(verdict));
  if (words.length > 0 && new Set(words).size === verdicts.length) return new Set(verdicts);
  throw new ConfigError(
    `fail-on: expected fail, inconclusive, both with a comma between them, or never, got "${text}".`,
  );
}

const USUAL_FORMATS: readonly string[] = ["md", "html"];
/** Drawing pictures takes native code, which an action cannot bring along; charts are drawn by GitHub and by the page. */
const PICTURES = "png";
const NO_PICTURES = `formats: ${PICTURES} is left out. The action cannot draw pictures. Charts are in md and html.`;

/**
 * Puts together what the inputs and the config file say.
 *
 * @param cwd where the config file is looked for.
 * @param learn is told what that says, before it is checked.
 */
export async function resolveSweep(
  inputs: Pick<ActionInputs, "config" | "targets" | "settings" | "connections" | "baseline">,
  cwd: string,
  learn: (content: unknown) => void = () => {},
) {
  const { config, targets, settings, connections, baseline } = inputs;
  const found = await loadConfigFile(cwd, config);
  learn(found?.content);
  const folder = found === undefined ? cwd : dirname(found.path);
  const file = found === undefined ? {} : parseSweepInput(found.content, found.path);
  const merged = await mergeInput({ file, flags: settings, targets, command: "sweep" }, folder);
  const hasReference =
    merged.reference !== undefined ||
    merged.targets?.some((target) => typeof target === "object" && target.references !== undefined) === true;
  // Beside a baseline the margin need not be about targets, of which there may be one alone.
  const leftOut = new Set(baseline !== undefined && !hasReference ? ["margin", "errorMargin"] : []);
  const input: ParsedSweepInput = Object.fromEntries(Object.entries(merged).filter(([name]) => !leftOut.has(name)));
  const ofFile = found?.content as { readonly connections?: unknown } | undefined;
  const fitted = fitLevels(input, connections ?? ofFile?.connections);
  const asked = input.formats ?? USUAL_FORMATS;
  const formats = asked.filter((format) => format !== PICTURES);
  const usable = formats.length === 0 ? USUAL_FORMATS : formats;
  const charts: Charts = input.charts === "none" ? "none" : "mermaid";
  return {
    input: { ...fitted.input, formats: [...usable], charts, out: input.out ?? defaultReportFolder(input.name) },
    /** Where the paths in the input begin. */
    folder,
    /** What is not done of what was asked for, in sentences. */
    notes: [...(asked.includes(PICTURES) ? [NO_PICTURES] : []), fitted.note ?? []].flat(),
    /** For the comparison with the baseline. */
    margins: { margin: settings.margin ?? file.margin, errorMargin: file.errorMargin },
  };
}
