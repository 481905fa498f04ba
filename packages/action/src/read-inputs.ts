import { ConfigError, parseSweepInput, type ParsedSweepInput } from "lbbench";
import { nameInput } from "./name-input.js";
import { parseFailOn } from "./parse-fail-on.js";
import type { Verdict } from "./verdict.js";

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

/** Reads and checks the inputs. Throws a `ConfigError` that names the input. */
export function readInputs(getInput: GetInput): ActionInputs {
  const given = (name: string): string | undefined => getInput(name).trim() || undefined;
  const url = given("url");
  return {
    workingDirectory: given("working-directory") ?? ".",
    config: given("config"),
    targets: [...(url === undefined ? [] : [url]), ...linesOf(given("targets"))],
    settings: readSettings(given),
    baseline: given("baseline"),
    comments: readComment(given("comment")),
    commentKey: given("comment-key"),
    token: given("token"),
    failOn: parseFailOn(given("fail-on") ?? "fail,inconclusive"),
  };
}

function readSettings(given: (name: string) => string | undefined): ParsedSweepInput {
  const thresholds = linesOf(given("thresholds"));
  const settings = {
    connections: given("connections"),
    rate: given("rate"),
    requests: given("requests"),
    duration: given("duration"),
    trials: toNumber(given("trials")),
    warmup: given("warmup"),
    timeout: given("timeout"),
    keepAlive: toBoolean(given("keep-alive")),
    engine: given("engine"),
    thresholds: thresholds.length === 0 ? undefined : thresholds,
    reference: given("reference"),
    margin: given("margin"),
    out: given("out"),
    formats: given("formats")
      ?.split(",")
      .map((format) => format.trim()),
  };
  const said = Object.entries(settings).filter(([, value]) => value !== undefined);
  return parseSweepInput(Object.fromEntries(said), nameInput);
}

function linesOf(text: string | undefined): readonly string[] {
  return (text ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** A word that is no number stays as it is, for the check to complain about. */
function toNumber(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
}

function toBoolean(text: string | undefined): boolean | string | undefined {
  return text === "true" || text === "false" ? text === "true" : text;
}

function readComment(text: string = "auto"): boolean {
  if (text === "auto" || text === "never") return text === "auto";
  throw new ConfigError(`comment: expected auto or never, got "${text}".`);
}
