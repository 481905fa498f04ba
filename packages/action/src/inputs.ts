import { dirname } from "node:path";
import {
  ConfigError,
  defaultReportFolder,
  loadConfigFile,
  mergeInput,
  NOT_IN_SWEEP,
  parseSweepInput,
  type ParsedSweepInput,
} from "lbbench";

/** What a run says in the end, from best to worst; the words of the output `verdict`. */
export const VERDICTS = ["pass", "inconclusive", "fail"] as const;

/** One of {@link VERDICTS}. */
export type Verdict = (typeof VERDICTS)[number];

/** The worst of several verdicts; `pass` of none. */
export function worstVerdict(verdicts: readonly Verdict[]): Verdict {
  return VERDICTS.findLast((verdict) => verdicts.includes(verdict)) ?? "pass";
}

/** Gives the value of an input, empty for one that was not given. */
export type GetInput = (name: string) => string;

/** What a step of a workflow says, checked. */
export interface ActionInputs {
  /** Where the config file is looked for and relative paths begin. */
  readonly workingDirectory: string;
  readonly config: string | undefined;
  /** URLs and names of targets, in place of those of the config file. */
  readonly targets: readonly string[];
  /** What is said over the config file. */
  readonly settings: ParsedSweepInput;
  /** An earlier result or its folder. */
  readonly baseline: string | undefined;
  readonly comments: boolean;
  readonly commentKey: string | undefined;
  readonly token: string | undefined;
  /** The verdicts that fail the step. */
  readonly failOn: ReadonlySet<Verdict>;
}

/** How the text of an input becomes the value of a setting. A word that is no number stays as it is, for the check to complain about. */
const READ = {
  text: (text: string) => text,
  number: (text: string) => (/^\d+$/.test(text) ? Number(text) : text),
  boolean: (text: string) => (text === "true" || text === "false" ? text === "true" : text),
  lines: (text: string) => linesOf(text),
  list: (text: string) => text.split(",").map((part) => part.trim()),
};

/** Inputs that are settings of a sweep: the setting, its input, and how it is read. */
const SETTINGS: readonly (readonly [setting: string, input: string, read: (text: string) => unknown])[] = [
  ["connections", "connections", READ.text],
  ["rate", "rate", READ.text],
  ["requests", "requests", READ.text],
  ["duration", "duration", READ.text],
  ["trials", "trials", READ.number],
  ["warmup", "warmup", READ.text],
  ["timeout", "timeout", READ.text],
  ["keepAlive", "keep-alive", READ.boolean],
  ["engine", "engine", READ.text],
  ["thresholds", "thresholds", READ.lines],
  ["reference", "reference", READ.text],
  ["margin", "margin", READ.text],
  ["out", "out", READ.text],
  ["formats", "formats", READ.list],
];

/** Reads and checks the inputs. Throws a `ConfigError` that names the input. */
export function readInputs(getInput: GetInput): ActionInputs {
  const given = (name: string): string | undefined => getInput(name).trim() || undefined;
  const said = SETTINGS.flatMap(([setting, input, read]) => {
    const text = given(input);
    return text === undefined ? [] : [[setting, read(text)] as const];
  });
  return {
    workingDirectory: given("working-directory") ?? ".",
    config: given("config"),
    targets: [...linesOf(given("url")), ...linesOf(given("targets"))],
    settings: parseSweepInput(Object.fromEntries(said), nameInput),
    baseline: given("baseline"),
    comments: readComment(given("comment") ?? "auto"),
    commentKey: given("comment-key"),
    token: given("token"),
    failOn: readFailOn(given("fail-on") ?? "fail,inconclusive"),
  };
}

/** The input that a setting was given with: `keep-alive` for `keepAlive`. */
function nameInput([setting]: readonly PropertyKey[]): string {
  return SETTINGS.find(([name]) => name === setting)?.[1] ?? String(setting ?? "inputs");
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

/** What is to be swept. */
export interface ResolvedSweep {
  readonly input: ParsedSweepInput & { readonly out: string };
  /** Where the paths in it begin. */
  readonly folder: string;
  /** What is not done of what was asked for, a sentence; absent where everything is. */
  readonly note?: string;
  /** For the comparison with the baseline; the default of lbbench when it is `undefined`. */
  readonly margins: { readonly margin?: number; readonly errorMargin?: number };
}

const USUAL_FORMATS: readonly string[] = ["md", "html"];
/** Drawing pictures takes native code, which an action cannot bring along; charts are drawn by GitHub and by the page. */
const PICTURES = "png";
const NO_PICTURES = `formats: ${PICTURES} is left out, because pictures take native code that the action cannot bring along; charts are in md and html.`;

/**
 * Puts together what the inputs and the config file say.
 *
 * @param cwd where the config file is looked for.
 */
export async function resolveSweep(
  inputs: Pick<ActionInputs, "config" | "targets" | "settings" | "baseline">,
  cwd: string,
): Promise<ResolvedSweep> {
  const found = await loadConfigFile(cwd, inputs.config);
  const file = found === undefined ? {} : parseSweepInput(found.content, found.path);
  const { margin, ...rest } = inputs.settings;
  const reference = rest.reference ?? file.reference;
  // Beside a baseline the margin need not be about targets, of which there may be one alone.
  const isOfBaseline = inputs.baseline !== undefined && reference === undefined;
  const flags = margin === undefined || isOfBaseline ? rest : { ...rest, margin };
  const folder = found === undefined ? cwd : dirname(found.path);
  const merged = await mergeInput({ file, flags, targets: inputs.targets }, folder);
  const input: ParsedSweepInput = Object.fromEntries(
    Object.entries(merged).filter(([name]) => !NOT_IN_SWEEP.some((setting) => setting === name)),
  );
  const asked = input.formats ?? USUAL_FORMATS;
  const formats = asked.filter((format) => format !== PICTURES);
  const ofBaseline = margin ?? file.margin;
  return {
    input: {
      ...input,
      formats: [...(formats.length === 0 ? USUAL_FORMATS : formats)],
      charts: input.charts === "none" ? "none" : "mermaid",
      out: input.out ?? defaultReportFolder(input.name),
    },
    folder,
    ...(asked.includes(PICTURES) ? { note: NO_PICTURES } : {}),
    margins: {
      ...(ofBaseline === undefined ? {} : { margin: ofBaseline }),
      ...(file.errorMargin === undefined ? {} : { errorMargin: file.errorMargin }),
    },
  };
}
